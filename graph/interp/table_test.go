package interp

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
)

func TestEveryOperatorHasAKernel(t *testing.T) {
	got := slices.Sorted(maps.Keys(kernels()))
	if diff := cmp.Diff(graph.Ops(), got); diff != "" {
		t.Errorf("operators without or kernels beyond (-graph.Ops +kernels):\n%s", diff)
	}
}
