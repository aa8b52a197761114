package upkeep

import (
	"context"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// TestMedians chooses among models that copy, as trained, and models that do not, without weights.
func TestMedians(t *testing.T) {
	orttest.Require(t)
	good, err := catalogue.Embedded().Model("copy-rope")
	if err != nil {
		t.Fatal(err)
	}
	other, err := catalogue.Embedded().Model("copy-alibi")
	if err != nil {
		t.Fatal(err)
	}
	bad := good
	bad.Weights = map[string]*tensor.Tensor{}
	for name, w := range good.Weights {
		bad.Weights[name] = tensor.New(w.DType(), w.Shape()...)
	}
	for _, tc := range []struct {
		name  string
		right []bool
		want  int
	}{
		{"two of three copy", []bool{true, false, true}, 0},
		{"one of three copies", []bool{false, true, false}, 2},
		{"one of two copies", []bool{true, false}, 1},
		{"one", []bool{true}, 0},
	} {
		models := []modelfile.Model{other}
		for _, right := range tc.right {
			if right {
				models = append(models, good)
			} else {
				models = append(models, bad)
			}
		}
		got, err := Medians(context.Background(), models, 10, 4)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{0, tc.want + 1}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tc.name, got, want)
		}
	}
}
