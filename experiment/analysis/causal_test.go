package analysis

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"gonum.org/v1/gonum/floats"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// copier copies words of one length by their place alone: of a state at position p the features 0 to 4 are p/100, 1, p + n, p² and
// n, which is 1,000 and −1,000 in turn. The one head's logit is 2(t−back)·j − j² times 8, greatest at j = t − back, with t from the
// first of them and j from the others: the one that a probe reads, for in the others n hides the position. The state is so wide
// that a random direction has little of it. Norms do nothing, as in package theory.
func copier(t *testing.T, r request) *Model {
	t.Helper()
	const small, places = 1.0 / (1 << 32), 64
	pieces := tasktest.Vocabulary(r.task)
	const width, words = 512, 5
	cfg := models.Config{Settings: "faithful", Encoding: "learned", EncodingParams: json.RawMessage(`{"max_length":64}`),
		HeadScale: "none", NormEps: 0.25, DModel: width, NLayers: 1, NHeads: 1, DHead: len(pieces), DFF: 4, VocabSize: len(pieces)}
	made, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	file := modelfile.Model{Config: made.Config(), Weights: models.InitWeights(made.Params(), 1),
		Card: card.Card{Task: r.task.Name, Trained: card.Lengths{Min: 1, Max: r.length}, Tokenizer: pieces}}
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
		hidden := float64(1000 - 2000*(p%2))
		set("position.weight", p, 2, (float64(p)+hidden)*small)
		set("position.weight", p, 4, hidden*small)
		set("position.weight", p, 3, float64(p*p)*small)
	}
	m, err := NewModel("copier", file)
	if err != nil {
		t.Fatal(err)
	}
	r.model = m
	drawn, err := r.sequences(t.Context())
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
	set(at+"k_proj.weight", 0, 4, -1)
	set(at+"k_proj.weight", 1, 3, 1)
	for i := range pieces {
		set("embed.weight", i, words+i, small)
		set(at+"v_proj.weight", i, words+i, 1)
		set(at+"o_proj.weight", words+i, i, 5*small)
	}
	return m
}

// A model that finds what it copies by one feature, the position, no longer does without it, and copies the next word with the next
// position; a random direction has little of that feature, and after the layer the position is of no use.
func TestCausal(t *testing.T) {
	r := ask(t, eval.MeasureCausal, nil, 6, eval.TaskTokens)
	r.model = copier(t, r)
	all, err := r.without(t.Context(), 1, func() {})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d observations, %v", len(all), err)
	}
	reread(t, all)
	v, control := all[0].Values, all[0].Control
	// Of 7 tokens the end token alone, which is not in the prompt, is wrong.
	if v["tokens"] != 12*7 || v["before_tokens"] != 12*6 || v["before_correct"] != 0 {
		t.Errorf("before %v", v)
	}
	share := func(numbers map[string]float64, name string) float64 { return numbers[name+"_tokens"] / v["tokens"] }
	if v["r2"] < 0.999 || share(v, "ablated") > 0.3 || share(control, "ablated") < share(v, "ablated")+0.3 {
		t.Errorf("without the position: %v, at random: %v", v, control)
	}
	for _, name := range []string{"patched", "swapped"} { // the head finds its key by the query's position and by the key's
		if q := v[name+"_queries"]; q != 12*mostPatched || v[name+"_moved"] != q || v[name+"_kept"] != 0 || control[name+"_moved"] > 2 {
			t.Errorf("%s: %v, as long without a place: %v", name, v, control)
		}
	}
	if v["reversed_moved"] != 0 || v["far_queries"] != 0 || !near(v["place"]/v["step"], 1, 1e-6) { // a step is the place alone
		t.Errorf("%v", v)
	}
	last := all[1]
	if last.Values["ablated_tokens"] != last.Values["before_tokens"] || last.Values["shuffled_tokens"] != last.Values["before_tokens"] ||
		last.Values["patched_moved"] != 0 || last.Values["swapped_moved"] != 0 || last.Values["swapped_kept"] != 12*mostPatched {
		t.Errorf("after the layer: %v", last)
	}
}

// A sequence is right if each of its tokens is; others in front do not matter.
func TestScore(t *testing.T) {
	in := inside{ids: make([]int64, 4), vocab: 2, logits: []float32{0, 1, 0, 1, 1, 0, 0, 1}} // predicts 1, 1, 0, 1
	var s score
	s.add(&in, eval.Sequence{IDs: []int64{0, 0, 1, 0, 1}, Prompt: 2})
	s.add(&in, eval.Sequence{IDs: []int64{0, 1, 1, 1, 1}, Prompt: 2})
	s.add(&in, eval.Sequence{IDs: []int64{0, 0, 0, 0, 1}, Prompt: 3})
	if s != (score{correct: 2, right: 7, tokens: 8}) {
		t.Errorf("%+v", s)
	}
}

// Theorem 1's direction is its third feature: without it the position cannot be read, by its own logit or by a
// probe that is fitted anew; and what is changed is that feature alone.
func TestDirection(t *testing.T) {
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newConstructed(&Model{Card: card.Card{Tokenizer: tasktest.Vocabulary(words)}})
	if err != nil {
		t.Fatal(err)
	}
	r := ask(t, eval.MeasureProbe, m, 20, eval.RandomTokens)
	sequences, err := r.sequences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states, err := r.readAll(t.Context(), sequences, func() {})
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
	var along subspace
	if !along.add(d) || along.add(d) {
		t.Fatalf("a direction is one, and is there once: %d", len(along))
	}
	after, err := fitProbe(ablated(states, 1, along), 1)
	if err != nil {
		t.Fatal(err)
	}
	if before, left := p.r2(states, 1), after.r2(ablated(states, 1, along), 1); before < 0.999 || left > 0.2 {
		t.Errorf("R² %v, and %v without the direction", before, left)
	}
	in := states[0]
	plain, err := m.read(t.Context(), in.ids, readOptions{})
	if err != nil {
		t.Fatal(err)
	}
	moved, err := m.read(t.Context(), in.ids, readOptions{shift: along.shiftToMean(&in, 1)})
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

// States of which three features tell the position, each with noise of its own, lose it with three directions, and
// those are the features'.
func TestFindPosition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	made := func() (all []inside) {
		for range 40 {
			const width, tokens = 8, 20
			in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, tokens*width)}}
			for i := range in.hidden[0] {
				in.hidden[0][i] = float32(rng.NormFloat64())
				if i%width < 3 {
					in.hidden[0][i] += float32(i/width) - 10
				}
			}
			all = append(all, in)
		}
		return all
	}
	inputs, outputs := made(), made()
	o := eval.Observation{Values: map[string]float64{}}
	v := o.Values
	found, err := findPosition(newSums(inputs, 0), outputs, 1, &o)
	if err != nil {
		t.Fatal(err)
	}
	// One direction is nearly the sum of the three, and at right angles to it there is noise.
	if len(found) != 1 || v["directions"] != 1 || v["r2"] < 0.98 || v["r2_after"] > v["r2"]/2 {
		t.Errorf("the same in three features: %d directions, %v", len(found), v)
	}
	for _, all := range [][]inside{inputs, outputs} { // now each tells some positions alone
		for _, in := range all {
			for i := range in.hidden[0] {
				if k := i % 8; k < 3 && (i/8)%3 != k {
					in.hidden[0][i] = 0
				}
			}
		}
	}
	if found, err = findPosition(newSums(inputs, 0), outputs, 1, &o); err != nil {
		t.Fatal(err)
	}
	if v["directions"] != 1 || v["r2"] < 0.8 || v["r2_after"] > v["r2"]/2 {
		t.Errorf("each third in one: %v", v)
	}
	for i, d := range found {
		outside := 0.0
		for k, v := range d.unit {
			if k >= 3 {
				outside += v * v
			}
		}
		if outside > 0.05 {
			t.Errorf("direction %d is of features that tell nothing: %v", i, d.unit)
		}
		for _, other := range found[:i] {
			if math.Abs(floats.Dot(d.unit, other.unit)) > 1e-9 {
				t.Errorf("directions %v and %v are not at right angles", d.unit, other.unit)
			}
		}
	}
	for _, in := range inputs {
		for i := range in.hidden[0] {
			in.hidden[0][i] = float32(rng.NormFloat64())
		}
	}
	if found, err = findPosition(newSums(inputs, 0), inputs, 3, &o); err != nil || len(found) != 3 || v["r2"] > 0.1 {
		t.Errorf("states without a position: %d directions, %v, error %v", len(found), v, err)
	}
	none, err := findPosition(newSums([]inside{{ids: make([]int64, 4), hidden: [][]float32{make([]float32, 8)}}}, 0),
		[]inside{{ids: make([]int64, 4), hidden: [][]float32{make([]float32, 8)}}}, mostDirections, &o)
	if err != nil || len(none) != 0 || v["directions"] != 0 {
		t.Errorf("states of 0: %v, %v, error %v", none, v, err)
	}
}

// Features that tell the position at scales of their own keep it until each has lost a direction: a probe reads features of variance
// 1, and its direction is not the one along which states move.
func TestFindPositionScales(t *testing.T) {
	const tokens, width = 20, 4
	in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, tokens*width)}}
	for i := range in.hidden[0] {
		in.hidden[0][i] = float32(i/width) * float32(int(1)<<(i%width))
	}
	o := eval.Observation{Values: map[string]float64{}}
	found, err := findPosition(newSums([]inside{in}, 0), []inside{in}, mostDirections, &o)
	if err != nil || len(found) != width || o.Values["r2_after"] > 0.5*o.Values["r2"] {
		t.Errorf("%d directions, %v, error %v", len(found), o.Values, err)
	}
}

// Random directions have the variance of those that they stand beside, or as near as there is, and are at right angles.
func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const width, tokens = 6, 500
	in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, width*tokens)}}
	for i := range in.hidden[0] {
		in.hidden[0][i] = float32(float64(1+i%width) * rng.NormFloat64())
	}
	all := newSums([]inside{in}, 0)
	unit := func(feature int) direction {
		d := direction{unit: make([]float64, width)}
		d.unit[feature] = 1
		return d
	}
	as := subspace{unit(4), unit(1)}
	found, err := alike(all, as, rng)
	if err != nil || len(found) != 2 || math.Abs(floats.Dot(found[0].unit, found[1].unit)) > 1e-9 {
		t.Fatalf("%v, %v", found, err)
	}
	for k, d := range found {
		if got, want := all.variance(d), all.variance(as[k]); !near(got, want, 1e-6*want) || math.Abs(floats.Dot(d.unit, as[k].unit)) > 0.99 {
			t.Errorf("variance %v along %v, want %v", got, d.unit, want)
		}
	}
	none := subspace{{unit: make([]float64, width)}} // of variance 0, which no direction has
	if found, err = alike(all, none, rng); err != nil || len(found) != 1 || all.variance(found[0]) > 1.5 {
		t.Errorf("%v, %v", found, err)
	}
}

// Where states tell the position in one feature of many that are alike, directions of shuffled positions leave it there.
func TestDirectionsShuffled(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var all []inside
	for range 20 {
		const width, tokens = 16, 20
		in := inside{ids: make([]int64, tokens), hidden: [][]float32{make([]float32, tokens*width)}}
		for i := range in.hidden[0] {
			if in.hidden[0][i] = float32(6 * rng.NormFloat64()); i%width == 7 {
				in.hidden[0][i] = float32(i / width)
			}
		}
		all = append(all, in)
	}
	o := eval.Observation{Values: map[string]float64{}, Control: map[string]float64{}}
	d, err := findDirections(all[:10], all[10:], 1, rng, &o)
	if err != nil || len(d.position) != 1 || len(d.shuffled[4]) != 1 || len(d.random[4]) != 1 || !near(o.Control["variance"], o.Values["variance"], 1e-6*o.Values["variance"]) ||
		!near(o.Values["shuffled_variance"], 36, 6) {
		t.Fatalf("%v, %v, %v", d, o, err)
	}
	for name, along := range map[string]subspace{"shuffled": d.shuffled[1], "random": d.random[2]} {
		p, err := fitProbe(ablated(all[:10], 0, along), 0)
		if err != nil {
			t.Fatal(err)
		}
		if left := p.r2(ablated(all[10:], 0, along), 0); left < 0.9 || o.Values["r2_after"] > 0.1 {
			t.Errorf("%s: R² %v is left, without the position %v", name, left, o.Values["r2_after"])
		}
	}
}
