package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/modelfile/hf"
	_ "github.com/nopezoo/zoo/tokenizer/hf"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

const words = `{"added_tokens": [], "decoder": {"type": "Fuse"},
	"model": {"type": "BPE", "vocab": {"a": 3, "b": 4, " ": 5, "c": 6, "d": 7}, "merges": []}}`

// pretrained copies a fixture, with a tokenizer, and has the sources of a run that begins with it.
func pretrained(t *testing.T, fixture string) configs.Sources {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(fixture))
	if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	var documents []task.Document
	for i := range 60 {
		documents = append(documents, task.Document{Text: strings.Repeat("ab cd a ", 4) + strings.Repeat("dbca "[:1+i%5], 1+i)})
	}
	from, err := train.StartAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	var values []configs.Value
	for key, value := range map[string]string{"task": "text:" + tasktest.WriteCorpus(t, "ab.jsonl", documents), "lengths": "16..16",
		"steps": "11", "batch": "2", "checkpoint_every": "4", "threads": "2"} {
		values = append(values, configs.Value{Key: "train." + key, Value: value})
	}
	return configs.Sources{From: from, Overrides: values}
}

// A run begins with the model as its family has it, whatever the preset says of its own.
func TestPlanFromPretrained(t *testing.T) {
	fixtures, err := filepath.Glob("../../modelfile/hf/testdata/pretrained/*")
	if err != nil || len(fixtures) < 40 {
		t.Fatalf("%d fixtures, %v", len(fixtures), err)
	}
	for _, fixture := range fixtures {
		s := pretrained(t, fixture)
		runs, err := launch.Plan("", s)
		if err != nil {
			t.Errorf("%s: %v", fixture, err)
			continue
		}
		want, err := hf.Describe(s.From.Run)
		if err != nil {
			t.Fatal(err)
		}
		got := runs[0].Config.Model
		got.EncodingParams, want.Config.EncodingParams = sorted(t, got.EncodingParams), sorted(t, want.Config.EncodingParams)
		if diff := cmp.Diff(want.Config, got); diff != "" {
			t.Errorf("%s (-folder +run):\n%s", fixture, diff)
		}
	}
}

// sorted is a JSON object with its keys in order.
func sorted(t *testing.T, object []byte) []byte {
	t.Helper()
	if len(object) == 0 {
		return nil
	}
	var values map[string]any
	if err := json.Unmarshal(object, &values); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Interrupted and resumed, a run from a pretrained model has the same bits, and does not need the model any more; before its
// first checkpoint it does, with the weights that it had.
func TestPretrainedResumes(t *testing.T) {
	orttest.Require(t)
	s := pretrained(t, "../../modelfile/hf/testdata/pretrained/gemma3_text")
	s.Encodings = []string{"nope"}
	runs, err := launch.Plan("", s)
	if err != nil {
		t.Fatal(err)
	}
	begin := func() (*train.Trainer, string) {
		dir := t.TempDir()
		r, err := train.New(dir, runs[0].Config, train.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		return r, dir
	}
	whole, wholeDir := begin()
	if err := whole.Run(t.Context(), func(journal.Stats) {}); err != nil {
		t.Fatal(err)
	}
	parts, partsDir := begin()
	ctx, cancel := context.WithCancel(t.Context())
	err = parts.Run(ctx, func(s journal.Stats) {
		if s.Step == 5 {
			cancel()
		}
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted, it ends with %v", err)
	}
	parts.Close()
	_, early := begin()

	weights := filepath.Join(s.From.Run, "model.safetensors")
	data, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-2] ^= 1 // of a number's high bits: a gain 1 + w may round a low one away
	if err := os.WriteFile(weights, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := train.New(t.TempDir(), runs[0].Config, train.Options{}); err == nil || !strings.Contains(err.Error(), "others now") {
		t.Errorf("with a changed weight it begins: %v", err)
	}
	if err := os.RemoveAll(s.From.Run); err != nil {
		t.Fatal(err)
	}
	if c, err := runfile.ReadConfig(early); err != nil {
		t.Errorf("before its first checkpoint it cannot be described: %v", err)
	} else if _, err := train.New(t.TempDir(), c, train.Options{}); err == nil {
		t.Error("it begins without the model")
	}

	again, err := launch.Begun(partsDir)
	if err == nil {
		again[0], err = again[0].Look()
	}
	if err != nil || again[0].Step != 5 {
		t.Fatalf("%+v, %v", again, err)
	}
	if parts, err = again[0].Open(train.Options{}); err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	if err := parts.Run(t.Context(), func(journal.Stats) {}); err != nil {
		t.Fatal(err)
	}
	a, _, err := runfile.Latest(wholeDir)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := runfile.Latest(partsDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range a.Tensors() {
		if !tensor.Equal(w, b.Tensors()[name]) {
			t.Errorf("%s differs", name)
		}
	}
	if c, err := b.Card(""); err != nil || c.Pretrained == nil || c.Pretrained.Family != "gemma3_text" || c.Steps != 11 {
		t.Errorf("its card: %+v, %v", c, err)
	}
}
