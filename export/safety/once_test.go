package safety_test

import (
	"io/fs"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/foreigntest"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// copying is the file of a small model that has learned nothing, for the task copy.
func copying(t *testing.T) []byte {
	t.Helper()
	k, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	words := tasktest.Vocabulary(k)
	cfg := models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), 1),
		Card: card.Card{Tokenizer: words, Task: "copy", Trained: card.Lengths{Min: 1, Max: 2}}}.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestParsedOnce: to open a file, of zoo's or of another program, is to parse it once, whatever the
// engine.
func TestParsedOnce(t *testing.T) {
	for _, provider := range []string{"go", "cpu"} {
		if provider == "cpu" {
			orttest.Require(t)
		}
		for name, file := range map[string][]byte{"zoo's": copying(t), "another program's": (foreigntest.Decoder{}).Filled(1).File(t)} {
			if provider == "go" && name != "zoo's" {
				continue // its operators are for ONNX Runtime alone
			}
			n := safety.Parsings(func() {
				s, err := runtime.OpenBytes(file, runtime.Options{Provider: provider})
				if err != nil {
					t.Fatalf("%s, %s: %v", provider, name, err)
				}
				s.Close()
			})
			if n != 1 {
				t.Errorf("%s, %s: parsed %d times", provider, name, n)
			}
		}
	}
}

// TestParsedOncePlanned: a plan parses a model once, and so does each session of its run.
func TestParsedOncePlanned(t *testing.T) {
	file := copying(t)
	model := bench.Model{Label: "a", From: "a test", ONNX: func() ([]byte, fs.FS, error) { return file, nil, nil }}
	o := bench.Defaults()
	o.Providers, o.Samples, o.Batches = []string{"go"}, 2, []int{1, 2}
	o.Lengths = task.Spans(2)
	plan, err := bench.NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	if n := safety.Parsings(func() { err = plan.Add(t.Context(), model) }); err != nil || n != 1 {
		t.Fatalf("planned: parsed %d times, %v", n, err)
	}
	if n := safety.Parsings(func() { _, err = plan.Run(t.Context(), "", bench.Watch{}) }); err != nil || n != 2 {
		t.Errorf("run in two sessions: parsed %d times, %v", n, err)
	}
}
