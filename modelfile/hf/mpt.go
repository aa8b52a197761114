package hf

import (
	"github.com/nopezoo/zoo/models"
)

// mpt is MosaicML's MPT: ALiBi, and norms without biases.
func mpt(k *settings) models.Config {
	c := models.Config{VocabSize: k.integer("vocab_size", 0), DModel: k.integer("d_model", 0), NLayers: k.layers("n_layers", 0),
		NHeads: k.heads("n_heads", 0)}
	c = k.headed(c)
	c.DFF, c.Encoding, c.Activation = 4*c.DModel, "alibi", "gelu_exact"
	c.Norm, c.NormEps = "layer", k.number("layer_norm_epsilon", 1e-5)
	c.Bias, c.Head = "none", k.head(true)
	a := &settings{doc: value(k, "attn_config", document{}, "an object"), read: map[string]bool{}}
	if scale := a.number("softmax_scale", 0); scale != 0 {
		c.AttentionScale = text(scale)
	}
	c.ClipQKV = a.number("clip_qkv", 0)
	a.only("alibi", "true")
	a.only("alibi_bias_max", "8", "8.0")
	a.only("attn_type", `"multihead_attention"`)
	a.only("prefix_lm", "false")
	a.only("qk_ln", "false")
	if a.err != nil {
		k.fail("attn_config: %w", a.err)
	}
	k.only("expansion_ratio", "4")
	k.only("logit_scale")
	k.only("no_bias", "true")
	k.ignore("emb_pdrop", "embedding_fraction", "init_device", "learned_pos_emb", "max_seq_len", "norm_type", "init_config",
		"tokenizer_name", "verbose", "init_std", "fc_type", "ffn_config", "use_pad_tok_in_ffn")
	return c
}

func mptNames(c models.Config, w *renaming) {
	p := w.prefix("transformer.", "")
	w.embedding(p+"wte", "lm_head")
	w.put("norm.weight", w.take(p+"norm_f.weight", 1))
	w.zeroBias("norm")
	w.layers(c, p+"blocks.%d.", func(ours, theirs string) {
		for our, their := range map[string]string{"attn_norm": "norm_1", "mlp_norm": "norm_2"} {
			w.put(ours+our+".weight", w.take(theirs+their+".weight", 1))
			w.zeroBias(ours + our)
		}
		w.cut(theirs+"attn.Wqkv", qkv(ours, c))
	}, "attn.o_proj attn.out_proj", "mlp.up_proj ffn.up_proj", "mlp.down_proj ffn.down_proj")
}
