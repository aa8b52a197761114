package validate_test

import (
	"fmt"

	"github.com/nopezoo/zoo/experiment/validate"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

func ExampleEvaluator() {
	cfg := runfile.Config{
		Model: models.Config{Encoding: "rope", DModel: 64, NLayers: 2, NHeads: 4, DFF: 256},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..20", Seed: 1, Steps: 1000, Batch: 64, LR: 1e-3,
			Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, CheckpointEvery: 100, KeepCheckpoints: 2, EvalEvery: 100},
	}
	evaluate, err := validate.Evaluator(cfg, train.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := train.Options{Evaluate: evaluate} // for train.New and train.Resume
	fmt.Println(o.Evaluate != nil)
	// Output: true
}
