package hf

import (
	"encoding/json"

	"github.com/nopezoo/zoo/models"
)

// smollm3 is SmolLM3: Llama in which each fourth layer has no rotation. Layers that slide, if any, are those.
func smollm3(k *settings) models.Config {
	c := k.llamaBlock(k.sizes(4, 0), 1e-6)
	attention := k.flag("attention_bias", false)
	c.Bias = bias(map[string]bool{"qkv": attention, "out": attention, "mlp": k.flag("mlp_bias", false)})
	c.Head = k.head(true)
	turns, interval := value(k, "no_rope_layers", []int(nil), "a list of 0 and 1"), k.integer("no_rope_layer_interval", 4)
	if turns != nil && len(turns) != c.NLayers {
		k.fail("no_rope_layers has %d numbers for %d layers", len(turns), c.NLayers)
		return c
	}
	turning := func(i int) bool {
		if turns == nil {
			return (i+1)%interval != 0
		}
		return turns[i] != 0 // 1 says that there is a rotation
	}
	c.Encoding = byLayer(c.NLayers, func(i int) string {
		if turning(i) {
			return "rope"
		}
		return "nope"
	})
	if own := k.rope(c, rope{theta: 2e6}); c.Encoding == "rope" {
		c.EncodingParams = own
	} else if c.Encoding != "nope" {
		c.EncodingParams, _ = json.Marshal(map[string]json.RawMessage{"rope": own})
	}
	slides, window := k.flag("use_sliding_window", false), value(k, "sliding_window", 0, "a whole number")
	types := k.layerTypes(c.NLayers)
	if slides && window != 0 {
		c.Window = windows(c.NLayers, window, func(i int) bool { return types != nil && types[i] || types == nil && !turning(i) })
	}
	k.ignore("pretraining_tp", "max_window_layers")
	return c
}
