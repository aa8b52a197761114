package models_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
)

// gpt2Small is GPT-2 of 124 million parameters.
func gpt2Small() models.Config {
	return models.Config{
		Settings: "gpt2", Encoding: "learned", EncodingParams: json.RawMessage(`{"max_length":1024}`),
		DModel: 768, NLayers: 12, NHeads: 12, DFF: 3072, VocabSize: 50257,
	}
}

// As many as Hugging Face's GPT2LMHeadModel counts in GPT-2 small.
func TestGPT2ParameterCount(t *testing.T) {
	if got := models.Count(newDecoder(t, gpt2Small()).Params()); got != 124_439_808 {
		t.Errorf("%d parameters, want 124,439,808", got)
	}
}

// Weights start as GPT-2's, and decay as Hugging Face's Trainer has it: no bias does and no
// gain, all else does.
func TestGPT2Weights(t *testing.T) {
	for _, p := range newDecoder(t, gpt2Small()).Params() {
		mean, std, decay := 0.0, 0.02, true
		switch {
		case strings.HasSuffix(p.Name, ".bias"):
			std, decay = 0, false
		case strings.HasSuffix(p.Name, "norm.weight"):
			mean, std, decay = 1, 0, false
		case strings.HasSuffix(p.Name, "o_proj.weight"), strings.HasSuffix(p.Name, "down_proj.weight"):
			std = 0.02 / math.Sqrt(2*12)
		}
		if p.Mean != mean || math.Abs(p.Std-std) > 1e-12 || p.Init != nil || p.Decay != decay {
			t.Errorf("%s starts at %v ± %v and decays: %v; want %v ± %v, %v", p.Name, p.Mean, p.Std, p.Decay, mean, std, decay)
		}
	}
}

// Norm and bias go with every family, one configuration has one form, and what older runs
// stored stays.
func TestNormAndBias(t *testing.T) {
	for _, tc := range []struct{ settings, norm, bias, wantNorm, wantBias string }{
		{"modern", "", "", "", ""},
		{"modern", "rms", "none", "", ""},
		{"modern", "layer", "linear", "layer", "linear"},
		{"faithful", "rms", "linear", "", "linear"},
		{"gpt2", "", "", "layer", "linear"},
		{"gpt2", "layer", "linear", "layer", "linear"},
		{"gpt2", "rms", "none", "rms", "none"},
	} {
		cfg := micro("nope", tc.settings)
		cfg.Norm, cfg.Bias = tc.norm, tc.bias
		m := newDecoder(t, cfg)
		got := m.Config()
		if got.Norm != tc.wantNorm || got.Bias != tc.wantBias {
			t.Errorf("%+v: norm %q and bias %q", tc, got.Norm, got.Bias)
		}
		if again, err := got.Resolve(); err != nil || !cmp.Equal(got, again) {
			t.Errorf("%+v: resolved again it is %+v, %v", tc, again, err)
		}
		var norms, projections int
		for _, p := range m.Params() {
			switch {
			case strings.HasSuffix(p.Name, "norm.bias"):
				norms++
			case strings.HasSuffix(p.Name, ".bias"):
				projections++
			}
		}
		if norms != 5*count(tc.wantNorm == "layer") || projections != 12*count(tc.wantBias == "linear") {
			t.Errorf("%+v: biases of %d norms and %d projections", tc, norms, projections)
		}
		data, err := json.Marshal(got)
		if err != nil || strings.Contains(string(data), `"norm":`) != (tc.wantNorm != "") ||
			strings.Contains(string(data), `"bias":`) != (tc.wantBias != "") {
			t.Errorf("%+v: stored as %s, %v", tc, data, err)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
