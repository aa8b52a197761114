package pe_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

func TestLearned(t *testing.T) {
	d := pe.Dims{Model: 2}
	e := newEncoding(t, "learned", `{"max_length":3}`, d)
	if got := e.(pe.Bounded).MaxLength(); got != 3 {
		t.Errorf("maximum %d, want 3", got)
	}
	table := map[string]*tensor.Tensor{"position.weight": tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 3, 2)}
	got, err := embedded(t, e, d, []int64{2, 0, 1, 1}, table)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "rows", got, []float64{5, 6, 1, 2, 3, 4, 3, 4}, 0)
	// Beyond the table there is nothing: neither the last row nor a guess.
	_, err = embedded(t, e, d, []int64{3}, table)
	if err == nil || !strings.Contains(err.Error(), "index 3 is out of range") {
		t.Errorf("position 3 of a table of 3 gives %v, want an error", err)
	}
}

func TestLearnedDefaults(t *testing.T) {
	e := newEncoding(t, "learned", ``, pe.Dims{Model: 8})
	p := e.Params()
	if len(p) != 1 || p[0].Shape[0] != 512 || p[0].Shape[1] != 8 || p[0].Std != 0.02 {
		t.Errorf("parameters %+v, want one table of 512 rows", p)
	}
}
