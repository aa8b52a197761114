package main

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo"
)

// untrained returns the file of a small model with random weights that claims
// to have learnt copy up to length 2.
func untrained(encoding string, seed uint64) ([]byte, error) {
	return untrainedProfile(encoding, seed, card.Portable)
}

func untrainedProfile(encoding string, seed uint64, profile string) ([]byte, error) {
	t, err := task.Lookup("copy")
	if err != nil {
		return nil, err
	}
	words := t.Vocabulary()
	cfg := models.Config{Encoding: encoding, DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}
	m, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	c := card.Card{Tokenizer: words, Task: t.Name, Trained: card.Lengths{Min: 1, Max: 2}}
	return zoo.Build(cfg, models.InitWeights(m.Params(), seed), c, profile)
}

func TestAgree(t *testing.T) {
	open := func(seed uint64) *runtime.Session {
		data, err := untrained("rope", seed)
		if err != nil {
			t.Fatal(err)
		}
		s, err := runtime.OpenBytes(data, runtime.Options{Provider: "go"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	a, b := open(1), open(2)
	if worst, err := agree(t.Context(), a, a, a, a.Info().Card); err != nil || worst != 0 {
		t.Errorf("a model differs from itself by %v: %v", worst, err)
	}
	_, err := agree(t.Context(), a, a, b, a.Info().Card)
	if err == nil || !strings.Contains(err.Error(), "differs by") || !strings.Contains(err.Error(), "at 8 tokens") {
		t.Errorf("two different models: %v, want an error that names the difference at 8 tokens", err)
	}
}
