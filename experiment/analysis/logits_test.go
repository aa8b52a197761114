package analysis_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

func fitLogits(t *testing.T, m modelfile.Model, length int) []eval.Finding {
	t.Helper()
	model, err := analysis.NewModel("made", m)
	if err != nil {
		t.Fatal(err)
	}
	found, err := analysis.Logits(t.Context(), model, request(t, length, eval.TaskTokens), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := eval.WriteFindings(&strings.Builder{}, found...); err != nil {
		t.Fatal(err)
	}
	return found
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
	found := fitLogits(t, blank(t, models.Config{Encoding: "alibi", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}), 10)
	for h, want := range slopes {
		l := found[h].Logits
		if l.Distance < 1-1e-6 || l.Both < 1-1e-6 || math.Abs(l.Content) > 0.1 || l.Null > 0.1 || l.Straight < 1-1e-6 ||
			!near(l.Slope, want, 1e-4) || !near(l.Shape[5], -5*want, 1e-3) || l.Shape[0] != 0 {
			t.Errorf("ALiBi, head %d: %+v", h, l)
		}
	}
	l := fitLogits(t, contentOnly(t, "nope", 20), 10)[0].Logits
	if l.Content < 1-1e-6 || l.Both < 1-1e-6 || math.Abs(l.Distance) > 0.1 || l.Null > 0.1 || math.Abs(l.Slope) > 1e-3*l.SD || l.SD < 0.5 {
		t.Errorf("content: %+v", l)
	}
	l = fitLogits(t, contentOnly(t, "alibi", 1), 10)[0].Logits
	if l.Both < 1-1e-6 || !near(l.Slope, pe.ALiBiSlopes(1)[0], 1e-3) || l.Content > 0.99 || l.Distance > 0.99 {
		t.Errorf("content and ALiBi: %+v", l)
	}
	placed := fitLogits(t, placed(t), 10)
	if l := placed[0].Logits; l.Distance < 0.99 || l.Straight > 0.5 || l.Shape[1] < 10 || math.Abs(l.Shape[2]) > 0.1 {
		t.Errorf("the token before: %+v", l)
	}
	if l := placed[1].Logits; l.Both > 0.5 {
		t.Errorf("position 3 is neither content nor distance: %+v", l)
	}
	if l := fitLogits(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}), 10)[0].Logits; l.SD != 0 || l.Both != 0 || l.Slope != 0 {
		t.Errorf("no logits: %+v", l)
	}
}

// A sliding window hides keys: they are not fitted.
func TestLogitsWindow(t *testing.T) {
	m := blank(t, models.Config{Encoding: "alibi", Window: "4", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4})
	l := fitLogits(t, m, 10)[0].Logits
	slope := pe.ALiBiSlopes(1)[0]
	if l.Distance < 1-1e-6 || !near(l.Slope, slope, 1e-6) || len(l.Shape) != 4 || !near(l.Shape[3], -3*slope, 1e-4) {
		t.Errorf("%+v", l)
	}
}

// Beyond the last position there is a finding that says so, and a single sequence is refused.
func TestLogitsRefused(t *testing.T) {
	if f := fitLogits(t, placed(t), 20); len(f) != 1 || !f[0].NA || f[0].Measure != eval.FindLogits {
		t.Errorf("%+v", f)
	}
	model, err := analysis.NewModel("made", modelfile.Model{Config: placed(t).Config, Weights: placed(t).Weights,
		Card: card.Card{Task: "copy", Tokenizer: placed(t).Card.Tokenizer}})
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, 4, eval.RandomTokens)
	r.Samples = 1
	if _, err := analysis.Logits(t.Context(), model, r, nil); err == nil || !strings.Contains(err.Error(), "n is 1") {
		t.Errorf("error %v", err)
	}
}
