package runtime

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Files that an engine cannot run are refused in words, also where nodes may go to the CPU.
func TestCheckForm(t *testing.T) {
	for _, tc := range []struct {
		provider string
		card     card.Card
		want     string // of the error
	}{
		{engine.WebGPU, card.Card{DType: card.Int8}, "provider webgpu multiplies no matrices of 8 bits; use provider cpu"},
		{engine.WebGPU, card.Card{DType: card.Float16}, ""},
		{engine.CPU, card.Card{DType: card.Int8}, ""},
		{engine.Go, card.Card{DType: card.Int8}, ""},
		{engine.CPU, card.Card{DType: card.BFloat16}, "provider cpu multiplies no matrices of bfloat16; use provider cuda, or go"},
		{engine.WebGPU, card.Card{DType: card.BFloat16}, "provider webgpu multiplies no matrices of bfloat16; use provider cuda"},
		{engine.CUDA, card.Card{DType: card.BFloat16}, ""},
		{engine.Go, card.Card{DType: card.BFloat16}, ""},
		{engine.WebGPU, card.Card{Form: card.Looped}, "provider webgpu does not run the Loop"},
	} {
		err := checkForm(tc.card, tc.provider)
		if (err == nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.provider, err, tc.want)
		}
	}
}
