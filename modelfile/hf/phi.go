package hf

import "github.com/nopezoo/zoo/models"

// phi is Phi-1, 1.5 and 2: attention and feed-forward layer read one norm.
func phi(k *settings) models.Config {
	c := k.sizes(0, 0)
	c.Norm, c.NormEps, c.Encoding = "layer", k.number("layer_norm_eps", 1e-5), "rope"
	c.Activation, c.Residual = k.activation("hidden_act", "gelu_new"), "parallel-shared"
	c.Bias, c.Head = "linear,head", k.head(false)
	c.EncodingParams = k.rope(c, rope{theta: 10000, partial: 0.5})
	if k.flag("qk_layernorm", false) {
		c.QKNorm = "layer"
	}
	return c
}

func phiNames(c models.Config, w *renaming) {
	p := w.prefix("model.", "")
	w.embedding(p+"embed_tokens", "lm_head")
	w.norm("norm", p+"final_layernorm")
	w.layers(c, p+"layers.%d.", nil, "attn_norm input_layernorm", "attn.q_proj self_attn.q_proj", "attn.k_proj self_attn.k_proj",
		"attn.v_proj self_attn.v_proj", "attn.q_norm self_attn.q_layernorm", "attn.k_norm self_attn.k_layernorm",
		"attn.o_proj self_attn.dense", "mlp.up_proj mlp.fc1", "mlp.down_proj mlp.fc2")
}

// phi3 is Phi-3 and Phi-4-mini: Llama with fused matrices.
func phi3(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(0, 0), 1e-5)
	c.Head = k.head(false)
	if window := value(k, "sliding_window", 0, "a whole number"); window != 0 {
		c.Window = windows(c.NLayers, window, func(int) bool { return true })
	}
	k.only("attention_bias", "false")
	k.only("mlp_bias", "false")
	k.ignore("original_max_position_embeddings") // rope reads it where it counts
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	return c
}

func phi3Names(c models.Config, w *renaming) {
	p := w.prefix("model.", "")
	w.layers(c, p+"layers.%d.", func(ours, theirs string) {
		w.cut(theirs+"self_attn.qkv_proj", qkv(ours, c))
		w.cut(theirs+"mlp.gate_up_proj", map[string]blocks{ours + "mlp.gate_proj": span(0, c.DFF), ours + "mlp.up_proj": span(c.DFF, c.DFF)})
	})
	llamaNames(c, w)
}
