package train_test

import (
	"context"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
)

func TestQuick(t *testing.T) {
	_ = configs.Names
	cfg := train.Config{Model: models.Config{Encoding: "nope", DModel: 128, NLayers: 3, NHeads: 4, DFF: 512}, Train: train.Recipe{Task: "copy", Lengths: "1..20", Seed: 1, Steps: 60, Batch: 64, LR: 2e-3, Warmup: 150, Beta1: .9, Beta2: .98, Eps: 1e-8, Clip: 1, WeightDecay: 0.01, CheckpointEvery: 500, KeepCheckpoints: 2}}
	tr, err := train.New(t.TempDir(), cfg, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	err = tr.Run(context.Background(), func(s train.Stats) {
		if s.Step%10 == 0 || s.Step < 5 {
			t.Logf("%+v", s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
