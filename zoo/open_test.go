package zoo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// run makes a run with checkpoints after some steps, whose losses are the steps.
func run(t *testing.T, dir string, steps ...int) {
	t.Helper()
	c, err := runfile.Config{
		Model: models.Config{Encoding: "alibi", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..5", Seed: 1, Steps: 9, Batch: 2, LR: 1e-3, Beta1: 0.9, Beta2: 0.98, Eps: 1e-8,
			CheckpointEvery: 1, KeepCheckpoints: 9},
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.New(c.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), c.Write(dir)); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		w := models.InitWeights(m.Params(), uint64(step))
		made := &runfile.Checkpoint{Config: c, Step: step, Loss: float64(step), Weights: w, M: w, V: w}
		if err := files.WriteAtomic(runfile.Path(dir, step), made.Write); err != nil {
			t.Fatal(err)
		}
	}
}

// Open takes every kind of name, and its session knows the model.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "copy-alibi-s1")
	run(t, dir, 3, 6)
	found, err := zoo.Find(dir, zoo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := found.Load()
	if err != nil {
		t.Fatal(err)
	}
	file, _, err := found.ONNX(card.Fused)
	if err != nil {
		t.Fatal(err)
	}
	path, weights := filepath.Join(folder, "model.onnx"), filepath.Join(folder, "weights")
	if err := errors.Join(os.WriteFile(path, file, 0o600), hf.Write(weights, m)); err != nil {
		t.Fatal(err)
	}
	for name, profile := range map[string]string{
		dir: card.Portable, path: card.Fused, folder: card.Fused, weights: card.Portable, "copy-alibi-s1": card.Portable,
		"copy-alibi": card.Portable,
	} {
		s, err := zoo.Open(name, zoo.Options{Runs: folder, Catalogue: catalogue.Embedded()})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := s.Info().Card
		if c.Encoding != "alibi" || c.Task != "copy" || c.Profile != profile || name != "copy-alibi" && (c.Steps != 6 || *c.Loss != 6) {
			t.Errorf("%s: card %+v", name, c)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFindErrors(t *testing.T) {
	folder := t.TempDir()
	run(t, filepath.Join(folder, "some-run"))
	for name, want := range map[string]string{
		"some-ran":    `unknown model "some-ran"; did you mean "some-run"?`,
		"copy-rope":   `unknown model "copy-rope"; known: some-run`,
		"./copy-rope": "is neither a file nor a run directory, nor a folder with a model.onnx",
		folder:        "is neither a file nor a run directory, nor a folder with a model.onnx; it holds runs, of which one is named such as " + folder,
	} {
		if _, err := zoo.Open(name, zoo.Options{Runs: folder}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	_, err := zoo.Open("some-run", zoo.Options{Runs: folder})
	var of *runfile.RunError
	if !errors.Is(err, runfile.ErrNoCheckpoint) || !errors.As(err, &of) || of.Dir != filepath.Join(folder, "some-run") {
		t.Errorf("a run without a checkpoint: %v", err)
	}
}

// A damaged checkpoint is passed over where somebody is told, and else an error.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, 3, 6)
	if err := os.WriteFile(runfile.Path(dir, 6), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := zoo.Open(dir, zoo.Options{}); err == nil || !strings.Contains(err.Error(), "remove it to have the one before") {
		t.Errorf("error %v", err)
	}
	var told []error
	m, err := zoo.Find(dir, zoo.Options{Warn: func(err error) { told = append(told, err) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.At(zoo.Best); !errors.Is(err, runfile.ErrNoCheckpoint) || !strings.Contains(err.Error(), "train.eval_every") {
		t.Errorf("best of a run without evaluations: error %v", err)
	}
	told = nil
	if c, err := m.Checkpoint(); err != nil || c.Step != 3 || len(told) != 1 {
		t.Errorf("%+v, %v; told %v", c, err, told)
	}
}

// At has each checkpoint once, and labels say their steps.
func TestAt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	run(t, dir, 3, 6, 9)
	m, err := zoo.Find(dir, zoo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, labels, from string }{
		{"last", "r", "run " + dir + " (finished)"},
		{"last 9 6", "r@9 r@6", "run " + dir + " (finished)"},
		{"all", "r@3 r@6 r@9", "step 3 of run " + dir + " (finished)"},
		{"6 all", "r@6 r@3 r@9", "step 6 of run " + dir + " (finished)"},
	} {
		found, err := m.At(strings.Fields(c.words)...)
		var labels []string
		for _, at := range found {
			labels = append(labels, at.Label)
			if loaded, err := at.Load(); err != nil || len(found) > 1 && at.Label != fmt.Sprintf("r@%v", *loaded.Card.Loss) {
				t.Errorf("%s: %s has the card %+v, %v", c.words, at.Label, loaded.Card, err)
			}
		}
		if err != nil || strings.Join(labels, " ") != c.labels || found[0].From != c.from {
			t.Errorf("%s: %q, %v", c.words, labels, err)
		}
	}
	for word, want := range map[string]string{
		"bets": `unknown checkpoint "bets"; did you mean "best"?`, "best": "nothing was evaluated by step 9",
		"7": "no usable checkpoint at step 7", "-1": "unknown checkpoint",
	} {
		if _, err := m.At(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
	if m, err = zoo.Find("copy-rope", zoo.Options{Catalogue: catalogue.Embedded()}); err != nil {
		t.Fatal(err)
	}
	if same, err := m.At("last"); err != nil || same[0].Label != "copy-rope" {
		t.Errorf("%+v, %v", same, err)
	}
	if _, err := m.At("3"); err == nil || !strings.Contains(err.Error(), "the catalogue's copy-rope is no run") {
		t.Errorf("error %v", err)
	}
}
