package hf

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// stableLM is StableLM: Llama with LayerNorm, and a quarter of each head turning.
func stableLM(k *settings) models.Config {
	c := k.sizes(0, 0)
	c.Encoding, c.Norm, c.MLP, c.NormEps = "rope", "layer", "gated", k.number("layer_norm_eps", 1e-5)
	c.Activation, c.Head = k.activation("hidden_act", "silu"), k.head(false)
	c.Bias = bias(map[string]bool{"qkv": k.flag("use_qkv_bias", false)})
	c.EncodingParams = k.rope(c, rope{theta: 10000, partial: 0.25})
	if k.flag("use_parallel_residual", false) {
		c.Residual = "parallel-shared"
	}
	if k.flag("qk_layernorm", false) {
		c.QKNorm = "layer-by-head"
	}
	return c
}

func stableLMNames(c models.Config, w *renaming) {
	p := w.prefix("model.", "")
	for i := range c.NLayers {
		if c.QKNorm != "" {
			w.stack(layer(i)+"attn.q_norm.weight", p+layer(i)+"self_attn.q_layernorm.norms.%d.weight", c.NHeads)
			w.stack(layer(i)+"attn.k_norm.weight", p+layer(i)+"self_attn.k_layernorm.norms.%d.weight", cmp.Or(c.NKVHeads, c.NHeads))
		}
	}
	llamaNames(c, w)
}

// stack puts vectors of n names behind one another, as rows in float32.
func (w *renaming) stack(ours, theirs string, n int) {
	var rows []float32
	for i := range n {
		t := float32s(w.take(fmt.Sprintf(theirs, i), 1))
		if t == nil {
			return
		}
		rows = append(rows, tensor.Data[float32](t)...)
	}
	if len(rows)%n != 0 {
		w.fail("%s: norms of heads have %d numbers for %d heads", w.listing, len(rows), n)
		return
	}
	w.put(ours, tensor.Of(rows, n, len(rows)/n))
}

// olmo2 is OLMo 2: norms of what sub-layers give, and of all queries and keys of a token.
func olmo2(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(0, 0), 1e-5)
	attention := k.flag("attention_bias", false)
	c.Bias, c.Head = bias(map[string]bool{"qkv": attention, "out": attention}), k.head(false)
	c.NormPlace, c.QKNorm = "output", "rms-all"
	c.EncodingParams = k.rope(c, rope{theta: 10000})
	return c
}

func olmo2Names(c models.Config, w *renaming) {
	w.llama(c, w.prefix("model.", ""), "attn_out_norm post_attention_layernorm", "mlp_out_norm post_feedforward_layernorm")
}
