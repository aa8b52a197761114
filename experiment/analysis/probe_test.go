package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/theory"
)

// Theorem 1's model writes the position into its hidden state: before its layer nothing linear tells it,
// after it all is told, of positions too that no probe was fitted on, and of longer sequences.
func TestProbeTheorem1(t *testing.T) {
	made, err := theory.Theorem1(64)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel("theorem 1", modelfile.Model{Config: made.Config, Weights: made.Weights,
		Card: card.Card{Tokenizer: made.Pieces}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	read := func(n, tokens int) []inside {
		var sequences []eval.Sequence
		for range n {
			ids := []int64{made.BOS}
			for len(ids) <= tokens {
				ids = append(ids, made.Words[rng.IntN(len(made.Words))])
			}
			sequences = append(sequences, eval.Sequence{IDs: ids, Prompt: 1})
		}
		out, err := m.states(t.Context(), Request{}, sequences, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	fitted, others, longer := read(20, 32), read(20, 32), read(10, 64)
	for layers, known := range []bool{false, true} {
		p, err := fitProbe(fitted, layers)
		if err != nil {
			t.Fatal(err)
		}
		same, beyond := p.try(others, layers, true), p.try(longer, layers, false)
		if known && (same.R2 < 0.999 || *same.Withheld < 0.999 || beyond.R2 < 0.999 || beyond.MeanError > 0.1) {
			t.Errorf("after the layer: %+v, withheld %v, beyond %+v", same, *same.Withheld, beyond)
		}
		// Of <bos> alone the position is known, 1 of 32.
		if !known && (same.R2 > 0.2 || same.Classified > 0.12 || beyond.R2 > 0.2) {
			t.Errorf("before the layer: %+v, beyond %+v", same, beyond)
		}
		if same.FitStates != 20*32 || same.Chance != 1.0/32 || beyond.Withheld != nil {
			t.Errorf("%+v", same)
		}
	}
}

// States that are one-hot positions: the classifier names each that it was fitted on, and none beyond.
func TestProbeOneHot(t *testing.T) {
	states := func(tokens int) []inside {
		in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, tokens*32)}}
		for p := range tokens {
			in.hidden[0][p*32+p] = 1
		}
		return []inside{in, in}
	}
	p, err := fitProbe(states(16), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.try(states(16), 0, true); got.Classified != 1 || *got.Withheld > 0.5 {
		t.Errorf("%+v, withheld %v", got, *got.Withheld)
	}
	if got := p.try(states(32), 0, false); got.Classified != 0.5 || got.R2 > 0 {
		t.Errorf("beyond: %+v", got)
	}
}
