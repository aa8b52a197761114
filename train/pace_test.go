package train_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// A step and an evaluation are timed without anything being stored, also of a run of one step, of one
// that evaluates, and of a model that is compiled for each length.
func TestPace(t *testing.T) {
	orttest.Require(t)
	t.Chdir(t.TempDir())
	for _, encoding := range []string{"nope", "cwrnn"} {
		cfg := micro(encoding, 1)
		if encoding == "cwrnn" {
			cfg.Model.NLayers, cfg.Model.NHeads, cfg.Model.DFF, cfg.Model.NUnits = 0, 0, 0, 16
		}
		cfg.Train.EvalEvery = 1
		evaluated := 0
		evaluate := func(_ context.Context, step int, weights map[string]*tensor.Tensor) ([]journal.Result, error) {
			if evaluated++; step == 0 || len(weights) == 0 {
				t.Errorf("%s: evaluated at step %d with %d weights", encoding, step, len(weights))
			}
			time.Sleep(time.Millisecond)
			return nil, nil
		}
		p, err := train.PaceOf(t.Context(), cfg, train.Options{Evaluate: evaluate}, 0)
		if err != nil || p.Step <= 0 || p.Evaluation < time.Millisecond || evaluated != 1 {
			t.Errorf("%s: %v, %v", encoding, p, err)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := train.PaceOf(cancelled, micro("nope", 1), train.Options{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What is left counts the evaluations of the steps that are left, the last one's too.
func TestPaceLeft(t *testing.T) {
	p := train.Pace{Step: time.Second, Evaluation: time.Minute}
	for _, c := range []struct{ steps, every, after, seconds int }{
		{10, 0, 0, 10}, {10, 5, 0, 10 + 2*60}, {10, 4, 0, 10 + 3*60}, {10, 4, 4, 6 + 2*60}, {10, 4, 8, 2 + 60},
		{10, 4, 10, 0}, {10, 5, 12, 0},
	} {
		r := runfile.Recipe{Steps: c.steps, EvalEvery: c.every}
		if _, got := p.Left(r, c.after); got != time.Duration(c.seconds)*time.Second {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
