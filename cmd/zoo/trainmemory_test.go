package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
)

// The number of examples that a refusal names is the greatest that fits.
func TestWhatFits(t *testing.T) {
	cfg, err := train.Config{
		Model: models.Config{Encoding: "nope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32},
		Train: train.Recipe{Task: "copy", Lengths: "1..3", Steps: 1, Batch: 4, LR: 1e-3, Eps: 1e-8, CheckpointEvery: 1, KeepCheckpoints: 1, Threads: 1, Examples: 1 << 30},
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	memory := func() int64 {
		c, err := train.EstimateCost(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c.Memory
	}
	const free = 1 << 30
	said := whatFits(cfg, train.Cost{Memory: memory()}, free)
	if _, err := fmt.Sscanf(said, "train.examples up to %d would do,", &cfg.Train.Examples); err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	most := memory()
	cfg.Train.Examples++
	if most > free || memory() <= free {
		t.Errorf("%q, but that many take %d bytes, and one more %d, of %d", said, most, memory(), free)
	}
	if said := whatFits(cfg, train.Cost{Memory: memory()}, 1<<20); !strings.HasPrefix(said, "no train.micro_tokens") {
		t.Errorf("%q, where the model does not fit", said)
	}
}
