package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
)

func fitLogits(t *testing.T, m modelfile.Model, length int) []eval.Observation {
	t.Helper()
	return observed(t, ask(t, eval.MeasureLogits, opened(t, m), length, eval.RandomTokens))
}

// contentOnly is a model whose logits are drawn for each pair of tokens, and heed nothing else.
func contentOnly(t *testing.T, encoding string, scale float32) modelfile.Model {
	m := blank(t, models.Config{Encoding: encoding, DModel: 128, NLayers: 1, NHeads: 1, DHead: 128, DFF: 4})
	drawn, err := models.New(m.Config)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range models.InitWeights(drawn.Params(), 3) {
		if name == "embed.weight" || strings.Contains(name, "q_proj") || strings.Contains(name, "k_proj") {
			for i, v := range tensor.Data[float32](w) {
				tensor.Data[float32](m.Weights[name])[i] = scale * v
			}
		}
	}
	return m
}

// Logits that are made of what is known: ALiBi without content is distance alone, with its slope; content without
// an encoding is content alone; and with both the two parts stand apart.
func TestLogits(t *testing.T) {
	slopes := pe.ALiBiSlopes(2)
	all := fitLogits(t, blank(t, models.Config{Encoding: "alibi", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}), 10)
	for h, want := range slopes {
		v, f := all[h].Values, all[h].Series[0]
		if v["r2_distance"] < 1-1e-6 || v["r2_both"] < 1-1e-6 || math.Abs(v["r2_content"]) > 0.1 || all[h].Control["r2_both"] > 0.1 || v["r2_straight"] < 1-1e-6 ||
			!near(v["slope"], want, 1e-4) || !near(f[5], -5*want, 1e-3) || f[0] != 0 {
			t.Errorf("ALiBi, head %d: %+v", h, all[h])
		}
	}
	o := fitLogits(t, contentOnly(t, "nope", 20), 10)[0]
	if v := o.Values; v["r2_content"] < 1-1e-6 || v["r2_both"] < 1-1e-6 || math.Abs(v["r2_distance"]) > 0.1 || o.Control["r2_both"] > 0.1 ||
		math.Abs(v["slope"]) > 1e-3*v["sd"] || v["sd"] < 0.5 {
		t.Errorf("content: %+v", o)
	}
	o = fitLogits(t, contentOnly(t, "alibi", 1), 10)[0]
	if v := o.Values; v["r2_both"] < 1-1e-6 || !near(v["slope"], pe.ALiBiSlopes(1)[0], 1e-3) || v["r2_content"] > 0.99 || v["r2_distance"] > 0.99 {
		t.Errorf("content and ALiBi: %+v", o)
	}
	if v := o.Values; v["r2_place"] < -0.5 || v["r2_place"] > 0.5 || v["r2_content_place"] < 1-1e-6 {
		t.Errorf("content and ALiBi, which is a line of the place too: %+v", o)
	}
	all = fitLogits(t, placed(t), 10)
	if v, f := all[0].Values, all[0].Series[0]; v["r2_distance"] < 0.99 || v["r2_straight"] > 0.5 || f[1] < 10 || math.Abs(f[2]) > 0.1 {
		t.Errorf("the token before: %+v", all[0])
	}
	if all[1].Values["r2_both"] > 0.5 {
		t.Errorf("position 3 is neither content nor distance: %+v", all[1])
	}
	// Queries of 0 give logits of 0.
	o = fitLogits(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}), 10)[0]
	if v := o.Values; v["sd"] != 0 || v["r2_both"] != 0 || v["slope"] != 0 || v["pairs"] == 0 || o.Series != nil {
		t.Errorf("no logits: %+v", o)
	}
}

// Of two sequences the first is fitted on, and the second is tried: each of its queries from the third token on, and each key from
// the second on.
func TestLogitsHalves(t *testing.T) {
	m := opened(t, blank(t, models.Config{Encoding: "alibi", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}))
	r := ask(t, eval.MeasureLogits, m, 10, eval.RandomTokens)
	r.samples = 2
	o := observed(t, r)[0]
	n := o.SequenceTokens - 1 // keys of the last query
	if o.N != 1 || o.Values["pairs"] != float64(n*(n+1)/2-1) || o.Values["r2_distance"] < 1-1e-6 || o.Control["r2_both"] > 0.9 {
		t.Errorf("%+v", o)
	}
}

// A sliding window hides keys: they are not fitted. Two keys are enough to tell their difference.
func TestLogitsWindow(t *testing.T) {
	window := func(keys models.Windows) eval.Observation {
		return fitLogits(t, blank(t, models.Config{Encoding: "alibi", Window: keys, DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}), 10)[0]
	}
	slope := pe.ALiBiSlopes(1)[0]
	o := window("2")
	if f := o.Series[0]; o.Values["pairs"] != float64(6*2*(o.SequenceTokens-2)) || len(f) != 2 || !near(f[1], -slope, 1e-4) {
		t.Errorf("a window of 2: %+v", o)
	}
	o = window("4")
	f := o.Series[0]
	if o.Values["r2_distance"] < 1-1e-6 || !near(o.Values["slope"], slope, 1e-6) || len(f) != 4 || !near(f[3], -3*slope, 1e-4) {
		t.Errorf("%+v", o)
	}
}

// A line through values: what falls by ½ is straight; one value, and values that are all the same, have no slope.
func TestStraight(t *testing.T) {
	for _, tc := range []struct {
		values, weights []float64
		slope, r2       float64
	}{
		{[]float64{3, 2.5, 2}, []float64{1, 2, 5}, 0.5, 1}, {[]float64{0, 1, 0}, []float64{1, 1, 1}, 0, 0}, {[]float64{0, 4}, []float64{1, 0}, 0, 0},
		{[]float64{7}, []float64{3}, 0, 0}, {[]float64{2, 2}, []float64{1, 1}, 0, 0}, {nil, nil, 0, 0},
	} {
		if slope, r2 := straight(tc.values, tc.weights); !near(slope, tc.slope, 1e-12) || !near(r2, tc.r2, 1e-12) {
			t.Errorf("%v: slope %v, R² %v", tc.values, slope, r2)
		}
	}
}

// A term of distance, of the key's place and of content are told apart, by R² and by the attention that they give; a straight line of
// distance is one of the place.
func TestLogitsPlace(t *testing.T) {
	all := fitLogits(t, placed(t), 10)
	if v := all[0].Values; v["tv_distance"] > 0.01 || v["r2_place"] > 0.5 || v["tv_place"] < 0.5 || v["r2_positions"] < 0.99 {
		t.Errorf("the token before: %v", v)
	}
	if v := all[1].Values; v["r2_place"] < 0.99 || v["tv_place"] > 0.01 || v["r2_distance"] > 0.5 || v["tv_distance"] < 0.3 || v["r2_content_place"] < 0.99 {
		t.Errorf("position 3: %v", v)
	}
	v := fitLogits(t, blank(t, models.Config{Encoding: "alibi", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}), 10)[0].Values
	if v["r2_place"] < 1-1e-6 || v["tv_place"] > 1e-4 || v["tv_distance"] > 1e-4 || v["tv_even"] < 0.01 {
		t.Errorf("ALiBi: %v", v)
	}
	v = fitLogits(t, contentOnly(t, "nope", 20), 10)[0].Values
	if v["r2_place"] > 0.1 || v["tv_content"] > 1e-3 || v["tv_place"] < v["tv_even"]-0.05 || v["tv_even"] < 0.1 {
		t.Errorf("content: %v", v)
	}
}

// Theorem 2's second layer has content and a straight line of distance, which its weights write as one of the key's place.
func TestLogitsTheorem2(t *testing.T) {
	made, err := theory.Theorem2(64, []float64{0.25})
	if err != nil {
		t.Fatal(err)
	}
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	m := opened(t, modelfile.Model{Config: made.Config, Weights: made.Weights, Card: card.Card{Task: "copy", Tokenizer: tasktest.Vocabulary(words)}})
	m.words, m.first = made.Words, made.BOS
	all := observed(t, ask(t, eval.MeasureLogits, m, 10, eval.RandomTokens))
	if v := all[1].Values; v["r2_both"] < 0.999 || v["r2_content_place"] < 0.999 || v["tv_both"] > 0.01 || v["r2_content"] > 0.95 || v["r2_positions"] > 0.95 || !near(v["slope"], 0.25, 0.01) {
		t.Errorf("layer 1: %v", v)
	}
}
