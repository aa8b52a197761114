package interp

import (
	"maps"
	"slices"
	"strings"
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

// TestLengths has the bounds of a value's size.
func TestLengths(t *testing.T) {
	b := graph.NewBuilder()
	n := b.Input("x", tensor.Float32, graph.Sym("rows"), graph.Sym("columns"))
	for _, tc := range []struct {
		rows, columns int
		bad           string
	}{
		{0, 0, ""},
		{0, maxElements, ""},
		{maxElements, 0, ""},
		{1, maxElements, ""},
		{1 << 17, 1 << 17, ""},
		{1 << 17, 1<<17 + 1, "float32[rows,columns] has too many elements here"},
		{2, maxElements, "has too many elements here"},
		{1, maxElements + 1, "axis columns of float32[rows,columns] is 17179869185"},
		{-1, 1, "axis rows of float32[rows,columns] is -1"},
	} {
		shape, err := lengths(n, map[string]int{"rows": tc.rows, "columns": tc.columns})
		switch {
		case tc.bad != "":
			if err == nil || !strings.Contains(err.Error(), tc.bad) {
				t.Errorf("%d × %d: %v, want %q", tc.rows, tc.columns, err, tc.bad)
			}
		case err != nil || !slices.Equal(shape, []int{tc.rows, tc.columns}):
			t.Errorf("%d × %d: %v, %v", tc.rows, tc.columns, shape, err)
		}
	}
}
