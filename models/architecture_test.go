package models_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// changes give every setting a value that it does not have in the test's models.
func changes() map[string]func(*models.Config) {
	return map[string]func(*models.Config){
		"settings":        func(c *models.Config) { c.Settings = "faithful" },
		"architecture":    func(c *models.Config) { c.Architecture = "none" },
		"encoding":        func(c *models.Config) { c.Encoding = "nope" },
		"encoding_params": func(c *models.Config) { c.EncodingParams = json.RawMessage(`{"theta":500}`) },
		"window":          func(c *models.Config) { c.Window = "8" },
		"d_model":         func(c *models.Config) { c.DModel = 32 },
		"n_layers":        func(c *models.Config) { c.NLayers = 5 },
		"n_heads":         func(c *models.Config) { c.NHeads = 4 },
		"d_head":          func(c *models.Config) { c.DHead = 12 },
		"n_kv_heads":      func(c *models.Config) { c.NKVHeads = 1 },
		"mlp":             func(c *models.Config) { c.MLP = "gated" },
		"norm_place":      func(c *models.Config) { c.NormPlace = "both" },
		"residual":        func(c *models.Config) { c.Residual = "parallel" },
		"embed_norm":      func(c *models.Config) { c.EmbedNorm = "layer" },
		"head":            func(c *models.Config) { c.Head = "untied" },
		"embed_scale":     func(c *models.Config) { c.EmbedScale = 2 },
		"residual_scale":  func(c *models.Config) { c.ResidualScale = 2 },
		"attention_cap":   func(c *models.Config) { c.AttentionCap = 2 },
		"logit_cap":       func(c *models.Config) { c.LogitCap = 2 },
		"clip_qkv":        func(c *models.Config) { c.ClipQKV = 2 },
		"d_ff":            func(c *models.Config) { c.DFF = 64 },
		"vocab_size":      func(c *models.Config) { c.VocabSize = 10 },
		"activation":      func(c *models.Config) { c.Activation = "gelu" },
		"norm":            func(c *models.Config) { c.Norm = "layer" },
		"bias":            func(c *models.Config) { c.Bias = "linear" },
		"attention_scale": func(c *models.Config) { c.AttentionScale = "none" },
		"attention":       func(c *models.Config) { c.Attention = "differential" },
		"qk_norm":         func(c *models.Config) { c.QKNorm = "rms" },
		"attention_sink":  func(c *models.Config) { c.AttentionSink = "zero" },
		"attention_gate":  func(c *models.Config) { c.AttentionGate = "head" },
		"logit_scale":     func(c *models.Config) { c.LogitScale = "ssmax" },
		"logit_layers":    func(c *models.Config) { c.LogitScale, c.LogitLayers = "adaptive", "rope" },
		"logit_slope":     func(c *models.Config) { c.LogitSlope = 0.4 },
		"logit_factors":   func(c *models.Config) { c.LogitFactors = []float64{1.2} },
		"ablation":        func(c *models.Config) { c.Ablation = "0.1" },
		"trained_length":  func(c *models.Config) { c.TrainedLength = 40 },
		"head_scale":      func(c *models.Config) { c.HeadScale = "sqrt" },
		"init":            func(c *models.Config) { c.Init = "t5" },
		"norm_eps":        func(c *models.Config) { c.NormEps = 1e-3 },
		"head_norm_eps":   func(c *models.Config) { c.HeadNormEps = 1e-3 },
		"conv_std":        func(c *models.Config) { c.ConvStd = 0.1 },
		"n_units":         func(c *models.Config) { c.NUnits = 16 },
		"n_modules":       func(c *models.Config) { c.NModules = 4 },
		"periods":         func(c *models.Config) { c.Periods = []int{1, 3, 4, 5, 6, 7, 8, 9} },
		"mixer":           func(c *models.Config) { c.Mixer = "deltanet/nope" },
		"beta_max":        func(c *models.Config) { c.BetaMax = 1 },
		"decay":           func(c *models.Config) { c.Decay = "none" },
		"conv":            func(c *models.Config) { c.Conv = 1 },
		"gate":            func(c *models.Config) { c.Gate = "none" },
	}
}

// TestSettings checks that an architecture's settings are those that make a difference to
// it, except the name of a family of defaults, which every configuration keeps, and that
// its row says the rest.
func TestSettings(t *testing.T) {
	config := reflect.TypeFor[models.Config]()
	for _, a := range models.Architectures() {
		base := models.Config{Architecture: a.Name, Encoding: "rope", DModel: 16, NLayers: 2, NHeads: 2, DFF: 32}
		base.VocabSize = 9
		plain, err := base.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		for i := range config.NumField() {
			key, _, _ := strings.Cut(config.Field(i).Tag.Get("json"), ",")
			changed := base
			changes()[key](&changed)
			got, err := changed.Resolve()
			if key == "settings" {
				got.Settings = plain.Settings
			}
			matters := err != nil || !cmp.Equal(got, plain)
			if key == "encoding_params" {
				matters = err == nil // the others refuse it
			}
			if matters != slices.Contains(a.Settings, key) {
				t.Errorf("%s of %s makes a difference: %v, but its settings are %v", key, a.Name, matters, a.Settings)
			}
		}
		if a.Formula == "" || a.Source == "" {
			t.Errorf("the row of %s says %+v", a.Name, a)
		}
	}
}

// One architecture has encodings, another stands among them; both ways to name that one,
// the older included, are one configuration.
func TestArchitectureOf(t *testing.T) {
	base := models.Config{DModel: 8, NLayers: 1, NHeads: 2, DFF: 16, VocabSize: 9}
	for _, test := range []struct{ architecture, encoding, is, name, stored string }{
		{"", "rope", "decoder", "rope", `"settings":"modern","encoding":"rope"`},
		{"decoder", "rope", "decoder", "rope", `"settings":"modern","encoding":"rope"`},
		{"", "3rope+nope", "decoder", "3rope+nope", `"settings":"modern","encoding":"rope*3/nope"`},
		{"", "rope/nope/rope/nope", "decoder", "rope+nope", `"settings":"modern","encoding":"rope/nope"`},
		{"", "cwrnn", "cwrnn", "cwrnn", `"settings":"modern","architecture":"cwrnn","d_model"`},
		{"cwrnn", "", "cwrnn", "cwrnn", `"settings":"modern","architecture":"cwrnn","d_model"`},
		{"cwrnn", "cwrnn", "cwrnn", "cwrnn", `"settings":"modern","architecture":"cwrnn","d_model"`},
		{"cwrnn", "rope", "cwrnn", "cwrnn", `"settings":"modern","architecture":"cwrnn","d_model"`},
	} {
		c := base
		c.Architecture, c.Encoding = test.architecture, test.encoding
		a, err := models.ArchitectureOf(c)
		if err != nil || a.Name != test.is {
			t.Errorf("%+v is of %s, %v", test, a.Name, err)
		}
		if c, err = c.Resolve(); err != nil || c.Architecture != test.is || c.Name() != test.name {
			t.Errorf("%+v: resolved %+v, %v", test, c, err)
		}
		data, err := json.Marshal(c)
		if err != nil || !strings.HasPrefix(string(data), "{"+test.stored) {
			t.Errorf("%+v: stored as %s, %v", test, data, err)
		}
		var back models.Config
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if back, err = back.Resolve(); err != nil || !cmp.Equal(back, c) {
			t.Errorf("%+v: read back as %+v, %v", test, back, err)
		}
	}
	for _, test := range []struct{ architecture, encoding, want string }{
		{"decodr", "rope", `unknown architecture "decodr"; known: decoder, cwrnn, deltanet, lstm`},
		{"decoder", "cwrnn", "encoding cwrnn is an architecture, and architecture is decoder; leave out the one"},
		{"", "decoder", `unknown encoding "decoder"`},
		{"decoder", "", `unknown encoding ""`},
	} {
		c := base
		c.Architecture, c.Encoding = test.architecture, test.encoding
		if _, err := models.New(c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	names := models.Encodings()
	if len(names) != len(pe.Table())+3 || names[0] != "nope" || slices.Contains(names, "decoder") {
		t.Errorf("%v", names)
	}
	for _, name := range names {
		c, err := models.Config{Encoding: name, DModel: 8, NLayers: 1, NHeads: 2, DFF: 16, VocabSize: 9}.Resolve()
		if err != nil || c.Name() != name {
			t.Errorf("%s is called %q, %v", name, c.Name(), err)
		}
	}
}
