package models_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// A head without weights is one whose part of the output matrix is 0, and one that gives the
// mean of its values is one without queries, where the encoding adds nothing: in all tokens, with and
// without padding and a cache, and in a window.
func TestAblation(t *testing.T) {
	const width = 8 // of a head of the small models
	for _, tc := range []struct{ ablation, encoding, window, name string }{
		{"1.0", "rope", "", "layers.1.attn.o_proj.weight"}, {"zero:1.0", "alibi", "3", "layers.1.attn.o_proj.weight"},
		{"1.0", "stick-breaking", "", "layers.1.attn.o_proj.weight"},
		{"even:1.0", "nope", "", "layers.1.attn.q_proj.weight"}, {"even:1.0", "nope", "3", "layers.1.attn.q_proj.weight"},
	} {
		cfg := micro(tc.encoding, "modern")
		cfg.Window = models.Windows(tc.window)
		plain := newDecoder(t, cfg)
		cfg.Ablation = tc.ablation
		ablated := newDecoder(t, cfg)
		ids := tokens(9, 1)
		for _, mode := range modes {
			got, want := newRunner(t, ablated, mode, 2), newRunner(t, plain, mode, 2)
			untouched := newRunner(t, plain, mode, 2)
			data := tensor.Data[float32](want.weights[tc.name])
			columns := want.weights[tc.name].Shape()[1]
			for i := range data {
				if head := i / columns / width; strings.Contains(tc.name, "q_proj") && head == 0 {
					data[i] = 0
				} else if strings.Contains(tc.name, "o_proj") && i%columns/width == 0 {
					data[i] = 0
				}
			}
			padded := append([]int64{-1, -1}, ids[:len(ids)-2]...)
			x, y, z := got.step(ids, padded), want.step(ids, padded), untouched.step(ids, padded)
			for row, from := range []int{0, 2} {
				for i := from; i < len(ids); i++ {
					if worst(x[row][i], y[row][i]) > 1e-9 {
						t.Errorf("%s of %s, window %q, %s: row %d, token %d: off by %g", tc.ablation, tc.encoding, tc.window,
							modeName(mode), row, i, worst(x[row][i], y[row][i]))
					}
				}
				if last := len(ids) - 1; worst(x[row][last], z[row][last]) < 1e-6 {
					t.Errorf("%s of %s: the ablation has no effect", tc.ablation, tc.encoding)
				}
			}
		}
	}
}

// A head that is ablated by a mean m is one that gives nothing, and W_o·m in the bias of the output matrix.
func TestMeanAblation(t *testing.T) {
	cfg := micro("rope", "gpt2")
	cfg.Ablation = "zero:1.1"
	zero := newDecoder(t, cfg)
	cfg.Ablation = "mean:1.1"
	mean := newDecoder(t, cfg)
	average := make([]float32, 16)
	for i := range average {
		average[i] = float32(i%5) - 1.5
	}
	for _, mode := range modes {
		got, want := newRunner(t, mean, mode, 1), newRunner(t, zero, mode, 1)
		for name, w := range mean.Config().HeadMeans(map[int][]float32{1: average}) {
			got.weights[name] = w
		}
		out := tensor.Data[float32](want.weights["layers.1.attn.o_proj.weight"]) // [16,16]
		bias := tensor.Data[float32](want.weights["layers.1.attn.o_proj.bias"])
		for i := range bias {
			for k := 8; k < 16; k++ { // of head 1
				bias[i] += out[i*16+k] * average[k]
			}
		}
		ids := tokens(9, 1)
		x, y := got.step(ids), want.step(ids)
		for i := range ids {
			if worst(x[0][i], y[0][i]) > 1e-5 {
				t.Errorf("%s, token %d: off by %g", modeName(mode), i, worst(x[0][i], y[0][i]))
			}
		}
	}
	cfg.Attention = "differential"
	if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), "subtracts its heads in pairs") {
		t.Errorf("differential: error %v", err)
	}
}

func TestAblationErrors(t *testing.T) {
	for ablation, want := range map[string]string{
		"0":        `ablation "0": "0": want LAYER.HEAD`,
		"0.1,":     `"": want LAYER.HEAD`,
		"0.01":     `"0.01": want LAYER.HEAD`,
		"0.1,0.1":  "the head 0.1 stands there twice",
		"half:0.1": "want zero, even or mean before the colon",
		"2.0":      "there is no head 2.0; layers are 0 to 1, and heads 0 to 1",
		"0.2":      "there is no head 0.2",
		"-1.0":     "there is no head -1.0",
	} {
		i := models.Intervention{Ablation: ablation}
		_, err := i.Apply(micro("rope", "modern"), longest)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %s", ablation, err, want)
		}
	}
	_, err := (models.Intervention{Ablation: "0.1"}).Apply(models.Config{Encoding: "lstm", DModel: 8, DFF: 8, VocabSize: 9}, longest)
	if err == nil || !strings.Contains(err.Error(), "lstm has no attention") {
		t.Errorf("lstm: error %v", err)
	}
	i := models.Intervention{Ablation: "mean:0.1", Factors: []float64{2}}
	if i.String() != "factor=2, ablate=mean:0.1" {
		t.Errorf("%q", i)
	}
	cfg, err := i.Apply(micro("rope", "modern"), longest)
	if err != nil || cfg.Ablation != "mean:0.1" {
		t.Errorf("%q, %v", cfg.Ablation, err)
	}
}
