package hf

import (
	"encoding/json"

	"github.com/nopezoo/zoo/models"
)

// gptJ is GPT-J and CodeGen: attention and feed-forward layer read the same norm.
func gptJ(k *settings) models.Config {
	c := k.gptSizes()
	c.Residual, c.Bias, c.Head = "parallel-shared", "mlp,head", k.head(false)
	if c.Head == "tied" {
		k.fail("tie_word_embeddings is true: the head has a bias of its own, and is not built so")
	}
	turning := k.integer("rotary_dim", 64)
	c.Encoding = "rope"
	c.EncodingParams, _ = json.Marshal(map[string]any{"fraction": float64(turning) / float64(max(c.DHead, 1)), "layout": "interleaved"})
	k.ignore("n_positions") // the length of a table: rotations have none
	return c
}

func gptJNames(c models.Config, w *renaming) { gptJLayers(c, w, nil) }

// codeGenNames: queries, values and keys stand in four shards, in this order.
func codeGenNames(c models.Config, w *renaming) {
	const shards = 4
	part := c.DModel / shards
	at := func(place int) blocks { return blocks{shards, 3 * part, place * part, part} }
	gptJLayers(c, w, func(ours, theirs string) {
		w.cut(theirs+"attn.qkv_proj", map[string]blocks{ours + "attn.q_proj": at(0), ours + "attn.v_proj": at(1), ours + "attn.k_proj": at(2)})
	})
}

func gptJLayers(c models.Config, w *renaming, cut func(ours, theirs string)) {
	w.drop(".attn.bias", ".attn.masked_bias", ".attn.causal_mask", ".attn.embed_positions")
	p := w.prefix("transformer.", "")
	w.embedding(p+"wte", "lm_head")
	w.norm("norm", p+"ln_f")
	w.layers(c, p+"h.%d.", cut, "attn_norm ln_1", "attn.q_proj attn.q_proj", "attn.k_proj attn.k_proj", "attn.v_proj attn.v_proj",
		"attn.o_proj attn.out_proj", "mlp.up_proj mlp.fc_in", "mlp.down_proj mlp.fc_out")
}
