package train_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// What a model fits to the longest sequence is stored with the configuration: the same for all
// seeds, the same when it is resolved again, and not where it is given.
func TestFittedToTheLongest(t *testing.T) {
	cfg := micro("fire", 1)
	cfg.Train.Lengths, cfg.Train.Batch = "6..6", 64
	cfg, _ = resolved(t, cfg)
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"threshold":%d}`, batches[0].IDs.Shape()[1]/2)
	change := map[string]func(c *runfile.Config){
		"as it is":        func(*runfile.Config) {},
		"another seed":    func(c *runfile.Config) { c.Train.Seed++ },
		"shorter as well": func(c *runfile.Config) { c.Train.Lengths = "1..6" },
		"resolved again":  func(c *runfile.Config) { *c, _ = resolved(t, *c) },
	}
	for name, f := range change {
		c := micro("fire", 1)
		c.Train.Lengths = "6..6"
		f(&c)
		if c, _ = resolved(t, c); string(c.Model.EncodingParams) != want {
			t.Errorf("%s: settings %s, want %s", name, c.Model.EncodingParams, want)
		}
	}
	given := micro("fire", 1)
	given.Model.EncodingParams = json.RawMessage(`{"threshold":3}`)
	if given, _ = resolved(t, given); string(given.Model.EncodingParams) != `{"threshold":3}` {
		t.Errorf("settings %s, want those given", given.Model.EncodingParams)
	}
	if plain, _ := resolved(t, micro("rope", 1)); plain.Model.EncodingParams != nil {
		t.Errorf("rope got settings %s", plain.Model.EncodingParams)
	}
}

// The digits that abacus counts are the vocabulary's.
func TestFittedToTheVocabulary(t *testing.T) {
	cfg := micro("abacus", 1)
	cfg.Train.Task, cfg.Train.Lengths = "addition", "1..3"
	cfg, _ = resolved(t, cfg)
	var settings struct{ Digits []int }
	if err := json.Unmarshal(cfg.Model.EncodingParams, &settings); err != nil {
		t.Fatal(err)
	}
	about, err := (&runfile.Checkpoint{Config: cfg}).Card("")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, id := range settings.Digits {
		found[strings.TrimSpace(about.Tokenizer[id])] = true
	}
	if len(found) != 10 {
		t.Errorf("the digits are %v", found)
	}
	for i := range 10 {
		if !found[fmt.Sprint(i)] {
			t.Errorf("%d is no digit", i)
		}
	}
	cfg = micro("abacus", 1)
	cfg.Train.Task, cfg.Train.Lengths = "scan", ""
	if _, err := cfg.Resolve(); err == nil || !strings.Contains(err.Error(), "abacus counts digits") {
		t.Errorf("on a task without digits: %v", err)
	}
}
