package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
)

// Cut prepares the metrics of a run for going on from a step: it drops the lines of
// later steps, and of evaluations after the one at evaluated, which the run makes
// again, and lines that cannot be read. What is lost is in warnings.
func Cut(dir string, step, evaluated int) (warnings []error, err error) {
	path := filepath.Join(dir, MetricsFile)
	all, err := readLines(path)
	switch {
	case errors.Is(err, ErrDamaged):
		warnings = append(warnings, err)
	case errors.Is(err, fs.ErrNotExist) && step == 0:
		return nil, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	last := 0
	err = files.WriteAtomic(path, func(w io.Writer) error {
		for _, l := range all {
			if l.Eval == nil && l.Step <= step || l.Eval != nil && l.Step <= evaluated {
				if _, err := w.Write(l.raw); err != nil {
					return err
				}
			}
			if l.Eval == nil {
				last = max(last, l.Step)
			}
		}
		return nil
	})
	if last < step {
		warnings = append(warnings, fmt.Errorf("%s ends at step %d, and the newest checkpoint is of step %d: "+
			"the metrics of the steps between are lost, the weights are whole", path, last, step))
	}
	return warnings, err
}
