package train_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

func TestSchedule(t *testing.T) {
	r := runfile.Recipe{LR: 1, FinalLR: 0.1, Warmup: 4, Steps: 13}
	for step, want := range map[int]float64{0: 0.25, 3: 1, 4: 1, 5: 0.9, 12: 0.2, 13: 0.1, 99: 0.1} {
		if got := train.Rate(r, step); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d: %v, want %v", step, got, want)
		}
	}
	// As the paper's library has it: rate t/warmup from t = 0, and the same decay.
	r.WarmupFrom = "zero"
	for step, want := range map[int]float64{0: 0, 1: 0.25, 3: 0.75, 4: 1, 5: 0.9, 12: 0.2, 13: 0.1} {
		if got := train.Rate(r, step); math.Abs(got-want) > 1e-12 {
			t.Errorf("from zero, step %d: %v, want %v", step, got, want)
		}
	}
	if got := train.Rate(runfile.Recipe{LR: 1, Steps: 2}, 0); got != 1 {
		t.Errorf("without warm-up the first step has rate %v, want 1", got)
	}
}
