package tables

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/zoo/verify"
)

func TestDifference(t *testing.T) {
	measured := card.Difference{Engine: "ONNX Runtime 1.29.0, cpu", Logit: 0.5, Relative: 0.25,
		Accuracy: []card.Accuracy{{Task: "copy", Length: 20, N: 50, Correct: 49, Float32: 50}}}
	const want = "logits by up to 0.5 (|Δ| / max(1, |logit|) up to 0.25) on the prompts tried, in ONNX Runtime 1.29.0, cpu, " +
		"which is no bound for others; exact match copy 20: 49 of 50, float32 50"
	if got := difference(measured); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const old = "logits by up to 9.7 (|Δ| / max(1, |logit|) up to 9.7) on the prompts tried, which is no bound for others"
	if got := difference(card.Difference{Logit: 9.7, Relative: 9.7}); got != old {
		t.Errorf("of an older file, without a task: %q, want %q", got, old)
	}
	if got := difference(card.Difference{Logit: 0.5}); strings.Contains(got, "exact match") || strings.HasSuffix(got, " ") {
		t.Errorf("%q speaks of exact matches that were not counted", got)
	}
}

func TestVerified(t *testing.T) {
	for want, f := range map[string]verify.File{
		"not verified":                      {},
		"verified, worst error 0.0012":      {Checks: []string{card.CheckStructure, card.CheckParity}, Worst: 0.00123},
		"verified on webgpu, worst error 0": {Checks: []string{card.CheckParityOn + "webgpu"}},
		"verified in pure Go alone, not in ONNX Runtime, worst error 0":     {Checks: []string{card.CheckStructure, card.CheckGo}},
		"verified against the file that is run step by step, worst error 0": {Checks: []string{card.CheckStructure, card.CheckLooped}},
		"verified, worst error 0; beside float32: logits by up to 0.5 (|Δ| / max(1, |logit|) up to 0) on the prompts tried, " +
			"which is no bound for others": {Checks: []string{card.CheckParity}, Difference: &card.Difference{Logit: 0.5}},
	} {
		if got := Verified(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}
