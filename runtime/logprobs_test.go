package runtime_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// TestLogProbs: steps tell what the model's logits say of their tokens, however these were
// chosen.
func TestLogProbs(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{})
	odd := runtime.Sampling{Temperature: 2, TopK: 9, PresencePenalty: 1, LogitBias: map[int64]float64{7: 3}, Seed: 5}
	for _, sampling := range []runtime.Sampling{{}, odd} {
		for _, top := range []int{0, 1, 5, 50, 60} {
			opt := runtime.GenerateOptions{Sampling: sampling, Limits: []int{6, 2, 4, 6}, Stop: []int64{}}
			want := generate(t, s, ragged(), opt)
			opt.LogProbs, opt.TopLogProbs = true, top
			rows, told := make([][]int64, 4), make([][]runtime.LogProbs, 4)
			for step, err := range s.Generate(t.Context(), ragged(), opt) {
				if err != nil {
					t.Fatal(err)
				}
				for i, id := range step.Tokens {
					l := step.LogProbs[i]
					if id == runtime.NoToken {
						if l.Chosen != 0 || len(l.Top) > 0 {
							t.Errorf("row %d has ended and has log-probabilities %v", i, l)
						}
						continue
					}
					l.Top = slices.Clone(l.Top)
					rows[i], told[i] = append(rows[i], id), append(told[i], l)
				}
			}
			if diff := gocmp.Diff(want, rows); diff != "" {
				t.Errorf("tokens (-without log-probabilities +with): %s", diff)
			}
			for i, p := range ragged() {
				all := rowLogits(t, s, [][]int64{slices.Concat(p, rows[i])})[0]
				for k, l := range told[i] {
					at := len(p) + k - 1
					checkLogProbs(t, all[at*50:][:50], rows[i][k], top, l)
				}
			}
		}
	}
}

// checkLogProbs compares what was told of a token with the model's logits [V].
func checkLogProbs(t *testing.T, logits []float32, id int64, top int, l runtime.LogProbs) {
	t.Helper()
	sum := 0.0
	ids := make([]int64, len(logits))
	for i, v := range logits {
		sum += math.Exp(float64(v))
		ids[i] = int64(i)
	}
	log := func(id int64) float64 { return math.Log(math.Exp(float64(logits[id])) / sum) }
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }
	if !near(l.Chosen, log(id)) {
		t.Errorf("token %d has log-probability %v, want %v", id, l.Chosen, log(id))
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(logits[b], logits[a]) })
	if len(l.Top) != min(top, 50) {
		t.Fatalf("%d log-probabilities at the top, want %d of 50", len(l.Top), top)
	}
	for i, got := range l.Top {
		// Nearly equal ones may change places between two passes.
		if !near(got.LogProb, log(got.ID)) || !near(got.LogProb, log(ids[i])) {
			t.Errorf("place %d has token %d with %v, want %d with %v", i, got.ID, got.LogProb, ids[i], log(ids[i]))
		}
	}
}

// TestLogProbsEqual: of tokens that are equally probable the lowest ids come first. An
// untrained table gives all tokens but one the same logits.
func TestLogProbsEqual(t *testing.T) {
	pieces := []string{tokenizer.PadPiece, tokenizer.EOSPiece, "a", " b", "c", "d", "e", "f"}
	s := open(t, follower(t, pieces, "a b"), runtime.Options{Provider: "go"})
	opt := runtime.GenerateOptions{MaxNew: 1, LogProbs: true, TopLogProbs: 4}
	for step, err := range s.Generate(t.Context(), [][]int64{{2}}, opt) {
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		sum := 0.0
		for _, p := range step.LogProbs[0].Top {
			ids = append(ids, p.ID)
			sum += math.Exp(p.LogProb)
		}
		if want := (math.E + 3) / (math.E + 7); !slices.Equal(ids, []int64{3, 0, 1, 2}) || math.Abs(sum-want) > 1e-6 {
			t.Errorf("ids %v with probabilities of %v, want [3 0 1 2] with %v", ids, sum, want)
		}
	}
}
