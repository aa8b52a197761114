package train_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/nopezoo/zoo/runtime/ort/orttest"
	"github.com/nopezoo/zoo/train"
)

// A step is timed without anything being stored, also of a run of one step, of one
// that evaluates, and of a model that is compiled for each length.
func TestStepTime(t *testing.T) {
	orttest.Require(t)
	t.Chdir(t.TempDir())
	for _, encoding := range []string{"nope", "cwrnn"} {
		cfg := micro(encoding, 1)
		if encoding == "cwrnn" {
			cfg.Model.NLayers, cfg.Model.NHeads, cfg.Model.DFF, cfg.Model.NUnits = 0, 0, 0, 16
		}
		cfg.Train.EvalEvery = 1
		d, err := train.StepTime(t.Context(), cfg, train.Options{}, 0)
		if err != nil || d <= 0 {
			t.Errorf("%s: %v, %v", encoding, d, err)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := train.StepTime(cancelled, micro("nope", 1), train.Options{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
