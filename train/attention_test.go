package train_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
)

// attentionVariants are settings of the attention that go with any encoding. log-n counts
// from 4 tokens on, so that its factor shows in training.
var attentionVariants = map[string]func(c *models.Config){
	"qk-norm":      func(c *models.Config) { c.QKNorm = "rms" },
	"differential": func(c *models.Config) { c.Attention = "differential" },
	"entmax":       func(c *models.Config) { c.Attention = "entmax" },
	"sink":         func(c *models.Config) { c.AttentionSink = "learned" },
	"head gate":    func(c *models.Config) { c.AttentionGate = "head" },
	"element gate": func(c *models.Config) { c.AttentionGate = "element" },
	"ssmax":        func(c *models.Config) { c.LogitScale = "ssmax" },
	"log-n":        func(c *models.Config) { c.LogitScale, c.TrainedLength = "log-n", 4 },
	"llama-4":      func(c *models.Config) { c.LogitScale, c.TrainedLength = "llama-4", 4 },
	"adaptive":     func(c *models.Config) { c.LogitScale = "adaptive" },
	"factors":      func(c *models.Config) { c.LogitFactors = []float64{1.5, 0.5} },
}

// blockVariants are the settings of the block, as families of pretrained decoders have them together.
var blockVariants = map[string]func(c *models.Config){
	"llama": func(c *models.Config) {
		c.NKVHeads, c.MLP, c.Activation, c.Bias, c.QKNorm = c.NHeads/2, "gated", "silu", "qkv", "rms"
	},
	"gemma": func(c *models.Config) {
		c.NormPlace, c.EmbedScale, c.AttentionScale, c.AttentionCap, c.LogitCap = "both", 4, "0.25", 5, 3
	},
	"olmo": func(c *models.Config) {
		c.NormPlace, c.QKNorm, c.NKVHeads, c.Head = "output", "rms-all", c.NHeads/2, "untied"
	},
	"pythia": func(c *models.Config) {
		c.Residual, c.Norm, c.Bias, c.Head = "parallel", "layer", "linear,head", "untied"
	},
	"gptj": func(c *models.Config) {
		c.Residual, c.Norm, c.Bias, c.HeadScale = "parallel-shared", "layer", "mlp", "0.5"
	},
	"bloom":    func(c *models.Config) { c.Residual, c.EmbedNorm, c.Norm, c.Bias = "normed", "layer", "layer", "linear" },
	"opt":      func(c *models.Config) { c.NormPlace, c.Norm, c.ClipQKV, c.ResidualScale = "after", "layer", 0.75, 0.5 },
	"phi":      func(c *models.Config) { c.QKNorm, c.MLP = "layer", "gated" },
	"stablelm": func(c *models.Config) { c.QKNorm, c.Norm, c.NKVHeads = "layer-by-head", "layer", c.NHeads/2 },
}

func TestBlockGradient(t *testing.T) {
	orttest.Require(t)
	for name, change := range blockVariants {
		t.Run(name, func(t *testing.T) {
			cfg := micro("rope", 1)
			change(&cfg.Model)
			checkGradient(t, cfg)
			checkEngines(t, cfg)
		})
	}
}

// The gradients of the variants, as TestStepGradient and TestStepAgainstInterpreter check
// the encodings'.
func TestVariantGradient(t *testing.T) {
	orttest.Require(t)
	for name, change := range attentionVariants {
		for _, encoding := range []string{"nope", "rope"} {
			t.Run(name+"/"+encoding, func(t *testing.T) {
				cfg := micro(encoding, 1)
				change(&cfg.Model)
				checkGradient(t, cfg)
				checkEngines(t, cfg)
			})
		}
	}
	t.Run("ASEntmax with slopes", func(t *testing.T) {
		cfg := micro("nape", 1)
		cfg.Model.Attention, cfg.Model.LogitScale = "entmax", "adaptive"
		checkGradient(t, cfg)
		checkEngines(t, cfg)
	})
}

// The gradients of encodings' settings that bring weights of their own.
func TestSettingsGradient(t *testing.T) {
	orttest.Require(t)
	for _, tc := range []struct{ encoding, settings string }{
		{"sinusoidal", `{"learned":true}`}, {"fire", `{"threshold":100,"shared":false}`},
		{"dape", `{"base":"kerple","shared":false}`},
		{"rope", `{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":12}`},
	} {
		t.Run(tc.encoding, func(t *testing.T) {
			cfg := micro(tc.encoding, 1)
			cfg.Model.EncodingParams = json.RawMessage(tc.settings)
			checkGradient(t, cfg)
			checkEngines(t, cfg)
		})
	}
}

// Training with a scale that counts keys fills in how long the sequences are, in tokens,
// and nothing where no setting asks for it; what it learns is finite and not where it began.
func TestTrainedLength(t *testing.T) {
	cfg := micro("nope", 8)
	plain, err := cfg.Resolve()
	if err != nil || plain.Model.TrainedLength != 0 {
		t.Fatalf("trained length %d without need, %v", plain.Model.TrainedLength, err)
	}
	cfg.Model.LogitScale = "ssmax"
	got, err := cfg.Resolve()
	if err != nil || got.Model.TrainedLength != 2*6+3 { // words twice, "Copy", colon, separator
		t.Fatalf("trained length %d, %v", got.Model.TrainedLength, err)
	}
	dir := t.TempDir()
	losses(t, start(t, dir, cfg))
	c := final(t, dir)
	if c.Config.Model.TrainedLength != got.Model.TrainedLength {
		t.Errorf("the run has the trained length %d", c.Config.Model.TrainedLength)
	}
	for name, w := range c.Weights {
		if !strings.HasSuffix(name, "ssmax_scale") {
			continue
		}
		for _, s := range tensor.Data[float32](w) {
			if moved := math.Abs(float64(s) - 1/math.Log(15)); !(moved > 0 && moved < 1) {
				t.Errorf("%s is %v after 8 steps", name, s)
			}
		}
	}
}
