package hf

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// ropeObject are the keys of rope_scaling, and of rope_parameters, which has θ and the turning part too.
type ropeObject struct {
	RopeType  string    `json:"rope_type"`
	Type      string    `json:"type"`
	Theta     float64   `json:"rope_theta"`
	Partial   float64   `json:"partial_rotary_factor"`
	Factor    *float64  `json:"factor"`
	Original  int       `json:"original_max_position_embeddings"`
	Low       float64   `json:"low_freq_factor"`
	High      float64   `json:"high_freq_factor"`
	Fast      float64   `json:"beta_fast"`
	Slow      float64   `json:"beta_slow"`
	Attention float64   `json:"attention_factor"`
	MScale    float64   `json:"mscale"`
	MScaleAll float64   `json:"mscale_all_dim"`
	Truncate  *bool     `json:"truncate"`
	Short     []float64 `json:"short_factor"`
	Long      []float64 `json:"long_factor"`
}

// rope are settings of rotation as a family has them where config.json is silent.
type rope struct {
	theta, partial float64
	interleaved    bool
}

// ropeObject reads the object of the older key, which wins, or of the newer one.
func (k *settings) ropeObject() ropeObject {
	o := value(k, "rope_parameters", ropeObject{}, "an object")
	return value(k, "rope_scaling", o, "an object")
}

// rope returns the settings of the encoding rope for heads of c.
func (k *settings) rope(c models.Config, r rope) json.RawMessage {
	o := k.ropeObject()
	r.theta = k.number("rope_theta", cmp.Or(value(k, "rope_parameters", ropeObject{}, "an object").Theta, r.theta))
	r.partial = k.number("partial_rotary_factor", cmp.Or(o.Partial, cmp.Or(r.partial, 1)))
	return k.scaledRope(c, r, o)
}

// scaledRope are the settings with the scaling of an object (modeling_rope_utils.py of transformers).
func (k *settings) scaledRope(c models.Config, r rope, o ropeObject) json.RawMessage {
	s := map[string]any{"theta": r.theta}
	if width := int(float64(c.DHead) * cmp.Or(r.partial, 1)); width != c.DHead { // rounded down, as there
		s["fraction"] = float64(width) / float64(max(c.DHead, 1))
	}
	if r.interleaved {
		s["layout"] = "interleaved"
	}
	kind := cmp.Or(o.RopeType, o.Type)
	factor, longest := 1.0, value(k, "max_position_embeddings", 0, "a whole number")
	if o.Factor != nil {
		factor = *o.Factor
	}
	original := cmp.Or(o.Original, longest)
	switch kind {
	case "", "default":
	case "linear":
		s["scaling"], s["scaling_factor"] = "pi", factor
	case "dynamic":
		s["scaling"], s["scaling_factor"], s["scaling_length"] = "dynamic", factor, longest
	case "llama3":
		s["scaling"], s["scaling_factor"], s["scaling_length"] = "llama3", factor, original
		s["scaling_slow"], s["scaling_fast"] = cmp.Or(o.Low, 1), cmp.Or(o.High, 4)
	case "yarn":
		if o.Truncate != nil && !*o.Truncate {
			k.fail("rope_scaling has truncate false: bounds of yarn's ramp between pairs are not built")
		}
		s["scaling"], s["scaling_ramp"], s["scaling_factor"], s["scaling_length"] = "yarn", "pairs", factor, original
		s["scaling_slow"], s["scaling_fast"] = cmp.Or(o.Slow, 1), cmp.Or(o.Fast, 32)
		magnitude := func(k float64) float64 { return 0.1*k*math.Log(max(factor, 1)) + 1 }
		if o.MScale != 0 && o.MScaleAll != 0 {
			o.Attention = cmp.Or(o.Attention, magnitude(o.MScale)/magnitude(o.MScaleAll))
		}
		s["scaling_attention"] = cmp.Or(o.Attention, magnitude(1))
	case "longrope", "su":
		original = value(k, "original_max_position_embeddings", original, "a whole number")
		if o.Factor == nil && original > 0 {
			factor = float64(longest) / float64(original)
		}
		attention := 1.0
		if factor > 1 {
			attention = math.Sqrt(1 + math.Log(factor)/math.Log(float64(original)))
		}
		s["scaling"], s["scaling_length"], s["scaling_attention"] = "longrope", original, cmp.Or(o.Attention, attention)
		s["scaling_short"], s["scaling_long"] = o.Short, o.Long
	default:
		k.fail("rope_type %q: want default, linear, dynamic, llama3, yarn or longrope", clip([]byte(kind)))
	}
	text, err := json.Marshal(s)
	if err != nil {
		k.fail("rope: %w", err)
	}
	return text
}

// byLayer is a pattern of what each layer has.
func byLayer(layers int, value func(layer int) string) string {
	p := pe.Pattern(lists.Make(min(max(layers, 1), 1<<10), value))
	q, err := pe.ParsePattern(p.String(), 0)
	if err != nil {
		return p.String()
	}
	return q.String()
}

// windows returns Config.Window for a window in layers that slide.
func windows(layers, window int, slides func(layer int) bool) models.Windows {
	return models.Windows(byLayer(layers, func(layer int) string {
		if slides(layer) {
			return strconv.Itoa(window)
		}
		return "0"
	}))
}

// layerTypes reads layer_types: which layers slide; nil where the key is missing.
func (k *settings) layerTypes(layers int) []bool {
	names := value(k, "layer_types", []string(nil), "a list of names")
	if names == nil {
		return nil
	}
	slide := make([]bool, layers)
	if len(names) != layers {
		k.fail("layer_types has %d names for %d layers", len(names), layers)
		return slide
	}
	for i, name := range names {
		if !slices.Contains([]string{"sliding_attention", "full_attention"}, name) {
			k.fail("layer_types: %q: want sliding_attention or full_attention", clip([]byte(name)))
		}
		slide[i] = name == "sliding_attention"
	}
	return slide
}
