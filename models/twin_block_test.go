package models_test

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// blockVariants are settings of the block that go with any encoding.
var blockVariants = map[string]func(c *models.Config){
	"key heads":       func(c *models.Config) { c.NHeads, c.DHead, c.NKVHeads = 4, 4, 2 },
	"one key head":    func(c *models.Config) { c.NKVHeads, c.Bias, c.QKNorm = 1, "qkv", "rms" },
	"gated":           func(c *models.Config) { c.MLP, c.Activation, c.Bias = "gated", "silu", "mlp" },
	"gelu exact":      func(c *models.Config) { c.Activation = "gelu_exact" },
	"gated gelu":      func(c *models.Config) { c.MLP, c.Activation = "gated", "gelu" },
	"output norms":    func(c *models.Config) { c.NormPlace, c.QKNorm, c.NKVHeads = "output", "rms-all", 1 },
	"both norms":      func(c *models.Config) { c.NormPlace, c.EmbedScale = "both", 4 },
	"norms after":     func(c *models.Config) { c.NormPlace, c.Norm, c.Bias = "after", "layer", "linear" },
	"parallel":        func(c *models.Config) { c.Residual, c.Norm, c.Bias = "parallel", "layer", "out,head" },
	"parallel shared": func(c *models.Config) { c.Residual, c.Head, c.Bias = "parallel-shared", "untied", "mlp,head" },
	"normed residual": func(c *models.Config) { c.Residual, c.Norm, c.EmbedNorm = "normed", "layer", "layer" },
	"untied":          func(c *models.Config) { c.Head, c.HeadScale = "untied", "0.25" },
	"caps":            func(c *models.Config) { c.AttentionCap, c.LogitCap, c.AttentionScale = 2, 3, "0.75" },
	"multipliers":     func(c *models.Config) { c.EmbedScale, c.ResidualScale, c.ClipQKV = 3, 0.5, 0.5 },
	"layer of heads":  func(c *models.Config) { c.QKNorm, c.NKVHeads, c.Norm = "layer", 1, "layer" },
	"layer by head":   func(c *models.Config) { c.QKNorm, c.NKVHeads = "layer-by-head", 1 },
}

// number is a factor that the graph has as float32.
func number(setting string, features int) float64 {
	switch setting {
	case "sqrt":
		return float64(float32(1 / math.Sqrt(float64(features))))
	case "none":
		return 1
	}
	x, err := strconv.ParseFloat(setting, 64)
	if err != nil {
		panic(err)
	}
	return float64(float32(x))
}

// cap bounds z in place by c·tanh(z/c).
func (w *twin) cap(z []float64, c float64) {
	for i := range z {
		if c != 0 {
			z[i] = c * math.Tanh(z[i]/c)
		}
	}
}

// layerNorm is LayerNorm; weights of more rows than one are cut from row on.
func (w *twin) layerNorm(name string, x []float64, row int) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		gain := tensor.Data[float32](w.w[name+".weight"])[row*len(x)+i]
		y[i] = (v - mean) / math.Sqrt(variance+float64(float32(w.cfg.NormEps))) * float64(gain)
		if bias := w.w[name+".bias"]; bias != nil {
			y[i] += float64(tensor.Data[float32](bias)[i])
		}
	}
	return y
}

// normHeads normalises the heads of a query or key, where the model does.
func (w *twin) normHeads(name string, x []float64) (y []float64) {
	gain := w.w[name+".weight"]
	if w.cfg.QKNorm == "" || gain == nil { // as in the layers of a DeltaNet
		return x
	}
	if w.cfg.QKNorm == "rms-all" {
		return w.norm(name+".weight", x)
	}
	for h := range len(x) / w.cfg.DHead {
		switch part := w.head(x, h); w.cfg.QKNorm {
		case "rms":
			y = append(y, w.norm(name+".weight", part)...)
		case "layer":
			y = append(y, w.layerNorm(name, part, 0)...)
		case "layer-by-head":
			y = append(y, w.layerNorm(name, part, h)...)
		}
	}
	return y
}

// clipped is a projection to queries, keys or values.
func (w *twin) clipped(name string, u []float64) []float64 {
	y := w.project(name, u)
	for i := range y {
		if c := w.cfg.ClipQKV; c != 0 {
			y[i] = min(max(y[i], -c), c)
		}
	}
	return y
}

// block is one layer on the hidden states of all tokens, in place.
func (w *twin) block(index int, h [][]float64) {
	c, at := w.cfg, fmt.Sprintf("layers.%d.", index)
	before := func(name string, x []float64) []float64 {
		if c.NormPlace == "" || c.NormPlace == "both" {
			return w.blockNorm(at+name, x)
		}
		return x
	}
	sum := func(name string, x, u []float64) {
		if c.NormPlace == "output" || c.NormPlace == "both" {
			u = w.blockNorm(at+name+"_out_norm", u)
		}
		for i := range x {
			x[i] += u[i] * cmp.Or(c.ResidualScale, 1)
		}
		if c.NormPlace == "after" {
			copy(x, w.blockNorm(at+name+"_norm", x))
		}
	}
	mlp := func(u []float64) []float64 {
		up := w.project(at+"mlp.up_proj", u)
		if c.MLP == "gated" {
			for i, g := range w.project(at+"mlp.gate_proj", u) {
				up[i] *= activated(c.Activation, g)
			}
		} else {
			for i := range up {
				up[i] = activated(c.Activation, up[i])
			}
		}
		return w.project(at+"mlp.down_proj", up)
	}
	layer := &twinLayer{index: index}
	for _, x := range h {
		u := before("attn_norm", x)
		layer.hidden = append(layer.hidden, u)
		layer.q = append(layer.q, w.normHeads(at+"attn.q_norm", w.clipped(at+"attn.q_proj", u)))
		layer.k = append(layer.k, w.normHeads(at+"attn.k_norm", w.clipped(at+"attn.k_proj", u)))
		layer.v = append(layer.v, w.clipped(at+"attn.v_proj", u))
	}
	for t, x := range h {
		attended := w.project(at+"attn.o_proj", w.gated(layer, t, w.of(index).mix(layer, t)))
		switch c.Residual {
		case "parallel", "parallel-shared":
			u := layer.hidden[t]
			if c.Residual == "parallel" {
				u = w.blockNorm(at+"mlp_norm", x)
			}
			fed := mlp(u)
			sum("attn", x, attended)
			sum("mlp", x, fed)
		case "normed":
			copy(x, layer.hidden[t])
			sum("attn", x, attended)
			copy(x, w.blockNorm(at+"mlp_norm", x))
			sum("mlp", x, mlp(x))
		default:
			sum("attn", x, attended)
			sum("mlp", x, mlp(before("mlp_norm", x)))
		}
	}
}

// A bias is written in one way, whatever order it was given in.
func TestBiasText(t *testing.T) {
	for given, want := range map[string]string{
		"none": "", "linear": "linear", "head,mlp": "mlp,head", "mlp,qkv,out": "linear", "head,linear": "linear,head", "qkv": "qkv",
	} {
		cfg := micro("nope", "modern")
		cfg.Bias = given
		got, err := cfg.Resolve()
		if err != nil || got.Bias != want {
			t.Errorf("%s: %q, %v; want %q", given, got.Bias, err, want)
		}
	}
}

// What the plain value of a setting means is stored as nothing, as it was before there were these settings.
func TestPlainBlock(t *testing.T) {
	cfg := micro("nope", "modern")
	plain, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	cfg.NKVHeads, cfg.MLP, cfg.NormPlace, cfg.Residual = cfg.NHeads, "plain", "before", "sequential"
	cfg.EmbedNorm, cfg.Head, cfg.EmbedScale, cfg.ResidualScale = "none", "tied", 1, 1
	named, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := plain.MarshalJSON()
	b, _ := named.MarshalJSON()
	if string(a) != string(b) {
		t.Errorf("stored as %s and %s", a, b)
	}
}

func TestBlockErrors(t *testing.T) {
	for want, change := range map[string]func(c *models.Config){
		`n_kv_heads 3: want a divisor of n_heads 2`: func(c *models.Config) { c.NKVHeads = 3 },
		`n_kv_heads -1`:                                    func(c *models.Config) { c.NKVHeads = -1 },
		`mlp "glu": want plain or gated`:                   func(c *models.Config) { c.MLP = "glu" },
		`norm_place "pre": want before or output or both`:  func(c *models.Config) { c.NormPlace = "pre" },
		`residual "none": want sequential or parallel`:     func(c *models.Config) { c.Residual = "none" },
		`residual parallel has its norms before`:           func(c *models.Config) { c.Residual, c.NormPlace = "parallel", "both" },
		`bias "qkv,up": want none, linear, or some of qkv`: func(c *models.Config) { c.Bias = "qkv,up" },
		`head "own": want tied or untied`:                  func(c *models.Config) { c.Head = "own" },
		`embed_norm "rms": want none or layer`:             func(c *models.Config) { c.EmbedNorm = "rms" },
		`logit_cap -1: want a positive number`:             func(c *models.Config) { c.LogitCap = -1 },
		`embed_scale NaN: want a positive number`:          func(c *models.Config) { c.EmbedScale = math.NaN() },
		`attention_scale "0": want sqrt, none or a`:        func(c *models.Config) { c.AttentionScale = "0" },
		`head_scale "x": want sqrt, none or a`:             func(c *models.Config) { c.HeadScale = "x" },
		`n_kv_heads 1: heads of attention differential`:    func(c *models.Config) { c.NKVHeads, c.Attention = 1, "differential" },
	} {
		cfg := micro("nope", "modern")
		change(&cfg)
		if _, err := cfg.Resolve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}
