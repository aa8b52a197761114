package hf

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// gemma is Gemma; every gain is 1 + w, and embeddings are multiplied by √D.
func gemma(k *settings) models.Config {
	c := k.gemmaBlock(16)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	return c
}

// gemmaBlock is what the three generations have in common.
func (k *settings) gemmaBlock(kvHeads int) models.Config {
	c := k.llamaBlock(k.sizes(kvHeads, 256), 1e-6)
	switch act := k.word("hidden_activation", k.word("hidden_act", "gelu_pytorch_tanh")); act {
	case "gelu", "gelu_pytorch_tanh": // what files call gelu is the form by tanh
		c.Activation = "gelu"
	default:
		k.fail("hidden_activation %q: want gelu_pytorch_tanh", clip([]byte(act)))
	}
	attention := k.flag("attention_bias", false)
	c.Bias, c.Head = bias(map[string]bool{"qkv": attention, "out": attention}), k.head(true)
	c.EmbedScale = math.Sqrt(float64(c.DModel))
	k.only("use_bidirectional_attention", "false")
	return c
}

// sandwich is what the second and third generation have besides: norms on both sides, a scale of its own, windows in the
// layers that slide, which it returns: those of layer_types, or else of the generation's rule.
func (k *settings) sandwich(rule func(layer int) bool) (c models.Config, slides func(layer int) bool) {
	slides = rule
	c = k.gemmaBlock(4)
	c.NormPlace = "both"
	c.AttentionScale = text(1 / math.Sqrt(k.number("query_pre_attn_scalar", 256)))
	if types := k.layerTypes(c.NLayers); types != nil {
		slides = func(i int) bool { return i < len(types) && types[i] }
	}
	if window := value(k, "sliding_window", 4096, "a whole number"); !k.null("sliding_window") {
		c.Window = windows(c.NLayers, window, slides)
	}
	return c, slides
}

// softCap reads a cap: missing it is the default, null is none.
func (k *settings) softCap(key string, byDefault float64) float64 {
	cap := k.number(key, byDefault)
	if k.null(key) {
		return 0
	}
	return cap
}

// gemma2 slides in the even layers, and caps logits.
func gemma2(k *settings) models.Config {
	c, _ := k.sandwich(func(i int) bool { return i%2 == 0 })
	c.AttentionCap, c.LogitCap = k.softCap("attn_logit_softcapping", 50), k.softCap("final_logit_softcapping", 30)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	return c
}

// gemma3 slides in all but each sixth layer, and layers that slide have a rotation of their own.
func gemma3(k *settings) models.Config {
	pattern := k.integer("sliding_window_pattern", k.integer("_sliding_window_pattern", 6))
	c, slides := k.sandwich(func(i int) bool { return (i+1)%max(pattern, 1) != 0 })
	c.QKNorm, c.LogitCap = "rms", k.softCap("final_logit_softcapping", 0)
	k.ignore("attn_logit_softcapping") // as transformers does
	both := value(k, "rope_parameters", map[string]ropeObject{}, "an object with full_attention and sliding_attention")
	full, local := both["full_attention"], both["sliding_attention"]
	full = value(k, "rope_scaling", full, "an object")
	theta := k.number("rope_theta", cmp.Or(both["full_attention"].Theta, 1e6))
	localTheta := k.number("rope_local_base_freq", cmp.Or(local.Theta, 10000))
	params := map[string]json.RawMessage{"rope": k.scaledRope(c, rope{theta: theta}, full),
		"rope.local": k.scaledRope(c, rope{theta: localTheta}, local)}
	c.Encoding = byLayer(c.NLayers, func(i int) string {
		if slides(i) {
			return "rope.local"
		}
		return "rope"
	})
	if one, single := params[c.Encoding]; single {
		c.Encoding, c.EncodingParams = "rope", one
	} else {
		c.EncodingParams, _ = json.Marshal(params)
	}
	return c
}

func gemmaNames(c models.Config, w *renaming) {
	for name, s := range w.in {
		if len(s.Shape()) == 1 && (s.DType() == tensor.Float32 || s.DType().Halves()) && !strings.HasSuffix(name, ".bias") {
			w.in[name] = stored{plusOne(s.Tensor), s.file}
		}
	}
	if c.NormPlace == "" {
		llamaNames(c, w)
		return
	}
	w.llama(c, w.prefix("model.", "language_model.model.", ""), "attn_norm input_layernorm", "attn_out_norm post_attention_layernorm",
		"mlp_norm pre_feedforward_layernorm", "mlp_out_norm post_feedforward_layernorm")
}
