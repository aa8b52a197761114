package hf

import (
	"cmp"
	"encoding/json"

	"github.com/nopezoo/zoo/models"
)

// gptSizes are the sizes under GPT-2's names, which GPT-J and CodeGen have too.
func (k *settings) gptSizes() models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("n_embd", 0), NLayers: k.layers("n_layer", 0),
		NHeads: k.heads("n_head", 0)}
	c.DFF = k.integer("n_inner", 4*c.DModel)
	c.Norm, c.NormEps = "layer", k.number("layer_norm_epsilon", 1e-5)
	c.Activation = k.activation("activation_function", "gelu_new")
	k.ignore("summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj",
		"n_ctx", "tokenizer_class", "gradient_checkpointing", "scale_attn_weights", "rotary")
	return k.headed(c)
}

// gpt2 is GPT-2.
func gpt2(k *settings) models.Config {
	c := k.gptSizes()
	c.Bias, c.Head = "linear", k.head(true)
	c.Encoding = "learned"
	c.EncodingParams, _ = json.Marshal(map[string]int{"max_length": k.integer("n_positions", 1024)})
	if !k.flag("scale_attn_weights", true) {
		c.AttentionScale = "none"
	}
	if k.flag("scale_attn_by_inverse_layer_idx", false) {
		for i := range c.NLayers {
			for range c.NHeads {
				c.LogitFactors = append(c.LogitFactors, 1/float64(i+1))
			}
		}
	}
	k.refuse("add_cross_attention", "decoders with an encoder are not built")
	k.ignore("reorder_and_upcast_attn") // the precision of a product
	return c
}

// gpt2Names: matrices stand as [in, out], and queries, keys and values side by side.
func gpt2Names(c models.Config, w *renaming) {
	w.drop(".attn.bias", ".attn.masked_bias") // masks
	p := w.prefix("transformer.", "")
	w.embedding(p+"wte", "lm_head")
	w.put("position.weight", w.take(p+"wpe.weight", 2))
	w.norm("norm", p+"ln_f")
	w.layers(c, p+"h.%d.", func(ours, theirs string) {
		for _, from := range []string{"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"} {
			name := theirs + from + ".weight"
			if t := w.take(name, 2); t != nil {
				w.in[name] = stored{transposed(t), w.listing}
			}
		}
		w.cut(theirs+"attn.c_attn", qkv(ours, c))
	}, "attn_norm ln_1", "mlp_norm ln_2", "attn.o_proj attn.c_proj", "mlp.up_proj mlp.c_fc", "mlp.down_proj mlp.c_proj")
}

// qkv are the rows of queries, keys and values in a matrix that has them behind one another.
func qkv(ours string, c models.Config) map[string]blocks {
	q, kv := c.NHeads*c.DHead, cmp.Or(c.NKVHeads, c.NHeads)*c.DHead
	return map[string]blocks{ours + "attn.q_proj": span(0, q), ours + "attn.k_proj": span(q, kv), ours + "attn.v_proj": span(q+kv, kv)}
}

// qkvByHead are those rows in a matrix that has them head by head.
func qkvByHead(ours string, c models.Config) map[string]blocks {
	at := func(place int) blocks { return blocks{c.NHeads, 3 * c.DHead, place * c.DHead, c.DHead} }
	return map[string]blocks{ours + "attn.q_proj": at(0), ours + "attn.k_proj": at(1), ours + "attn.v_proj": at(2)}
}
