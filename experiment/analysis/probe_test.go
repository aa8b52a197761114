package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
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
		out, err := request{model: m}.readAll(t.Context(), sequences, func() {})
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
		same, beyond := tried(p, others, layers, true), tried(p, longer, layers, false)
		v := same.Values
		if known && (v["r2"] < 0.999 || v["r2_withheld"] < 0.999 || beyond.Values["r2"] < 0.999 || beyond.Values["mean_error"] > 0.1) {
			t.Errorf("after the layer: %v, beyond %v", v, beyond.Values)
		}
		// Of <bos> alone the position is known, 1 of 32.
		if !known && (v["r2"] > 0.2 || v["classified"] > 0.12 || beyond.Values["r2"] > 0.2) {
			t.Errorf("before the layer: %v, beyond %v", v, beyond.Values)
		}
		if _, withheld := beyond.Values["r2_withheld"]; v["fit_states"] != 20*32 || same.Control["classified"] != 1.0/32 || withheld {
			t.Errorf("%+v", same)
		}
	}
}

// tried is what a probe reads of states.
func tried(p *probe, outputs []inside, layers int, same bool) eval.Observation {
	o := eval.Observation{Layer: layers, Values: map[string]float64{}, Control: map[string]float64{}}
	p.try(&o, outputs, same)
	return o
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
	if got := tried(p, states(16), 0, true).Values; got["classified"] != 1 || got["r2_withheld"] > 0.5 {
		t.Errorf("%v", got)
	}
	if got := tried(p, states(32), 0, false).Values; got["classified"] != 0.5 || got["r2"] > 0 {
		t.Errorf("beyond: %v", got)
	}
}

// A state that tells the share of the sequence that is read is no absolute position: a probe of one length reads it there and at no
// other length, a probe of several lengths nowhere. Theorem 1's states are read at each.
func TestProbeMixed(t *testing.T) {
	share := func(tokens int) inside {
		in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, tokens)}}
		for p := range tokens {
			in.hidden[0][p] = float32(p) / float32(tokens)
		}
		return in
	}
	one, err := fitProbe([]inside{share(32)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	several, err := fitProbe([]inside{share(8), share(16), share(24), share(32)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r2 := one.r2([]inside{share(32)}, 0); r2 < 0.999 {
		t.Errorf("one length: R² %v there", r2)
	}
	for _, tokens := range []int{8, 16} {
		if a, b := one.r2([]inside{share(tokens)}, 0), several.r2([]inside{share(tokens)}, 0); a > 0 || b > 0.7 {
			t.Errorf("%d tokens: R² %v by one length, %v by several", tokens, a, b)
		}
	}
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newConstructed(&Model{Card: card.Card{Tokenizer: tasktest.Vocabulary(words)}})
	if err != nil {
		t.Fatal(err)
	}
	r := ask(t, eval.MeasureProbe, m, 5, eval.RandomTokens)
	r.fitLength = 10
	all := observed(t, r)
	if v := all[1].Values; v["r2_mixed"] < 0.999 || v["mixed_states"] == 0 || all[0].Values["r2_mixed"] > 0.5 {
		t.Errorf("theorem 1: %v after its layer, %v before", v, all[0].Values)
	}
}

// Sequences of several lengths to fit on are none of those that are tried.
func TestMixed(t *testing.T) {
	r := ask(t, eval.MeasureProbe, opened(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4})), 6, eval.TaskTokens)
	r.fitLength = 12
	tried, err := r.sequences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.mixed(t.Context(), tried)
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[int]int{}
	for _, s := range all {
		lengths[len(s.IDs)]++
		for _, other := range tried {
			if slices.Equal(s.IDs, other.IDs) {
				t.Errorf("%v is tried", s.IDs)
			}
		}
	}
	if len(lengths) < mixedLengths || len(all) <= r.samples {
		t.Errorf("%d sequences of %v tokens", len(all), lengths)
	}
}

// The position of a single state explains nothing: R² is 0, not a division by 0.
func TestR2OfOne(t *testing.T) {
	var one readings
	one.add(3, 2)
	if got := one.r2(); got != 0 {
		t.Errorf("R² %v", got)
	}
}
