package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
)

// ErrDamaged means that a metrics file has lines that cannot be read. It comes with
// what the other lines say.
var ErrDamaged = errors.New("cannot be read and is left out")

// metrics is what the metrics file of a run says, oldest first.
type metrics struct {
	Steps       []Stats
	Evaluations []Evaluation
	// Fitted is the step of the first evaluation without a mistake at trained lengths, 0
	// for none, and nil where there was no evaluation of samples.
	Fitted *int
}

const (
	// maxBytes is the largest metrics file that is read: some millions of lines.
	maxBytes = 1 << 30
	// tailBytes hold some hundred lines.
	tailBytes = 32 << 10
)

// Read reads the metrics of a run directory. A last line that was cut off by a crash is
// left out; others that cannot be read are named in an ErrDamaged, which comes with the
// rest.
func Read(dir string) (metrics, error) {
	lines, err := readLines(filepath.Join(dir, MetricsFile))
	return sorted(lines), err
}

// Tail reads what the end of a run's metrics file says of the last steps, oldest first,
// however long the file is. Lines that are not whole, or damaged, are left out.
func Tail(dir string) ([]Stats, error) {
	path := filepath.Join(dir, MetricsFile)
	f, size, err := files.OpenRegular(path, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(size-tailBytes, 0)
	data, err := io.ReadAll(io.NewSectionReader(f, from, tailBytes))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	lines, _ := parse(path, data)
	return sorted(lines).Steps, nil
}

// line is one line of metrics: an update, or an evaluation.
type line struct {
	Stats
	Eval *Evaluation `json:"eval"` // nil for an update
	raw  []byte
}

func sorted(lines []line) (m metrics) {
	for _, l := range lines {
		if l.Eval == nil {
			m.Steps = append(m.Steps, l.Stats)
			continue
		}
		l.Eval.Step = l.Step
		m.Evaluations = append(m.Evaluations, *l.Eval)
		switch {
		case l.Eval.Sequence == nil || m.Fitted != nil && *m.Fitted > 0:
		case *l.Eval.Sequence == 1:
			m.Fitted = new(l.Step)
		default:
			m.Fitted = new(0)
		}
	}
	return m
}

func readLines(path string) ([]line, error) {
	data, err := files.ReadRegular(path, maxBytes)
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

// parse reads the lines that end; the error is an ErrDamaged.
func parse(path string, data []byte) (out []line, damaged error) {
	n, further := 0, 0
	for raw := range bytes.Lines(data) {
		n++
		if !bytes.HasSuffix(raw, []byte("\n")) {
			break // cut off
		}
		l := line{raw: raw}
		err := json.Unmarshal(raw, &l)
		if err == nil && l.Step < 1 {
			err = fmt.Errorf("step %d", l.Step)
		}
		switch {
		case err == nil:
			out = append(out, l)
		case damaged == nil:
			damaged = fmt.Errorf("%s:%d %w (%v)", path, n, ErrDamaged, err)
		default:
			further++
		}
	}
	if further > 0 {
		damaged = fmt.Errorf("%w, as are %d further lines", damaged, further)
	}
	return out, damaged
}
