package runtime

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
)

// Files that an engine cannot run are refused in words, whatever may go to the CPU.
func TestCheckForm(t *testing.T) {
	for _, tc := range []struct {
		provider string
		card     card.Card
		want     string // of the error
	}{
		{providerWebGPU, card.Card{DType: card.Int8}, "provider webgpu multiplies no matrices of 8 bits; use provider cpu"},
		{providerWebGPU, card.Card{DType: card.Float16}, ""},
		{providerCPU, card.Card{DType: card.Int8}, ""},
		{providerGo, card.Card{DType: card.Int8}, ""},
		{providerCPU, card.Card{DType: card.BFloat16}, "provider cpu multiplies no matrices of bfloat16; use provider cuda, or go"},
		{providerWebGPU, card.Card{DType: card.BFloat16}, "provider webgpu multiplies no matrices of bfloat16; use provider cuda"},
		{providerCUDA, card.Card{DType: card.BFloat16}, ""},
		{providerGo, card.Card{DType: card.BFloat16}, ""},
		{providerWebGPU, card.Card{Form: card.Answers}, "provider webgpu does not run the Loop"},
	} {
		err := checkForm(tc.card, tc.provider)
		if (err == nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.provider, err, tc.want)
		}
	}
}
