package verify

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// open opens a small model with random weights that claims to have learnt copy up to
// length 2.
func open(t *testing.T, seed uint64) *runtime.Session {
	t.Helper()
	copied, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	words := tasktest.Vocabulary(copied)
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32,
		VocabSize: len(words)})
	if err != nil {
		t.Fatal(err)
	}
	c := card.Card{Tokenizer: words, Task: copied.Name, Trained: card.Lengths{Min: 1, Max: 2}}
	whole := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), seed), Card: c}
	data, err := whole.ONNX(card.Portable)
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

func TestAgree(t *testing.T) {
	a, b := open(t, 1), open(t, 2)
	if worst, err := agree(t.Context(), a, a, a); err != nil || worst != 0 {
		t.Errorf("a model differs from itself by %v: %v", worst, err)
	}
	_, err := agree(t.Context(), a, a, b)
	if err == nil || !strings.Contains(err.Error(), "differs by") || !strings.Contains(err.Error(), "at 8 tokens") {
		t.Errorf("two different models: %v, want an error that names the difference at 8 tokens", err)
	}
}
