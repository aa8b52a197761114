package ort

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

func TestIOs(t *testing.T) {
	got, err := ios([]onnxpb.Value{
		{Name: "x", Type: 7, Shaped: true, Dims: []int64{3, -1, -1}, Axes: []string{"", "batch", ""}},
		{Name: "s", Type: 1, Shaped: true},
		{Name: "w", Type: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []IO{
		{Name: "x", DType: tensor.Int64, Dims: []int64{3, -1, -1}, Axes: []string{"", "batch", ""}},
		{Name: "s", DType: tensor.Float32, Dims: []int64{}, Axes: []string{}},
		{Name: "w", DType: tensor.Float32},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := got[0].String()+" "+got[2].String(), "x[int64 3,batch,?] w[float32 of any shape]"; got != want {
		t.Errorf("described as %s, want %s", got, want)
	}
	if _, err := ios([]onnxpb.Value{{Name: "s", Type: 8}}); err == nil ||
		!strings.Contains(err.Error(), `value "s" has ONNX element type 8`) {
		t.Errorf("a string: %v", err)
	}
}
