package analysis

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// copier copies words of one length by their place alone: of a state at position p the features 0 to 3 are p/100, 1, p and
// p². The one head's logit is 2(t−back)·j − j² times 8, greatest at j = t − back, with t from the first of them and j
// from the others: the one in which the position varies least, where a probe's direction is therefore. The state is so
// wide that a random direction has little of it. Norms do nothing, as in package theory.
func copier(t *testing.T, r Request) *Model {
	t.Helper()
	const small, places = 1.0 / (1 << 32), 64
	pieces := r.Task.Vocabulary()
	const width, words = 1024, 4
	cfg := models.Config{Settings: "faithful", Encoding: "learned", EncodingParams: json.RawMessage(`{"max_length":64}`),
		HeadScale: "none", NormEps: 0.25, DModel: width, NLayers: 1, NHeads: 1, DHead: len(pieces), DFF: 4, VocabSize: len(pieces)}
	made, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	file := modelfile.Model{Config: made.Config(), Weights: models.InitWeights(made.Params(), 1),
		Card: card.Card{Task: r.Task.Name, Trained: card.Lengths{Min: 1, Max: r.Length}, Tokenizer: pieces}}
	for name, w := range file.Weights {
		data := tensor.Data[float32](w)
		clear(data)
		for i := range data {
			if name == "norm.weight" {
				data[i] = 0.5 / small / small
			} else if strings.Contains(name, "norm") {
				data[i] = 0.5 / small
			}
		}
	}
	set := func(name string, row, column int, v float64) {
		w := file.Weights[name]
		tensor.Data[float32](w)[row*w.Shape()[1]+column] = float32(v)
	}
	for p := range places {
		set("position.weight", p, 0, float64(p)*small/100)
		set("position.weight", p, 1, small)
		set("position.weight", p, 2, float64(p)*small)
		set("position.weight", p, 3, float64(p*p)*small)
	}
	m, err := NewModel("copier", file)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := r.sequences(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	s := drawn[0]
	back := s.Prompt - 1 - slices.Index(s.IDs, s.IDs[s.Prompt])
	const sharp, at = 8, "layers.0.attn."
	set(at+"q_proj.weight", 0, 0, 200*sharp)
	set(at+"q_proj.weight", 0, 1, -2*sharp*float64(back))
	set(at+"q_proj.weight", 1, 1, -sharp)
	set(at+"k_proj.weight", 0, 2, 1)
	set(at+"k_proj.weight", 1, 3, 1)
	for i := range pieces {
		set("embed.weight", i, words+i, small)
		set(at+"v_proj.weight", i, words+i, 1)
		set(at+"o_proj.weight", words+i, i, 5*small)
	}
	return m
}

// A model that finds what it copies by one feature, the position, no longer does without it, nor with that of
// another token; a random direction moves that feature little, and after the layer the position is of no use.
func TestCausal(t *testing.T) {
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Task: words, Length: 6, Samples: 12, Seed: 1, Tokens: eval.TaskTokens}
	m := copier(t, r)
	found, err := Causal(t.Context(), m, r, r.Length, nil)
	if err != nil || len(found) != 2 {
		t.Fatalf("%d findings, %v", len(found), err)
	}
	if err := eval.WriteFindings(&strings.Builder{}, found...); err != nil {
		t.Fatal(err)
	}
	c := found[0].Causal
	// Of 7 tokens the end token alone, which is not in the prompt, is wrong.
	if c.Before.Tokens != 12*7 || c.Before.TokensCorrect != 12*6 || c.Before.Correct != 0 {
		t.Errorf("before %+v", c.Before)
	}
	if c.R2 < 0.999 || c.Ablated.Share() > 0.3 || c.Patched.Share() > 0.4 {
		t.Errorf("without the position: %+v", c)
	}
	if c.AblatedControl.Share() < c.Ablated.Share()+0.3 || c.PatchedControl.Share() < c.Patched.Share()+0.3 {
		t.Errorf("a random direction: %+v", c)
	}
	if last := found[1].Causal; last.Ablated != last.Before || last.Patched != last.Before {
		t.Errorf("after the layer: %+v", last)
	}
}

// Theorem 1's direction is its third feature: without it the position cannot be read, by its own logit or by a
// probe that is fitted anew; and what is changed is that feature alone.
func TestDirection(t *testing.T) {
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewConstructed(&Model{Card: card.Card{Tokenizer: words.Vocabulary()}})
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Task: words, Length: 20, Samples: 10, Seed: 1, Tokens: eval.RandomTokens}
	sequences, err := r.sequences(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	states, err := m.states(t.Context(), r, sequences, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := fitProbe(states, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := p.direction()
	if math.Abs(math.Abs(d.unit[2])-1) > 1e-3 {
		t.Errorf("direction %v", d.unit)
	}
	after, err := fitProbe(ablated(states, 1, d), 1)
	if err != nil {
		t.Fatal(err)
	}
	if before, left := p.try(states, 1, false).R2, after.try(ablated(states, 1, d), 1, false).R2; before < 0.999 || left > 0.2 {
		t.Errorf("R² %v, and %v without the direction", before, left)
	}
	in := states[0]
	plain, err := m.read(t.Context(), in.ids, readOptions{})
	if err != nil {
		t.Fatal(err)
	}
	moved, err := m.read(t.Context(), in.ids, readOptions{shift: m.shifts(&in, 1, d.toMean(in.hidden[1]), d.unit)})
	if err != nil {
		t.Fatal(err)
	}
	position := plain.vocab - 1 // the token whose logit is the position
	for at := range in.ids {
		was, is := plain.logits[at*plain.vocab+position], moved.logits[at*plain.vocab+position]
		if math.Abs(float64(was)-float64(at+1)) > 0.01 || math.Abs(float64(is)-float64(len(in.ids)+1)/2) > 1 {
			t.Errorf("position %d: read %v, and %v at the mean", at+1, was, is)
		}
	}
}
