package card

import (
	"encoding/json"
	"slices"
)

// WholePrompts reports whether the encoding turns all tokens of a run by the length of the longest text in it: RoPE
// scaled by "dynamic" or "longrope". A prompt that is read in several runs would then be turned by several lengths;
// transformers reads it in one.
func (c Card) WholePrompts() bool {
	var params any
	return json.Unmarshal(c.EncodingParams, &params) == nil && scaledByLength(params)
}

func scaledByLength(params any) bool {
	object, _ := params.(map[string]any)
	for key, value := range object {
		name, _ := value.(string)
		if key == "scaling" && slices.Contains([]string{"dynamic", "longrope"}, name) || scaledByLength(value) {
			return true
		}
	}
	return false
}
