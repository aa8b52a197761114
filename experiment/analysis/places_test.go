package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// Queries are patched where the next one has another right token that is not the last, each once.
func TestPatched(t *testing.T) {
	s := eval.Sequence{IDs: []int64{1, 2, 5, 5, 6, 5, 7}, Prompt: 2}
	got := patched(s, rand.New(rand.NewPCG(1, 1)))
	slices.Sort(got)
	if !slices.Equal(got, []int{2, 3}) {
		t.Errorf("%v", got)
	}
	in := inside{ids: make([]int64, 6), vocab: 8, logits: make([]float32, 6*8)}
	in.logits[2*8+6], in.logits[3*8+6] = 1, 1
	var p patch
	for _, t := range got {
		p.add(&in, s, t, 1)
	}
	if p != (patch{moved: 1, kept: 1, queries: 2}) {
		t.Errorf("%+v", p)
	}
}

func TestCopiedFrom(t *testing.T) {
	for _, c := range []struct {
		ids    []int64
		prompt int
		want   int
	}{
		{[]int64{1, 5, 6, 7, 2, 5, 6, 7, 3}, 5, 4},
		{[]int64{1, 5, 5, 6, 2, 5, 5, 6, 3}, 5, 4},
		{[]int64{5, 6, 5, 6, 3}, 2, 2},
		{[]int64{1, 5, 6, 7, 2, 7, 6, 5, 3}, 5, 0}, // reversed
		{[]int64{1, 5, 6, 2, 5, 6, 6, 3}, 4, 0},    // longer than what it is copied from
		{[]int64{1, 2, 3}, 2, 0},                   // an answer of the last token alone
	} {
		if got := copiedFrom(eval.Sequence{IDs: c.ids, Prompt: c.prompt}); got != c.want {
			t.Errorf("%v: %d, want %d", c.ids, got, c.want)
		}
	}
}

// States at places are means over the sequences that have the place; steps lead from one to the next, where both halves of the
// sequences have it.
func TestPlaceMeans(t *testing.T) {
	states := []inside{
		{ids: make([]int64, 2), hidden: [][]float32{{1, 2, 3, 4}}},
		{ids: make([]int64, 3), hidden: [][]float32{{3, 4, 5, 8, 9, 9}}},
	}
	if diff := cmp.Diff([][]float64{{2, 3}, {4, 6}, {9, 9}}, meansOf(states, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	means := newPlaceMeans(states)
	if diff := cmp.Diff([][]float64{{2, 3}, nil}, [][]float64{means.step(0, 0, 1), means.step(0, 1, 1)}); diff != "" {
		t.Errorf("only one half has the last place (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{-2, -2}, means.noPlace(0, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := means.shared(0, 0); got != 2*2+2*4 {
		t.Errorf("the steps of both halves have %v in common", got)
	}
	if diff := cmp.Diff([][]float32{{2, 3, 0, 0, -2, -3}}, states[1].swapAt(0, 0, 2, []float64{2, 3})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1.5, -2}, asLong([]float64{3, -4}, []float64{0, 2.5})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
