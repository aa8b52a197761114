package suggest_test

import (
	"testing"

	"github.com/nopezoo/zoo/internal/suggest"
)

func TestNearest(t *testing.T) {
	known := []string{"train.data_seed", "train.seed", "train.steps", "train.batch", "ZOO_TRAIN_STEPS", "ZOO_CONFIG", "api-key-file", "x.y.z"}
	for name, want := range map[string]string{
		"steps": "train.steps", "zoo_config": "ZOO_CONFIG", "TRAIN.SEED": "train.seed", "seed": "train.seed", "data_seed": "train.data_seed", "Steps": "train.steps",
		"ZOO_STEPS": "ZOO_TRAIN_STEPS", "key-file": "api-key-file", "z": "x.y.z",
		"train.stepz": "train.steps", "train.sees": "train.seed", "eps": "", "": "", "nothing-like-it": "",
	} {
		if got := suggest.Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
