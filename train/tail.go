package train

import (
	"bytes"
	"io"
	"math"
	"path/filepath"

	"github.com/nopezoo/zoo/graph/tensor"
)

// tailBytes hold some hundred lines of metrics.
const tailBytes = 32 << 10

// TailMetrics reads what the end of a run's metrics file says of the last steps,
// oldest first, however long the file is. Lines that are not whole, or damaged, are
// left out, as evaluations are.
func TailMetrics(dir string) ([]Stats, error) {
	f, size, err := tensor.OpenRegular(filepath.Join(dir, MetricsFile), math.MaxInt64)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(size-tailBytes, 0)
	data := make([]byte, size-from)
	n, err := f.ReadAt(data, from)
	if err != nil && err != io.EOF { // the file may have been cut in between
		return nil, err
	}
	data = data[:n]
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	var out []Stats
	for {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return out, nil
		}
		if s, err := parseMetrics(line); err == nil && s.Eval == nil {
			out = append(out, s.Stats)
		}
		data = rest
	}
}
