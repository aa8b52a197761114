package models_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// attentionVariants are settings of the attention that go with any encoding.
var attentionVariants = map[string]func(c *models.Config){
	"qk-norm":      func(c *models.Config) { c.QKNorm = "rms" },
	"differential": func(c *models.Config) { c.Attention = "differential" },
	"entmax":       func(c *models.Config) { c.Attention = "entmax" },
	"sink":         func(c *models.Config) { c.AttentionSink = "learned" },
	"head gate":    func(c *models.Config) { c.AttentionGate = "head" },
	"element gate": func(c *models.Config) { c.AttentionGate = "element" },
	"zero sink":    func(c *models.Config) { c.AttentionSink = "zero" },
	"ssmax":        func(c *models.Config) { c.LogitScale, c.TrainedLength = "ssmax", 4 },
	"log-n":        func(c *models.Config) { c.LogitScale, c.TrainedLength = "log-n", 4 },
	"log-n slope":  func(c *models.Config) { c.LogitScale, c.TrainedLength, c.LogitSlope = "log-n", 4, 0.4 },
	"llama-4":      func(c *models.Config) { c.LogitScale, c.TrainedLength = "llama-4", 4 },
	"adaptive":     func(c *models.Config) { c.LogitScale = "adaptive" },
	"factor":       func(c *models.Config) { c.LogitFactors = []float64{1.5} },
	"factors":      func(c *models.Config) { c.LogitFactors = []float64{1.5, 0.5} },
	"all in a window": func(c *models.Config) {
		c.Window, c.TrainedLength, c.QKNorm, c.LogitScale = "5", 3, "rms", "log-n"
		c.Attention, c.AttentionSink, c.AttentionGate = "differential", "learned", "element"
	},
}

// scaleLogits multiplies the logits of the query at position t, z [H][n], in place.
func (w *twin) scaleLogits(l *twinLayer, t int, z [][]float64) {
	c, layer := w.cfg, l.index
	for h := range z {
		factor := 1.0
		switch n := len(c.LogitFactors); n {
		case 0:
		case c.NLayers * c.NHeads:
			factor = float64(float32(c.LogitFactors[layer*c.NHeads+h]))
		default:
			factor = float64(float32(c.LogitFactors[h%n]))
		}
		n, trained := float64(min(len(z[h]), w.seen(layer))), float64(c.TrainedLength)
		scale, layers := c.LogitScale, strings.Split(cmp.Or(c.Mixer, c.Encoding), "/") // no repeats
		if c.LogitLayers != "" && layers[layer%len(layers)] != c.LogitLayers {
			scale = ""
		}
		switch scale {
		case "ssmax":
			s := tensor.Data[float32](w.w[fmt.Sprintf("layers.%d.attn.ssmax_scale", layer)])[h]
			factor *= float64(s) * math.Log(n)
		case "log-n":
			if n > trained {
				factor *= 1 + float64(float32(c.LogitSlope))*math.Log(n/trained)
			}
		case "llama-4":
			factor *= 1 + float64(float32(c.LogitSlope))*math.Log(1+math.Floor(n/trained))
		case "adaptive":
			factor *= w.adaptiveFactor(l, h, t, n)
		}
		for j := range z[h] {
			z[h][j] *= factor
		}
	}
}

// differ makes of the weights of two heads, z [2][n], and their values what a pair gives.
func (w *twin) differ(l *twinLayer, pair int, z [][]float64) []float64 {
	at := fmt.Sprintf("layers.%d.attn.", l.index)
	product := func(q, k string) float64 {
		sum := 0.0
		for i, x := range tensor.Data[float32](w.w[at+q]) {
			sum += float64(x) * float64(tensor.Data[float32](w.w[at+k])[i])
		}
		return math.Exp(sum)
	}
	start := 0.8 - 0.6*math.Exp(-0.3*float64(l.index))
	lambda := product("lambda_q1", "lambda_k1") - product("lambda_q2", "lambda_k2") + float64(float32(start))
	width := 2 * w.cfg.DHead
	y := make([]float64, width)
	for j := range z[0] {
		for i, x := range l.v[j][pair*width:][:width] {
			y[i] += (z[0][j] - lambda*z[1][j]) * x
		}
	}
	y = w.norm(at+"pair_norm.weight", y)
	for i := range y {
		y[i] *= float64(float32(1 - start))
	}
	return y
}

// By hand: λ₀ is 0.2 in the first layer and 0.8 − 0.6 e^−0.3 ≈ 0.3555 in the second. Where
// both heads of a pair weigh alike, 1−λ of their weights is left, which the norm takes out
// again: the output does not depend on λ.
func TestDifferentialStart(t *testing.T) {
	cfg := micro("nope", "modern")
	cfg.Attention = "differential"
	m := newDecoder(t, cfg)
	g, _, err := m.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"const(float32[] [0.2])", "const(float32[] [0.35550907])"} {
		if !strings.Contains(g.String(), want) {
			t.Errorf("no layer has %s", want)
		}
	}
	last := func(lambda float32) []float64 {
		r := newRunner(t, m, models.Mode{}, 1)
		for name, w := range r.weights {
			for i := range tensor.Data[float32](w) {
				if strings.Contains(name, "lambda") {
					tensor.Data[float32](w)[i] = lambda
				} else if strings.HasSuffix(name, "q_proj.weight") {
					tensor.Data[float32](w)[i] = 0 // every head weighs alike
				}
			}
		}
		return r.step(tokens(5, 1))[0][4]
	}
	if d := worst(last(0), last(0.5)); d > 1e-4 { // the norm's epsilon is left of it
		t.Errorf("heads that weigh alike give outputs that differ by %g", d)
	}
}

// weighWithSink turns a head's logits of one query into weights; the sink has a share.
func (w *twin) weighWithSink(layer, head int, z []float64) []float64 {
	sink := 0.0
	if w.cfg.Attention == "entmax" {
		return entmax(z)
	}
	switch w.cfg.AttentionSink {
	case "":
		return w.weigh(z)
	case "learned":
		sink = float64(tensor.Data[float32](w.w[fmt.Sprintf("layers.%d.attn.sink", layer)])[head])
	}
	return w.weigh(append(slices.Clone(z), sink))[:len(z)]
}

// By hand: of a query that sees one key with the logit 0, and a sink of 0, half the weight
// goes to the key; without a sink all of it.
func TestSinkWeight(t *testing.T) {
	for sink, want := range map[string]float64{"none": 1, "zero": 0.5, "learned": 1 / (1 + math.E)} {
		cfg := micro("nope", "modern")
		cfg.AttentionSink = sink
		m := newDecoder(t, cfg)
		r := newRunner(t, m, models.Mode{Attentions: true}, 1)
		for name, w := range r.weights {
			data := tensor.Data[float32](w)
			for i := range data {
				if strings.HasSuffix(name, "q_proj.weight") {
					data[i] = 0 // all logits are 0
				} else if strings.HasSuffix(name, "sink") {
					data[i] = 1
				}
			}
		}
		out, err := r.prog.Run(t.Context(), r.feed(tokens(1, 1)), r.weights)
		if err != nil {
			t.Fatal(err)
		}
		if got := tensor.Data[float64](out["attentions.0"])[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: the key gets %v, want %v", sink, got, want)
		}
	}
}

// An encoding that replaces the softmax leaves no place for a sink, nor for entmax.
func TestNeedsSoftmax(t *testing.T) {
	for want, change := range map[string]func(c *models.Config){
		"attention_sink zero is part of the softmax, which the encoding":  func(c *models.Config) { c.AttentionSink = "zero" },
		"attention entmax replaces the softmax, and so does the encoding": func(c *models.Config) { c.Attention = "entmax" },
	} {
		cfg := micro("nope", "modern")
		change(&cfg)
		cfg, err := cfg.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = models.WithEncoding(cfg, linearWeights{}).Graph(models.Mode{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

// Factors for the heads of each layer: the graph and the twin agree, and layers differ.
func TestTwinFactorsOfLayers(t *testing.T) {
	cfg := micro("rope", "modern")
	cfg.LogitFactors = []float64{1.5, 0.5, 2, 1}
	m := newDecoder(t, cfg)
	w := twinOf(t, "rope", m.Config())
	w.w = lively(m)
	ids := tokens(7, 4)
	want := w.logits(ids)
	for i, got := range newRunner(t, m, models.Mode{}, 1).step(ids)[0] {
		same(t, fmt.Sprintf("token %d", i), got, want[i])
	}
}

// Where a query sees no more keys than in training, log-n changes no bit, and a factor of
// 1 none at all; beyond it log-n does.
func TestLogitScaleIdentity(t *testing.T) {
	plain := newDecoder(t, micro("rope", "modern"))
	ids := tokens(9, 1)
	want := newRunner(t, plain, models.Mode{}, 1).step(ids)[0]
	for name, change := range map[string]func(c *models.Config){
		"log-n":  func(c *models.Config) { c.LogitScale, c.TrainedLength, c.LogitSlope = "log-n", 7, 0.4 },
		"factor": func(c *models.Config) { c.LogitFactors = []float64{1} },
	} {
		cfg := micro("rope", "modern")
		change(&cfg)
		got := newRunner(t, newDecoder(t, cfg), models.Mode{}, 1).step(ids)[0]
		for i := range ids {
			if same := worst(got[i], want[i]) == 0; same != (name == "factor" || i < 7) {
				t.Errorf("%s: token %d is the same: %v", name, i, same)
			}
		}
	}
}

// The factor of log-n counts from the length in training: ln n/ln L unless a slope is given.
func TestLogitSlope(t *testing.T) {
	cfg := micro("nope", "modern")
	cfg.LogitScale, cfg.TrainedLength = "log-n", 40
	got, err := cfg.Resolve()
	if err != nil || math.Abs(1+got.LogitSlope*math.Log(200./40)-math.Log(200)/math.Log(40)) > 1e-12 {
		t.Errorf("slope %v, %v", got.LogitSlope, err)
	}
}

// ssmax starts with the factor 1 at the longest sequences of training: s is 1/ln 40 ≈ 0.271.
func TestSSMaxStart(t *testing.T) {
	cfg := micro("nope", "modern")
	cfg.LogitScale, cfg.TrainedLength = "ssmax", 40
	m := newDecoder(t, cfg)
	seen := 0
	for name, w := range models.InitWeights(m.Params(), 1) {
		if strings.HasSuffix(name, "ssmax_scale") {
			seen++
			for _, s := range tensor.Data[float32](w) {
				if math.Abs(float64(s)-0.27108) > 1e-5 {
					t.Errorf("%s starts at %v", name, s)
				}
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d layers have a scale", seen)
	}
}

// "none" is what no setting means: one configuration, stored as it was before there were
// these settings.
func TestNoVariant(t *testing.T) {
	cfg := micro("nope", "modern")
	plain, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Attention, cfg.QKNorm, cfg.LogitScale, cfg.AttentionSink = "softmax", "none", "none", "none"
	named, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := plain.MarshalJSON()
	b, _ := named.MarshalJSON()
	if string(a) != string(b) {
		t.Errorf("stored as %s and %s", a, b)
	}
	for _, key := range []string{`"attention"`, "qk_norm", "sink", "logit", "trained_length"} {
		if strings.Contains(string(a), key) {
			t.Errorf("stored as %s, with %s", a, key)
		}
	}
}

// Scales of one encoding's layers: the other layers have neither factors nor weights of them.
func TestTwinLogitLayers(t *testing.T) {
	for _, scale := range []string{"ssmax", "log-n", "llama-4", "adaptive"} {
		cfg := micro("rope/nope", "modern")
		cfg.LogitScale, cfg.LogitLayers, cfg.TrainedLength = scale, "nope", 4
		m := newDecoder(t, cfg)
		for _, p := range m.Params() {
			if strings.HasPrefix(p.Name, "layers.0.attn.s") {
				t.Errorf("%s: the layer with rope has the weight %s", scale, p.Name)
			}
		}
		likeTwin(t, scale, m)
	}
}

// Outputs that another program (numpy) computed by Llama 4's factors with a step at each second token.
func TestLlama4CheckValues(t *testing.T) {
	cfg := checkConfig("nope")
	cfg.LogitScale, cfg.TrainedLength = "llama-4", 2
	m := newDecoder(t, cfg)
	compareOutputs(t, "llama-4", checkOutputs(t, m, models.Mode{}, checkWeights(m)), [2][4]float64{
		{-0.5623998, -0.2240067, 0.6201239, 0.0642076}, {0.5508554, 0.2422809, -0.6132885, -0.0842432}}, -0.0620394)
}
