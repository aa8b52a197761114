package hf

import (
	"encoding/json"

	"github.com/nopezoo/zoo/models"
)

// opt is OPT. Its 350m has norms behind the sums, and embeddings of another width.
func opt(k *settings) models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("hidden_size", 0), NLayers: k.layers("num_hidden_layers", 0),
		NHeads: k.heads("num_attention_heads", 0), DFF: k.integer("ffn_dim", 0)}
	c = k.headed(c)
	c.Norm, c.NormEps = "layer", 1e-5
	c.Activation = k.activation("activation_function", "relu")
	biased := k.flag("enable_bias", true)
	c.Bias = bias(map[string]bool{"qkv": biased, "out": biased, "mlp": biased})
	if !k.flag("do_layer_norm_before", true) {
		c.NormPlace = "after"
	}
	c.Head = k.head(true)
	if k.integer("word_embed_proj_dim", c.DModel) != c.DModel {
		if c.Head == "untied" {
			k.fail("word_embed_proj_dim with a head of its own is not built")
		}
		c.Head = "untied" // the products of the embedding with the projections, which differ
	}
	c.Encoding = "learned"
	c.EncodingParams, _ = json.Marshal(map[string]int{"max_length": k.integer("max_position_embeddings", 2048)})
	k.only("_remove_final_layer_norm", "false")
	k.only("layer_norm_elementwise_affine", "true")
	k.ignore("init_std", "layerdrop", "activation_dropout", "prefix")
	return c
}

// optNames: the first two rows of positions are for none; a projected embedding becomes a product.
func optNames(c models.Config, w *renaming) {
	p := w.prefix("model.decoder.", "decoder.")
	w.drop("lm_head.weight")
	if _, projected := w.in[p+"project_in.weight"]; projected {
		embed := w.take(p+"embed_tokens.weight", 2)
		w.put("embed.weight", product(embed, w.take(p+"project_in.weight", 2), true))
		w.put("head.weight", product(embed, w.take(p+"project_out.weight", 2), false))
	} else {
		w.embedding(p+"embed_tokens", "lm_head")
	}
	if t := w.take(p+"embed_positions.weight", 2); t != nil {
		w.put("position.weight", w.rows("embed_positions", t, span(2, w.shapes["position.weight"][0])))
	}
	if c.NormPlace != "after" {
		w.norm("norm", p+"final_layer_norm")
	}
	w.layers(c, p+"layers.%d.", nil, "attn_norm self_attn_layer_norm", "mlp_norm final_layer_norm", "attn.q_proj self_attn.q_proj",
		"attn.k_proj self_attn.k_proj", "attn.v_proj self_attn.v_proj", "attn.o_proj self_attn.out_proj", "mlp.up_proj fc1", "mlp.down_proj fc2")
}
