package pe_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// fireArgument returns what FIRE's network is given, [n,n], with c = 0.1: the weights
// make it return that.
func fireArgument(t *testing.T, settings string, mu float32, n int) []float64 {
	t.Helper()
	d := pe.Dims{Model: 1, Heads: 1, Head: 1}
	e := newEncoding(t, "fire", settings, d)
	weights := map[string]*tensor.Tensor{}
	for _, p := range e.Params() {
		weights[p.Name] = tensor.New(tensor.Float32, p.Shape...)
	}
	set := func(name string, x float32) { tensor.Data[float32](weights[name])[0] = x }
	set("fire.c", 0.1)
	set("fire.mu", mu)
	set("fire.in_proj.weight", 1)
	set("fire.out_proj.weight", 1)
	feed := map[string]*tensor.Tensor{"input_ids": tensor.New(tensor.Int64, 1, n)}
	out, err := hook(t, e, d, feed, weights, func(s *pe.Site) *graph.Node {
		slots := s.B.Range(graph.N(0), s.Total)
		s.Visible = func() *graph.Node {
			return s.B.Unsqueeze(s.B.Op("GreaterOrEqual", []*graph.Node{s.B.Unsqueeze(slots, 1), s.B.Unsqueeze(slots, 0)}), 0, 1)
		}
		return e.Bias(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](out)
}

// By hand, with c = 0.1 and the threshold 512: ln 2/ln 52.2 = 0.175255 for the distance
// 10 of query 20, which is before the threshold. With the threshold 16 it is ln 2/ln 3 =
// 0.630930; so it is with 8 and μ = −2. 1e-6 is the printed precision, and c's.
func TestFIREByHand(t *testing.T) {
	const n, at = 21, 20*21 + 10
	for _, tc := range []struct {
		settings string
		mu       float32
		want     float64
	}{
		{``, 1, 0.175255}, {`{"threshold":512}`, 1, 0.175255},
		{`{"threshold":16}`, 1, 0.630930}, {`{"threshold":8}`, -2, 0.630930}, {`{"threshold":256}`, -2, 0.175255},
	} {
		near(t, tc.settings, fireArgument(t, tc.settings, tc.mu, n)[at:][:1], []float64{tc.want}, 2e-6)
	}
}

// From the threshold on, every query's arguments go from 0 at itself to 1 at the first key,
// however long the sequence is; before it they stay below.
func TestFIREStaysInRange(t *testing.T) {
	const n = 50
	x := fireArgument(t, `{"threshold":10}`, 1, n)
	for q := range n {
		first, own := x[q*n], x[q*n+q]
		if own != 0 || q >= 10 && (first < 0.99999 || first > 1) || q < 10 && first > 0.97 {
			t.Errorf("query %d: arguments from %v to %v", q, own, first)
		}
		for k := 1; k <= q; k++ {
			if x[q*n+k] >= x[q*n+k-1] {
				t.Errorf("query %d: the argument does not fall from key %d to the nearer one", q, k-1)
			}
		}
	}
}

// The threshold follows from the longest sequence where it is not given.
func TestFIREFit(t *testing.T) {
	row, err := pe.Find("fire")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		settings string
		longest  int
		want     string
	}{
		{``, 41, `{"threshold":20}`}, {`{}`, 1, `{"threshold":1}`}, {`{"threshold":7}`, 100, `{"threshold":7}`},
	} {
		got, err := row.Fit(json.RawMessage(tc.settings), pe.Data{Longest: tc.longest})
		if err != nil || string(got) != tc.want {
			t.Errorf("%s fitted to %d tokens: %s (%v), want %s", tc.settings, tc.longest, got, err, tc.want)
		}
	}
	if got, err := row.Fit(json.RawMessage(`{"treshold":7}`), pe.Data{Longest: 9}); err == nil || !strings.Contains(err.Error(), "treshold") {
		t.Errorf("a setting that there is not: %s, %v", got, fmt.Sprint(err))
	}
}
