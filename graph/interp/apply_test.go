package interp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// TestApplyHalves: float32 numbers stand for numbers of 16 bits.
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

// TestApplyChecks: a value that is not what was wanted is an error.
func TestApplyChecks(t *testing.T) {
	b := graph.NewBuilder()
	n := b.Gather(b.Input("x", tensor.Float32, graph.N(2)), b.Input("at", tensor.Int64, graph.N(1)), 0)
	x, at := tensor.Of([]float32{1, 2}, 2), tensor.Of([]int64{1}, 1)
	other := *n
	other.DType = tensor.Int64
	for _, tc := range []struct {
		n    *graph.Node
		in   []*tensor.Tensor
		want []int
		err  string
	}{
		{n, []*tensor.Tensor{x, at}, []int{1}, ""},
		{n, []*tensor.Tensor{x, at}, []int{2}, "value is float32[1], want float32[1], which is float32[2] here"},
		{&other, []*tensor.Tensor{x, at}, []int{1}, "value is float32[1], want int64[1], which is int64[1] here"},
		{n, []*tensor.Tensor{x, tensor.Of([]int64{2}, 1)}, []int{1}, "index 2 is out of range"},
		{&graph.Node{Op: "Foo", Inputs: n.Inputs}, nil, nil, "no kernel for operator Foo"},
	} {
		_, err := interp.Apply(tc.n, tc.in, tc.want)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("got %v, want %q", err, tc.err)
		}
	}
}
