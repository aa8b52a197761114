package train_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// It takes ONNX Runtime, so that the tests compile this and do not run it.
func Example() {
	cfg := runfile.Config{
		Model: models.Config{Encoding: "rope", DModel: 64, NLayers: 2, NHeads: 4, DFF: 256},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..20", Seed: 1, Steps: 1000, Batch: 64, LR: 1e-3,
			Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, CheckpointEvery: 100, KeepCheckpoints: 2},
	}
	t, err := train.New("runs/mine", cfg, train.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if err := t.Run(context.Background(), func(s journal.Stats) { fmt.Println(s.Step, s.Loss) }); err != nil {
		fmt.Println(err) // train.ErrInterrupted: train.Resume goes on
		return
	}
	c, _, err := runfile.Latest("runs/mine")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Step, len(c.Weights))
}
