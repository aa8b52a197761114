package interp

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

func TestEveryOperatorHasAKernel(t *testing.T) {
	got := slices.Sorted(maps.Keys(kernels()))
	if diff := cmp.Diff(graph.Ops(), got); diff != "" {
		t.Errorf("operators without or kernels beyond (-graph.Ops +kernels):\n%s", diff)
	}
}

// TestSharesInput holds the kernels to what graph says of memory. That no other kernel
// returns its input's memory is held by TestKernels of package graph.
func TestSharesInput(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Const(tensor.New(tensor.Float32, 1, 3))
	made := map[string]*graph.Node{
		"Reshape": b.Reshape(x, graph.N(3), graph.N(1)), "Squeeze": b.Squeeze(x, 0), "Unsqueeze": b.Unsqueeze(x, 0),
	}
	for _, op := range graph.Ops() {
		if !graph.SharesInput(op) {
			continue
		}
		n := made[op]
		if n == nil {
			t.Errorf("no row for %s", op)
			continue
		}
		y, err := kernels()[op].pick(n, tensor.Float32)(call{node: n, in: []*tensor.Tensor{x.Value, n.Inputs[1].Value}})
		if err != nil {
			t.Fatal(err)
		}
		if &tensor.Data[float32](y)[0] != &tensor.Data[float32](x.Value)[0] {
			t.Errorf("%s copies", op)
		}
	}
}
