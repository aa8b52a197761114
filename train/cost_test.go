package train_test

import (
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// TestEstimateCost checks the growth that the estimate is made for.
func TestEstimateCost(t *testing.T) {
	cost := func(change func(*runfile.Config)) train.Cost {
		t.Helper()
		cfg := micro("nope", 1)
		change(&cfg)
		cfg, err := cfg.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		c, err := train.EstimateCost(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	base := cost(func(*runfile.Config) {})
	const empty = 96 << 20
	if want := int64(2*(4*32*32+2*32*64+2*32) + 32 + 2*32*104); base.Parameters < want/2 || base.Parameters > want {
		t.Errorf("%d parameters, want about %d", base.Parameters, want)
	}
	for name, change := range map[string]func(*runfile.Config){
		"batch":   func(c *runfile.Config) { c.Train.Batch = 16 },
		"length":  func(c *runfile.Config) { c.Train.Lengths = "1..12" },
		"layers":  func(c *runfile.Config) { c.Model.NLayers = 4 },
		"dropout": func(c *runfile.Config) { c.Train.Dropout = 0.1 },
	} {
		if got := cost(change); got.Memory <= base.Memory {
			t.Errorf("twice the %s: %d bytes, not more than %d", name, got.Memory, base.Memory)
		}
	}
	whole := cost(func(c *runfile.Config) { c.Train.Batch = 64 })
	split := cost(func(c *runfile.Config) { c.Train.Batch, c.Train.MicroTokens = 64, 64 })
	more := cost(func(c *runfile.Config) { c.Train.Batch, c.Train.MicroTokens = 4096, 64 })
	tokens := more.Memory - split.Memory // the batch's
	if split.Memory >= whole.Memory || tokens < 0 || tokens > 4<<20 {
		t.Errorf("64 sequences take %d bytes at once; by 64 tokens they take %d, and 4096 take %d",
			whole.Memory, split.Memory, more.Memory)
	}
	lanes := cost(func(c *runfile.Config) {
		c.Train.Batch, c.Train.MicroTokens, c.Train.Threads, c.Train.Lanes = 64, 64, 4, 4
	})
	if least := split.Memory + 2*4*base.Parameters; lanes.Memory < least {
		t.Errorf("four lanes take %d bytes, two %d: want at least %d", lanes.Memory, split.Memory, least)
	}
	if set := cost(func(c *runfile.Config) { c.Train.Examples = 1 << 20 }); set.Memory < base.Memory+8<<20 {
		t.Errorf("a set of 2^20 examples takes %d bytes, want 8 for each at least", set.Memory-base.Memory)
	}
	window := func(lengths string, dropout float64) int64 {
		return cost(func(c *runfile.Config) {
			c.Train.Lengths, c.Train.MicroTokens, c.Train.Batch, c.Train.Lanes, c.Train.Dropout = lengths, 4096, 64, 1, dropout
		}).Memory - empty
	}
	// Queries of long windows attend in blocks, but not with dropout.
	if short, long, whole := window("512..512", 0), window("2048..2048", 0), window("2048..2048", 0.1); long > 2*short || whole < 2*long {
		t.Errorf("windows of 512 tokens take %d bytes, of 2,048 %d, with dropout %d", short, long, whole)
	}
	absurd := cost(func(c *runfile.Config) {
		c.Train.Batch, c.Train.Lengths, c.Model.NLayers = 1<<31-1, "1..65536",
			1024
	})
	if absurd.Memory < 1<<60 {
		t.Errorf("an absurd run takes %d bytes: the product has overflowed", absurd.Memory)
	}
	pooled := cost(func(c *runfile.Config) { c.Train.Batch, c.Train.MicroTokens, c.Train.PoolSteps = 64, 64, 100 })
	// prompts and targets of 3 words and more
	if want := int64(2 * 28 * 99 * 64 * 8); pooled.Memory < split.Memory+want {
		t.Errorf("the tokens of 100 steps take %d bytes, want %d at least", pooled.Memory-split.Memory, want)
	}
	if base.Memory < empty+16*base.Parameters {
		t.Errorf("%d bytes do not hold %d parameters", base.Memory, base.Parameters)
	}
}
