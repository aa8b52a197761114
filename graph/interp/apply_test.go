package interp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// TestApplyHalves: float32 numbers stand for those of 16 bits.
func TestApplyHalves(t *testing.T) {
	for d, want := range map[tensor.DType]float32{tensor.Float16: 2050, tensor.BFloat16: 2048} {
		b := graph.NewBuilder()
		n := b.Cast(b.Input("x", tensor.Float32, graph.N(1)), d)
		v, err := interp.Apply(n, []*tensor.Tensor{tensor.Of([]float32{2049.5}, 1)}, []int{1})
		if err != nil {
			t.Errorf("%v: %v", d, err)
			continue
		}
		if diff := cmp.Diff([]float32{want}, tensor.Data[float32](v)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", d, diff)
		}
	}
}
