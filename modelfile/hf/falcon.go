package hf

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/nopezoo/zoo/models"
)

// falcon is Falcon in its three forms: 7B (one key head), 40B (new_decoder_architecture) and RW (ALiBi).
func falcon(k *settings) models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("hidden_size", 0), NLayers: k.layers("num_hidden_layers", 0),
		NHeads: k.heads("num_attention_heads", 0)}
	c = k.headed(c)
	c.DFF = k.integer("ffn_hidden_size", 4*c.DModel)
	c.Norm, c.NormEps = "layer", k.number("layer_norm_epsilon", 1e-5)
	c.Activation = k.activation("activation", "gelu")
	biased := k.flag("bias", false)
	c.Bias, c.Head = bias(map[string]bool{"qkv": biased, "out": biased, "mlp": biased}), k.head(true)

	grouped, heads := k.flag("new_decoder_architecture", false), k.heads("num_kv_heads", max(c.NHeads, 1))
	if single := k.flag("multi_query", true); grouped {
		c.NKVHeads = heads
	} else if single {
		c.NKVHeads = 1
	}
	norms := value(k, "num_ln_in_parallel_attn", 2, "a whole number")
	switch parallel := k.flag("parallel_attn", true); {
	case grouped && norms == 2:
		c.Residual = "parallel"
	case grouped || parallel:
		c.Residual = "parallel-shared"
	}
	// ALiBi's bias is scaled with the scores. transformers rounds it to bfloat16; here slopes are exact.
	scaled, _ := json.Marshal(map[string]float64{"factor": 1 / math.Sqrt(float64(c.DHead))})
	turned := k.rope(c, rope{theta: 10000})
	if k.flag("alibi", false) {
		c.Encoding, c.EncodingParams = "alibi", scaled
	} else {
		c.Encoding, c.EncodingParams = "rope", turned
	}
	k.only("apply_residual_connection_post_layernorm", "false")
	return c
}

func falconNames(c models.Config, w *renaming) {
	p := w.prefix("transformer.", "")
	w.embedding(p+"word_embeddings", "lm_head")
	w.norm("norm", p+"ln_f")
	groups := cmp.Or(c.NKVHeads, c.NHeads) // each has its queries, a key and a value
	each := c.NHeads / groups
	at := func(first, heads int) blocks {
		return blocks{groups, (each + 2) * c.DHead, first * c.DHead, heads * c.DHead}
	}
	norms := []string{"attn_norm input_layernorm", "mlp_norm post_attention_layernorm"}
	if c.Residual == "parallel" {
		norms = []string{"attn_norm ln_attn", "mlp_norm ln_mlp"}
	}
	w.layers(c, p+"h.%d.", func(ours, theirs string) {
		w.cut(theirs+"self_attention.query_key_value", map[string]blocks{ours + "attn.q_proj": at(0, each),
			ours + "attn.k_proj": at(each, 1), ours + "attn.v_proj": at(each+1, 1)})
	}, append(norms, "attn.o_proj self_attention.dense", "mlp.up_proj mlp.dense_h_to_4h", "mlp.down_proj mlp.dense_4h_to_h")...)
}
