package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
)

// drawn is a head whose weights of a sequence a function draws, over n sequences of random tokens.
func drawn(n, tokens int, weights func(rng *rand.Rand, ids []int64, m matches, t int, row []float32)) eval.Observation {
	rng := rand.New(rand.NewPCG(3, 3))
	h := head{rng: rng}
	g := newGroup(1, tokens)
	for range n {
		in := inside{ids: make([]int64, tokens), attention: [][]float32{make([]float32, tokens*tokens)}}
		for i := range in.ids {
			in.ids[i] = int64(rng.IntN(12))
		}
		m := newMatches(in.ids)
		for t := range tokens {
			weights(rng, in.ids, m, t, in.row(0, 0, t))
		}
		h.add(g, &in, 0, 0, m, -1)
	}
	h.end(g)
	o := eval.Observation{Values: map[string]float64{}, Control: map[string]float64{}}
	h.result(&o)
	return o
}

func TestDrawnHeads(t *testing.T) {
	induction := drawn(50, 24, func(_ *rand.Rand, _ []int64, m matches, t int, row []float32) {
		if keys := m.induction[t]; len(keys) > 0 {
			row[keys[len(keys)-1]] = 1
			return
		}
		row[0] = 1
	})
	if o := induction; o.Values[eval.RoleInduction] != 1 || o.Control[eval.RoleInduction] > 0.2 {
		t.Errorf("induction: %+v", o)
	}
	duplicate := drawn(50, 24, func(_ *rand.Rand, _ []int64, m matches, t int, row []float32) {
		keys := m.duplicate[t]
		for _, j := range keys {
			row[j] = 1 / float32(len(keys))
		}
		if len(keys) == 0 {
			row[0] = 1
		}
	})
	if o := duplicate; !near(o.Values[eval.RoleDuplicate], 1, 1e-6) || o.Control[eval.RoleDuplicate] > 0.2 {
		t.Errorf("duplicate: %+v", o)
	}
	anywhere := drawn(200, 24, func(rng *rand.Rand, _ []int64, _ matches, t int, row []float32) { row[rng.IntN(t+1)] = 1 })
	if anywhere.Values["positional"] > 0.02 || anywhere.Values["entropy"] != 0 {
		t.Errorf("one key at random: %v", anywhere.Values)
	}
	for _, role := range []string{eval.RolePrevious, eval.RoleFirst, eval.RoleDuplicate, eval.RoleInduction, eval.RoleOffset, eval.RolePosition} {
		if math.Abs(excess(anywhere, role)) > 0.1 || anywhere.Values[role+"_queries"] == 0 {
			t.Errorf("one key at random: %s %v, control %v", role, anywhere.Values[role], anywhere.Control[role])
		}
	}
	// Half of the weight one token back, the rest anywhere: the variance of the places is the one of
	// ½ at one of t+1 keys, and so is the variance of the keys drawn.
	half := drawn(2000, 24, func(rng *rand.Rand, _ []int64, _ matches, t int, row []float32) {
		row[max(t-1, 0)] += 0.5
		row[rng.IntN(t+1)] += 0.5
	})
	if !near(half.Values["positional"], 0.5, 0.02) || half.Values[eval.RolePrevious] < 0.5 {
		t.Errorf("half one token back: %v", half.Values)
	}
	none := drawn(2, 8, func(*rand.Rand, []int64, matches, int, []float32) {})
	if none.Values["mass"] != 0 || none.Values["queries"] != 0 || none.Values["distance"] != 0 || none.Values[eval.RolePrevious] != 0 {
		t.Errorf("a head without any weight: %v", none.Values)
	}
}

// A mistake is a query of the answer whose greatest logit is another token's; what stands before the answer is none.
func TestFirstMistake(t *testing.T) {
	in := inside{ids: make([]int64, 4), vocab: 2, logits: []float32{0, 1, 0, 1, 1, 0, 0, 1}} // predicts 1, 1, 0, 1
	for _, tc := range []struct {
		ids          []int64
		prompt, want int
	}{
		{[]int64{0, 0, 1, 0, 1}, 2, -1}, {[]int64{0, 0, 1, 0, 1}, 1, 0}, {[]int64{0, 1, 1, 1, 0}, 2, 2}, {[]int64{0, 1, 1, 1, 0}, 4, 3},
		{[]int64{0, 0, 0, 0, 1}, 3, -1},
	} {
		if got := firstMistake(&in, eval.Sequence{IDs: tc.ids, Prompt: tc.prompt}); got != tc.want {
			t.Errorf("%v after %d tokens: %d, want %d", tc.ids, tc.prompt, got, tc.want)
		}
	}
}

// Without weights a model predicts one token everywhere: every answer begins with a mistake, and has the distances of its first query.
func TestDistancesAtMistakes(t *testing.T) {
	m := opened(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}))
	o := observed(t, ask(t, eval.MeasureAttention, m, 3, eval.TaskTokens))[0]
	first := float64(o.SequenceTokens - 3 - 1) // 3 words and the end follow the prompt, and the end is not read
	if v := o.Values; v["correct"] != 0 || v["mistake_queries"] != float64(o.N) || !near(v["mistake_distance"], first/2, 1e-4) ||
		v["queries"] != 4*float64(o.N) || !near(v["distance"], (first+1.5)/2, 1e-4) {
		t.Errorf("%+v", o)
	}
	o = observed(t, ask(t, eval.MeasureAttention, m, 3, eval.RandomTokens))[0]
	if _, there := o.Values["mistake_queries"]; there {
		t.Errorf("random tokens have mistakes: %+v", o)
	}
	if _, there := o.Values["correct"]; there {
		t.Errorf("random tokens have answers: %+v", o)
	}
}

// A map has the weights of the shortest sequence, and more tokens than cells share them: each row still has the whole weight.
func TestMaps(t *testing.T) {
	r := ask(t, eval.MeasureAttention, opened(t, placed(t)), 4, eval.TaskTokens)
	if o := observed(t, r)[0]; o.Series != nil {
		t.Errorf("nobody asked for %v", o.Series)
	}
	r.maps = true
	all := observed(t, r)
	previous := all[0].Series
	if len(previous) != 11 || len(previous[5]) != 11 || previous[5][4] != 1 || previous[0][0] != 1 || all[1].Series[5][3] != 1 {
		t.Errorf("%v", all)
	}
	const tokens = 96 // two to a cell
	in := inside{ids: make([]int64, tokens), attention: [][]float32{make([]float32, tokens*tokens)}}
	for q := range tokens {
		in.row(0, 0, q)[q/2] = 0.75
		in.row(0, 0, q)[0] += 0.25
	}
	small := shrink(&in, 0, 0)
	if len(small) != 48 || small[40][20] != 0.75 || small[40][0] != 0.25 || small[40][21] != 0 || small[0][0] != 1 {
		t.Errorf("%d rows: %v", len(small), small[40])
	}
}

// A query's greatest weight is near or far by its share of what the query sees; of equal ones the farthest counts, or its own.
// Without weight there is nothing.
func TestRegions(t *testing.T) {
	one := func(keys, at int) []float32 {
		row := make([]float32, keys)
		row[at] = 1
		return row
	}
	for _, tc := range []struct {
		name         string
		weights      []float32
		local, start float64
		queries      int
	}{
		{"the query's own", one(10, 9), 1, 0, 1}, {"a tenth back", one(10, 8), 0, 0, 1}, {"0.075 back", one(40, 36), 0, 0, 1}, {"0.05 back", one(40, 37), 1, 0, 1},
		{"0.825 back", one(40, 6), 0, 0, 1}, {"0.85 back", one(40, 5), 0, 1, 1}, {"the first", one(10, 0), 0, 1, 1},
		{"all equal", []float32{0.25, 0.25, 0.25, 0.25}, 1, 0, 1}, {"two equal", []float32{0.5, 0, 0.5, 0, 0, 0, 0, 0}, 0, 1, 1}, {"none", make([]float32, 4), 0, 0, 0},
	} {
		var d distances
		d.add(tc.weights, sumOf(tc.weights))
		if d.local != tc.local || d.start != tc.start || d.queries != tc.queries {
			t.Errorf("%s: %+v", tc.name, d)
		}
	}
}

func TestDistances(t *testing.T) {
	var d distances
	d.add([]float32{0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0.3}, 0.4) // 9 back ¼, 0 back ¾, of a mass of 0.4
	d.add([]float32{0.25, 0.25, 0.25, 0.25}, 1)
	o := eval.Observation{Values: map[string]float64{}, Control: map[string]float64{}}
	d.result(&o, "mistake_")
	entropy, evenEntropy := (-0.25*math.Log(0.25)-0.75*math.Log(0.75)+math.Log(4))/2, (math.Log(10)+math.Log(4))/2
	for name, want := range map[string]float64{"queries": 2, "distance": (9*0.25 + 1.5) / 2, "entropy": entropy, "distance_p10": 0, "distance_p50": 0,
		"distance_p90": 9, "top_local": 1, "top_start": 0} {
		if !near(o.Values["mistake_"+name], want, 1e-6) {
			t.Errorf("%s is %v, want %v", name, o.Values["mistake_"+name], want)
		}
	}
	if !near(o.Control["mistake_distance"], 3, 1e-6) || !near(o.Control["mistake_entropy"], evenEntropy, 1e-6) {
		t.Errorf("of even attention: %v", o.Control)
	}
}

// Theorem 1's head, in the first layer of Theorem 2's model too, attends evenly, and the heads of the
// second layer as ALiBi's formula says.
func TestTheorems(t *testing.T) {
	slopes := pe.ALiBiSlopes(2)[:1] // 1/16
	slopes = append(slopes, 0.25)
	made, err := theory.Theorem2(64, slopes)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel("theorem 2", modelfile.Model{Config: made.Config, Weights: made.Weights,
		Card: card.Card{Tokenizer: made.Pieces}})
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{made.BOS}
	for len(ids) < 65 {
		ids = append(ids, made.Words[0])
	}
	all, err := ask(t, eval.MeasureAttention, m, 5, eval.RandomTokens).attention(t.Context(), []eval.Sequence{{IDs: ids, Prompt: 57}, {IDs: ids, Prompt: 57}}, func() {})
	if err != nil || len(all) != 4 {
		t.Fatalf("%d observations, %v", len(all), err)
	}
	if o := all[0]; !near(o.Values[eval.RoleEven], 1, 1e-5) || o.Values["distance"] != o.Control["distance"] {
		t.Errorf("theorem 1: %+v", o)
	}
	alone, err := ask(t, eval.MeasureAttention, m, 5, eval.RandomTokens).attention(t.Context(), []eval.Sequence{{IDs: ids, Prompt: 57}}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"positional", eval.RoleDuplicate} { // two sequences tell position from content, one does not
		_, two := all[0].Values[name]
		if _, one := alone[0].Values[name]; !two || one {
			t.Errorf("%s: of two sequences %v, of one %v", name, two, one)
		}
	}
	// From so far on <bos> has no weight at this slope, and the distances are geometric.
	if o, want := all[3], 1/(math.Exp(0.25)-1); !near(o.Values["distance"], want, 0.01) || o.Layer != 1 {
		t.Errorf("theorem 2, slope ¼: distance %v, want %v", o.Values["distance"], want)
	}
}

// The best place is seen by half of the queries; of equal ones it is the first. Its control is the best of the shuffled weights.
func TestPlaces(t *testing.T) {
	p := places{queries: 4}
	for place, scores := range [][]float64{{0.25, 0.25, 0.25, 0.25}, {0.75, 1}, {1}, {0.875, 0.875}} {
		for _, score := range scores {
			p.add(place, score, score/float64(2+place))
		}
	}
	o := eval.Observation{Values: map[string]float64{}, Control: map[string]float64{}}
	p.role(&o, "offset")
	if o.Values["offset"] != 0.875 || o.Values["offset_at"] != 1 || o.Values["offset_queries"] != 2 || !near(o.Control["offset"], 0.875/3, 1e-12) {
		t.Errorf("%+v", o)
	}
}

// The first token of a sequence has no token before it.
func TestFirstQuery(t *testing.T) {
	var f fixed
	rng := rand.New(rand.NewPCG(1, 1))
	f.add([]float32{1}, 1, rng)
	f.add([]float32{0.75, 0.25}, 1, rng)
	if f.previous != (tally{0.75, 0.5, 1}) || f.first != (tally{1.75, 1.5, 2}) || f.offset.queries != 2 {
		t.Errorf("%+v", f)
	}
}
