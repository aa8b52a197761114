package train_test

import (
	"reflect"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Samples and position ids follow the data's seed, weights and dropout the other one.
func TestDataSeed(t *testing.T) {
	seeded := func(seed, data uint64) runfile.Config {
		c := drawing("rope", card.Offset, 64)
		c.Train.Seed, c.Train.DataSeed = seed, data
		c, _ = resolved(t, c)
		return c
	}
	drawn := func(c runfile.Config) []train.Batch {
		batches, err := train.Draw(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		return batches
	}
	a, sameData, otherData := seeded(3, 7), seeded(4, 7), seeded(3, 8)
	if !reflect.DeepEqual(drawn(a), drawn(sameData)) || !reflect.DeepEqual(drawn(a), drawn(seeded(7, 0))) {
		t.Error("the data change with the seed of the weights")
	}
	if reflect.DeepEqual(drawn(a), drawn(otherData)) {
		t.Error("the data do not change with their seed")
	}
	for name, c := range map[string]runfile.Config{"copy-rope-p-s3d7": a, "copy-rope-p-s4d7": sameData, "copy-rope-p-s3": seeded(3, 3)} {
		if got := c.Dir("", "p", true); got != name {
			t.Errorf("called %s, want %s", got, name)
		}
	}
	if seeded(3, 3).Hash() != seeded(3, 0).Hash() || a.Hash() == seeded(3, 0).Hash() {
		t.Error("hashes: the same seed given twice is one, and two seeds are another configuration")
	}

	begun := func(c runfile.Config) (map[string]*tensor.Tensor, string) {
		weights, _, err := train.Begin(c)
		if err != nil {
			t.Fatal(err)
		}
		described, err := (&runfile.Checkpoint{Config: c}).Card("")
		if err != nil || described.Seed != c.Train.Seed || described.DataSeed != c.Train.DataSeed {
			t.Errorf("the card says %v, %v, %v", described.Seed, described.DataSeed, err)
		}
		return weights, described.DataHash
	}
	w, data := begun(a)
	if other, hash := begun(sameData); reflect.DeepEqual(w, other) || hash != data {
		t.Error("the weights do not follow their seed, or the hash of the data does")
	}
	if other, hash := begun(otherData); !reflect.DeepEqual(w, other) || hash == data {
		t.Error("the weights follow the data's seed, or the hash of the data does not")
	}
}
