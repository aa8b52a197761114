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
	w.embedding(c, p+"embed_tokens", "lm_head")
	w.norm("norm", p+"final_layernorm")
	for i := range c.NLayers {
		ours, theirs := layer(i), p+layer(i)
		w.norm(ours+"attn_norm", theirs+"input_layernorm")
		for _, name := range []string{"q_proj", "k_proj", "v_proj"} {
			w.matrix(ours+"attn."+name, theirs+"self_attn."+name)
		}
		if c.QKNorm != "" {
			w.norm(ours+"attn.q_norm", theirs+"self_attn.q_layernorm")
			w.norm(ours+"attn.k_norm", theirs+"self_attn.k_layernorm")
		}
		w.matrix(ours+"attn.o_proj", theirs+"self_attn.dense")
		w.matrix(ours+"mlp.up_proj", theirs+"mlp.fc1")
		w.matrix(ours+"mlp.down_proj", theirs+"mlp.fc2")
	}
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
	w.embedding(c, p+"embed_tokens", "lm_head")
	w.norm("norm", p+"norm")
	for i := range c.NLayers {
		ours, theirs := layer(i), p+layer(i)
		w.norm(ours+"attn_norm", theirs+"input_layernorm")
		w.norm(ours+"mlp_norm", theirs+"post_attention_layernorm")
		w.cut(theirs+"self_attn.qkv_proj", qkv(ours, c))
		w.matrix(ours+"attn.o_proj", theirs+"self_attn.o_proj")
		w.cut(theirs+"mlp.gate_up_proj", map[string]blocks{ours + "mlp.gate_proj": span(0, c.DFF), ours + "mlp.up_proj": span(c.DFF, c.DFF)})
		w.matrix(ours+"mlp.down_proj", theirs+"mlp.down_proj")
	}
}
