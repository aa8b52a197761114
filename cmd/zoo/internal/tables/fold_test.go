package tables_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/export"
)

// TestFolded: what is alike in all layers is one line of at most 80 columns, and nothing else is.
func TestFolded(t *testing.T) {
	var r export.Report
	add := func(to *[]card.Port, name, dtype string, shape ...string) {
		*to = append(*to, card.Port{Name: name, DType: dtype, Shape: shape})
	}
	var other tables.Foreign
	add(&r.Inputs, "input_ids", "int64", "batch", "seq")
	for layer := range 30 {
		width := "64"
		if layer%6 == 5 {
			width = "128"
		}
		for _, kind := range []string{"key", "value"} {
			add(&r.Inputs, fmt.Sprintf("past_key_values.%d.%s", layer, kind), "float32", "batch", "5", "past", "64")
			add(&r.Outputs, fmt.Sprintf("present.%d.%s", layer, kind), "float32", "batch", "5", "past+seq", width)
			other.States = append(other.States, fmt.Sprintf("past_key_values.%d.%s float32[batch,5,past,64] to present.%d.%s", layer, kind, layer, kind))
		}
	}
	add(&r.Inputs, "past.0.state", "float32", "batch", "7")
	add(&r.Outputs, "logits", "float32", "batch", "seq", "257")
	lines := tables.File("x.onnx", r, &other)
	lines = slices.DeleteFunc(lines, func(l []string) bool { return !slices.Contains([]string{"input", "output", "cache", ""}, l[0]) })
	if diff := cmp.Diff([][]string{
		{"input", "input_ids int64[batch,seq]"},
		{"input", "past_key_values.0..29.key|value float32[batch,5,past,64]"},
		{"input", "past.0.state float32[batch,7]"},
		{"output", "present.0..4,6..10,12..16,18..22,24..28.key|value"},
		{"", "float32[batch,5,past+seq,64]"},
		{"output", "present.5..29+6.key|value float32[batch,5,past+seq,128]"},
		{"output", "logits float32[batch,seq,257]"},
		{"cache", "past_key_values.0..29.key|value float32[batch,5,past,64]"},
		{"", "to present.0..29.key|value"},
	}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFoldedAlone(t *testing.T) {
	for _, lines := range [][]string{
		nil,
		{"a.0.key float32[1]", "a.0.value float32[2]"},
		{"a.0.key x to b.1.key", "a.1.key x to b.0.key"}, // not each to its own
		{"a.0.key x to b.0.k", "a.1.value x to b.1.v"},
		{"mask int64[batch]", "mask2 int64[batch]"},
		{"a.00.key x", "a.01.key x"},
		{"a.99999999999999999999.key x", "a.99999999999999999998.key x"},
	} {
		if got := tables.Folded(lines); !slices.Equal(got, lines) {
			t.Errorf("%q became %q", lines, got)
		}
	}
	got := tables.Folded([]string{"h.0 x", "h.1 x", "a_0_key x", "a_1_key x", "a_3_key x"})
	if want := []string{"h.0,1 x", "a_0,1,3_key x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
