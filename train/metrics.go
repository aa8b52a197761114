package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/nopezoo/zoo/graph/tensor"
)

// metricsLine is what every line of the metrics has; those of evaluations have
// Eval, the others are Stats.
type metricsLine struct {
	Step int         `json:"step"`
	Eval *Evaluation `json:"eval,omitempty"`
	raw  []byte
}

// ReadMetrics reads what the metrics file of a run says of its steps. A last
// line that was cut off by a crash is left out.
func ReadMetrics(path string) ([]Stats, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	var out []Stats
	for n, line := range lines {
		if line.Eval != nil {
			continue
		}
		var s Stats
		if err := json.Unmarshal(line.raw, &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// ReadEvaluations reads the evaluations in the metrics file of a run.
func ReadEvaluations(path string) ([]Evaluation, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	var out []Evaluation
	for _, line := range lines {
		if line.Eval != nil {
			line.Eval.Step = line.Step
			out = append(out, *line.Eval)
		}
	}
	return out, nil
}

// maxMetrics is the largest metrics file that is read, in bytes: some millions of
// lines.
const maxMetrics = 1 << 30

func readLines(path string) ([]metricsLine, error) {
	data, err := tensor.ReadRegular(path, maxMetrics)
	if err != nil {
		return nil, err
	}
	var out []metricsLine
	lines := bufio.NewReader(bytes.NewReader(data))
	for n := 1; ; n++ {
		raw, err := lines.ReadBytes('\n')
		if err != nil {
			return out, nil // no newline: cut off, or the end
		}
		line := metricsLine{raw: raw}
		if err := json.Unmarshal(raw, &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, line)
	}
}

// truncateMetrics drops the lines of steps, and of evaluations, that the resumed
// run does again.
func truncateMetrics(path string, step, evaluated int) error {
	all, err := readLines(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return tensor.WriteFileAtomic(path, func(w io.Writer) error {
		for _, line := range all {
			if line.Eval == nil && line.Step <= step || line.Eval != nil && line.Step <= evaluated {
				if _, err := w.Write(line.raw); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
