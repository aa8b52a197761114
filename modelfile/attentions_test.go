package modelfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// TestAttentions: a file with attention weights has them of each layer, after all other
// outputs, and answers as the file without them does.
func TestAttentions(t *testing.T) {
	for _, profile := range []string{card.Portable, card.Fused} {
		m := lively(t, size("rope", "modern"))
		plain, err := m.ONNX(profile)
		if err != nil {
			t.Fatal(err)
		}
		m.Attentions = true
		file, err := m.ONNX(profile)
		if err != nil {
			t.Fatal(err)
		}
		var outputs [2][]card.Port
		var answers [2][]int64
		for i, data := range [][]byte{plain, file} {
			info, err := export.Inspect(data, nil)
			if err != nil {
				t.Fatal(err)
			}
			outputs[i] = info.Outputs
			s, err := runtime.OpenBytes(data, runtime.Options{Provider: "go"})
			if err != nil {
				t.Fatal(err)
			}
			all, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{{2, 3, 4, 5}}, runtime.GenerateOptions{MaxNew: 16}))
			if err != nil {
				t.Fatal(err)
			}
			answers[i] = all[0]
			s.Close()
		}
		var more []string
		for _, p := range outputs[1][len(outputs[0]):] {
			more = append(more, p.String())
		}
		if diff := cmp.Diff([]string{"attentions.0 float32[batch,4,seq,capacity]", "attentions.1 float32[batch,4,seq,capacity]"}, more); diff != "" {
			t.Errorf("%s: outputs of the file:\n%s", profile, diff)
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("%s: answers:\n%s", profile, diff)
		}
	}
}

func TestAttentionsRefused(t *testing.T) {
	m := lively(t, models.Config{Encoding: "lstm", DModel: 8, NUnits: 12, VocabSize: vocab})
	m.Attentions = true
	if _, err := m.ONNX(card.Portable); err == nil || !strings.Contains(err.Error(), "lstm has no attention in its first layer") {
		t.Errorf("error %v", err)
	}
}
