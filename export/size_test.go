package export

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// An internal test, because a file beyond the real limit is too large to make.
func TestCheckSize(t *testing.T) {
	b := graph.NewBuilder()
	sum := b.Add(b.Param("w", tensor.Float32, 1000), b.Const(tensor.New(tensor.Float32, 1000)))
	g, err := b.Build(graph.Output{Name: "y", Node: sum})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{"w": tensor.New(tensor.Float32, 1000)}
	const size = 4000 + 4000 + 3*1024
	if err := checkSize(g, weights, size, math.MaxInt); err != nil {
		t.Error(err)
	}
	err = checkSize(g, weights, size-1, math.MaxInt)
	if err == nil || !strings.Contains(err.Error(), "the model takes 11072 bytes") {
		t.Errorf("got %v", err)
	}
}
