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

// ErrDamagedLines means that a metrics file has lines that cannot be read. It comes
// with what the other lines say: they are for people, and a run goes on without them.
var ErrDamagedLines = errors.New("cannot be read and is left out")

// evaluationLine is the line of an evaluation in the metrics; the others are Stats.
type evaluationLine struct {
	Step int         `json:"step"`
	Eval *Evaluation `json:"eval"`
}

// metricsLine is a line as it is read.
type metricsLine struct {
	Stats
	Eval *Evaluation `json:"eval"` // nil for a step
	raw  []byte
}

func parseMetrics(raw []byte) (metricsLine, error) {
	line := metricsLine{raw: raw}
	err := json.Unmarshal(raw, &line)
	if err == nil && line.Step < 1 {
		err = fmt.Errorf("step %d", line.Step)
	}
	return line, err
}

// ReadMetrics reads what the metrics file of a run says of its steps. A last
// line that was cut off by a crash is left out; others that cannot be read are
// named in an ErrDamagedLines, which comes with the rest.
func ReadMetrics(path string) ([]Stats, error) {
	lines, err := readLines(path)
	var out []Stats
	for _, line := range lines {
		if line.Eval == nil {
			out = append(out, line.Stats)
		}
	}
	return out, err
}

// ReadEvaluations reads the evaluations in the metrics file of a run. Lines that
// cannot be read are as in ReadMetrics.
func ReadEvaluations(path string) ([]Evaluation, error) {
	lines, err := readLines(path)
	var out []Evaluation
	for _, line := range lines {
		if line.Eval != nil {
			line.Eval.Step = line.Step
			out = append(out, *line.Eval)
		}
	}
	return out, err
}

// maxMetrics is the largest metrics file that is read, in bytes: some millions of
// lines.
const maxMetrics = 1 << 30

func readLines(path string) (out []metricsLine, damaged error) {
	data, err := tensor.ReadRegular(path, maxMetrics)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(bytes.NewReader(data))
	further := 0
	for n := 1; ; n++ {
		raw, err := lines.ReadBytes('\n')
		if err != nil { // no newline: cut off, or the end
			break
		}
		line, err := parseMetrics(raw)
		switch {
		case err == nil:
			out = append(out, line)
		case damaged == nil:
			damaged = fmt.Errorf("%s:%d %w (%v)", path, n, ErrDamagedLines, err)
		default:
			further++
		}
	}
	if further > 0 {
		damaged = fmt.Errorf("%w, as are %d further lines", damaged, further)
	}
	return out, damaged
}

// truncateMetrics drops the lines of steps, and of evaluations, that the resumed
// run does again, and those that cannot be read. What was lost is in warnings.
func truncateMetrics(path string, step, evaluated int) (warnings []error, err error) {
	all, err := readLines(path)
	switch {
	case errors.Is(err, ErrDamagedLines):
		warnings = append(warnings, err)
	case errors.Is(err, fs.ErrNotExist) && step == 0:
		return nil, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	last := 0
	err = tensor.WriteFileAtomic(path, func(w io.Writer) error {
		for _, line := range all {
			if line.Eval == nil && line.Step <= step || line.Eval != nil && line.Step <= evaluated {
				if _, err := w.Write(line.raw); err != nil {
					return err
				}
			}
			if line.Eval == nil {
				last = max(last, line.Step)
			}
		}
		return nil
	})
	if last < step {
		warnings = append(warnings, fmt.Errorf("%s ends at step %d, and the newest checkpoint is of step %d: the metrics of the steps between are lost, the weights are whole", path, last, step))
	}
	return warnings, err
}
