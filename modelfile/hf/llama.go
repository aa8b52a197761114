package hf

import (
	"strconv"

	"github.com/nopezoo/zoo/models"
)

// llama is Llama, SmolLM2, TinyLlama and others of model_type llama.
func llama(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(0, 0), 1e-6)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	attention := k.flag("attention_bias", false)
	c.Bias = bias(map[string]bool{"qkv": attention, "out": attention, "mlp": k.flag("mlp_bias", false)})
	c.Head = k.head(false)
	k.ignore("pretraining_tp") // the same sums in another order
	return c
}

// llamaBlock fills in what the descendants of Llama have in common.
func (k *settings) llamaBlock(c models.Config, eps float64) models.Config {
	c.Encoding, c.Norm, c.MLP, c.Bias = "rope", "rms", "gated", "none"
	c.NormEps = k.number("rms_norm_eps", eps)
	c.Activation = k.activation("hidden_act", "silu")
	return c
}

// llamaNames are the names of the descendants of Llama: one tensor is one parameter.
func llamaNames(c models.Config, w *renaming) {
	w.llama(c, w.prefix("model.", ""), "attn_norm input_layernorm", "mlp_norm post_attention_layernorm")
}

// llama takes over what the descendants of Llama have in common, and the norms of each layer.
func (w *renaming) llama(c models.Config, p string, norms ...string) {
	w.drop("rotary_emb.inv_freq")
	w.embedding(p+"embed_tokens", "lm_head")
	w.norm("norm", p+"norm")
	w.layers(c, p+"layers.%d.", nil, append(norms, "attn.q_proj self_attn.q_proj", "attn.k_proj self_attn.k_proj",
		"attn.v_proj self_attn.v_proj", "attn.o_proj self_attn.o_proj", "attn.q_norm self_attn.q_norm", "attn.k_norm self_attn.k_norm",
		"mlp.gate_proj mlp.gate_proj", "mlp.up_proj mlp.up_proj", "mlp.down_proj mlp.down_proj")...)
}

// embedding takes over the embedding and the output matrix, which a tied head has not, though a file may hold it.
func (w *renaming) embedding(embed, head string) {
	w.put("embed.weight", w.take(embed+".weight", 2))
	if w.has("head.weight") {
		w.matrix("head", head)
	} else {
		delete(w.in, head+".weight")
	}
}

// mistral is Mistral; sliding_window alone decides, and what it is where the key is missing follows transformers.
func mistral(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(8, 0), 1e-6)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	if window := value(k, "sliding_window", 4096, "a whole number"); !k.null("sliding_window") {
		c.Window = windows(c.NLayers, window, func(int) bool { return true })
	}
	c.Head = k.head(false)
	return c
}

// qwen2 is Qwen2 and Qwen2.5: queries, keys and values have biases, the output of attention never.
func qwen2(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(32, 0), 1e-6)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	c.Bias, c.Head = "qkv", k.head(false)
	c.Window = k.qwenWindows(c.NLayers)
	return c
}

// qwenWindows are those of the layers that slide, if any do.
func (k *settings) qwenWindows(layers int) models.Windows {
	k.only("use_mrope", "false")
	slides, window := k.flag("use_sliding_window", false), value(k, "sliding_window", 4096, "a whole number")
	first, types := value(k, "max_window_layers", 28, "a whole number"), k.layerTypes(layers)
	if !slides || k.null("sliding_window") {
		return ""
	}
	return windows(layers, window, func(i int) bool { return types != nil && types[i] || types == nil && i >= first })
}

// qwen3 is Qwen3, with heads of 128 features unless config.json has another number.
func qwen3(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(32, 128), 1e-6)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	attention := k.flag("attention_bias", false)
	c.Bias, c.Head = bias(map[string]bool{"qkv": attention, "out": attention}), k.head(false)
	c.QKNorm = "rms"
	c.Window = k.qwenWindows(c.NLayers)
	return c
}

// granite is IBM's Granite 3: Llama with four multipliers.
func granite(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(0, 0), 1e-6)
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	attention := k.flag("attention_bias", false)
	c.Bias = bias(map[string]bool{"qkv": attention, "out": attention, "mlp": k.flag("mlp_bias", false)})
	c.Head = k.head(false)
	c.EmbedScale, c.ResidualScale = k.number("embedding_multiplier", 1), k.number("residual_multiplier", 1)
	c.AttentionScale, c.HeadScale = text(k.number("attention_multiplier", 1)), text(1/k.number("logits_scaling", 1))
	return c
}

// text is a number as settings have it.
func text(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
