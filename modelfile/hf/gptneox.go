package hf

import (
	"github.com/nopezoo/zoo/models"
)

// gptNeoX is GPT-NeoX and Pythia.
func gptNeoX(k *settings) models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("hidden_size", 0), NLayers: k.layers("num_hidden_layers", 0),
		NHeads: k.heads("num_attention_heads", 0), DFF: k.integer("intermediate_size", 0)}
	c = k.headed(c)
	c.Norm, c.NormEps = "layer", k.number("layer_norm_eps", 1e-5)
	c.Activation = k.activation("hidden_act", "gelu")
	attention := k.flag("attention_bias", true)
	c.Bias, c.Head = bias(map[string]bool{"qkv": attention, "out": attention, "mlp": true}), k.head(false)
	if k.flag("use_parallel_residual", true) {
		c.Residual = "parallel"
	}
	c.Encoding = "rope"
	c.EncodingParams = k.rope(c, rope{theta: k.number("rotary_emb_base", 10000), partial: k.number("rotary_pct", 0.25)})
	return c
}

func gptNeoXNames(c models.Config, w *renaming) {
	w.drop(".attention.bias", ".attention.masked_bias", ".rotary_emb.inv_freq")
	p := w.prefix("gpt_neox.", "")
	w.embedding(p+"embed_in", "embed_out")
	w.norm("norm", p+"final_layer_norm")
	w.layers(c, p+"layers.%d.", func(ours, theirs string) { w.cut(theirs+"attention.query_key_value", qkvByHead(ours, c)) },
		"attn_norm input_layernorm", "mlp_norm post_attention_layernorm", "attn.o_proj attention.dense", "mlp.up_proj mlp.dense_h_to_4h",
		"mlp.down_proj mlp.dense_4h_to_h")
}

// bloom is BLOOM: ALiBi, and a LayerNorm behind the embeddings.
func bloom(k *settings) models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("hidden_size", value(k, "n_embed", 0, "a whole number")),
		NLayers: k.layers("n_layer", value(k, "num_hidden_layers", 0, "a whole number")),
		NHeads:  k.heads("n_head", value(k, "num_attention_heads", 0, "a whole number"))}
	c = k.headed(c)
	c.DFF, c.Encoding = 4*c.DModel, "alibi"
	c.Norm, c.NormEps, c.EmbedNorm = "layer", k.number("layer_norm_epsilon", 1e-5), "layer"
	c.Activation, c.Bias, c.Head = "gelu", "linear", k.head(true)
	if k.flag("apply_residual_connection_post_layernorm", false) {
		c.Residual = "normed"
	}
	k.ignore("pretraining_tp", "n_inner", "attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion", "seq_length",
		"skip_bias_add", "skip_bias_add_qkv", "unk_token_id", "offset_alibi")
	k.only("slow_but_exact", "false")
	return c
}

func bloomNames(c models.Config, w *renaming) {
	p := w.prefix("transformer.", "")
	w.embedding(p+"word_embeddings", "lm_head")
	w.norm("embed_norm", p+"word_embeddings_layernorm")
	w.norm("norm", p+"ln_f")
	w.layers(c, p+"h.%d.", func(ours, theirs string) { w.cut(theirs+"self_attention.query_key_value", qkvByHead(ours, c)) },
		"attn_norm input_layernorm", "mlp_norm post_attention_layernorm", "attn.o_proj self_attention.dense", "mlp.up_proj mlp.dense_h_to_4h",
		"mlp.down_proj mlp.dense_4h_to_h")
}
