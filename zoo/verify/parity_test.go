package verify

import (
	"errors"
	"slices"
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

// Sessions agree or do not, and none is open beside another one.
func TestAgree(t *testing.T) {
	var before *runtime.Session
	opened := func(seed uint64) opener {
		return func() (*runtime.Session, error) {
			if before != nil {
				if _, err := before.Logits(t.Context(), [][]int64{{1}}); !errors.Is(err, runtime.ErrClosed) {
					t.Errorf("the session before is open: %v", err)
				}
			}
			before = open(t, seed)
			return before, nil
		}
	}
	if worst, err := agree(t.Context(), opened(1), opened(1), opened(1)); err != nil || worst != 0 {
		t.Errorf("a model differs from itself by %v: %v", worst, err)
	}
	_, err := agree(t.Context(), opened(2), opened(1), opened(1))
	if err == nil || !strings.Contains(err.Error(), "differs by") || !strings.Contains(err.Error(), "at 7 tokens") {
		t.Errorf("two different models: %v, want an error that names the difference at 7 tokens", err)
	}
	if d, err := difference(t.Context(), [2]opener{opened(1), opened(2)}, nil); err != nil || !(d.Logit > 0) || len(d.Accuracy) != 3 {
		t.Errorf("two different models: %+v, %v", d, err)
	}
}

// Small models are verified at multiples of the trained length, large ones at fixed lengths; neither beyond their last position.
func TestVerifiedLengths(t *testing.T) {
	for _, tc := range []struct {
		parameters int64
		most       int
		want       []int
	}{{1000, 0, []int{16, 64, 128}}, {1000, 40, []int{16, 40, 40}}, {largeModel + 1, 0, []int{16, 64, 128}}, {largeModel + 1, 100, []int{16, 64, 100}}} {
		got, err := verifiedLengths(card.Card{Parameters: tc.parameters, MaxLength: tc.most})
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%d parameters, at most %d: %v, %v", tc.parameters, tc.most, got, err)
		}
	}
	c := open(t, 1).Info().Card
	if got, err := verifiedLengths(c); err != nil || slices.Equal(got, largeLengths) {
		t.Errorf("a trained model: %v, %v", got, err)
	}
	if c.Parameters = largeModel + 1; true {
		if got, err := verifiedLengths(c); err != nil || !slices.Equal(got, largeLengths) {
			t.Errorf("a large trained model: %v, %v", got, err)
		}
	}
}
