package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/nopezoo/zoo/graph/tensor"
)

// ReadMetrics reads the metrics file of a run. A last line that was cut off by a
// crash is left out.
func ReadMetrics(path string) ([]Stats, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Stats
	lines := bufio.NewReader(bytes.NewReader(data))
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return out, nil // no newline: cut off, or the end
		}
		var s Stats
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, s)
	}
}

// truncateMetrics drops the lines of steps that the resumed run does again.
func truncateMetrics(path string, step int) error {
	all, err := ReadMetrics(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return tensor.WriteFileAtomic(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, s := range all {
			if s.Step <= step {
				if err := enc.Encode(s); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
