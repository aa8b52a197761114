package pe_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

func newEncoding(t testing.TB, name, settings string, d pe.Dims) pe.Encoding {
	t.Helper()
	row, err := pe.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := row.Make.New(d, json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// hook runs one hook of an encoding in float64, given the fed values and the
// weights. Inputs for Embed are x [1,T,D]; positions are position_ids.
func hook(
	t testing.TB, e pe.Encoding, d pe.Dims, feed, weights map[string]*tensor.Tensor, call func(s *pe.Site) *graph.Node,
) (*tensor.Tensor, error) {
	t.Helper()
	b := graph.NewBuilder()
	s := site(b, d, false)
	s.Param = func(name string) *graph.Node {
		for _, p := range e.Params() {
			if p.Name == name {
				return b.Param(name, tensor.Float32, p.Shape...)
			}
		}
		return b.Fail(fmt.Errorf("no weight %s", name))
	}
	b.Input("input_ids", tensor.Int64, s.Batch, s.Seq)
	g, err := b.Build(graph.Output{Name: "out", Node: call(s)})
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, weights)
	return out["out"], err
}

// bias returns the bias [H,n,n] of an encoding for n tokens.
func bias(t testing.TB, e pe.Encoding, d pe.Dims, n int, weights map[string]*tensor.Tensor) []float64 {
	t.Helper()
	feed := map[string]*tensor.Tensor{"input_ids": tensor.New(tensor.Int64, 1, n)}
	out, err := hook(t, e, d, feed, weights, e.Bias)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](out)
}

// embedded returns what an encoding adds to the embedding at each position.
func embedded(
	t testing.TB, e pe.Encoding, d pe.Dims, positions []int64, weights map[string]*tensor.Tensor,
) ([]float64, error) {
	t.Helper()
	feed := map[string]*tensor.Tensor{
		"x":            tensor.New(tensor.Float32, 1, len(positions), d.Model),
		"position_ids": tensor.Of(positions, 1, len(positions)),
	}
	out, err := hook(t, e, d, feed, weights, func(s *pe.Site) *graph.Node {
		return e.Embed(s, s.B.Input("x", tensor.Float32, s.Batch, s.Seq, graph.N(d.Model)))
	})
	if err != nil {
		return nil, err
	}
	return tensor.Data[float64](out), nil
}
