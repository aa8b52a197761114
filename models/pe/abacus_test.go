package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// By hand: "12+345=" with the digits 3 to 12, each place from 1 in its number, and all
// of a sequence moved on by the offset.
func TestAbacusByHand(t *testing.T) {
	d := pe.Dims{Model: 1, Heads: 1, Head: 1}
	e := newEncoding(t, "abacus", `{"rows":20,"digits":[3,4,5,6,7,8,9,10,11,12]}`, d)
	table := tensor.New(tensor.Float32, 20, 1)
	for i := range tensor.Data[float32](table) {
		tensor.Data[float32](table)[i] = float32(i) // so that what is added is the place
	}
	feed := map[string]*tensor.Tensor{
		"x":         tensor.New(tensor.Float32, 1, 7, 1),
		"input_ids": tensor.Of([]int64{4, 5, 1, 6, 7, 8, 2}, 1, 7),
		"offset":    tensor.Of([]int64{10}, 1, 1),
	}
	for offset, want := range map[bool][]float64{
		false: {1, 2, 0, 1, 2, 3, 0}, true: {11, 12, 0, 11, 12, 13, 0},
	} {
		out, err := hook(t, e, d, feed, map[string]*tensor.Tensor{"place.weight": table}, func(s *pe.Site) *graph.Node {
			slots := s.B.Range(graph.N(0), s.Total)
			s.IDs = s.B.Input("input_ids", tensor.Int64, s.Batch, s.Seq)
			s.Grow = func(_ string, rows *graph.Node, _ int) *graph.Node { return rows }
			s.Visible = func() *graph.Node {
				return s.B.Unsqueeze(s.B.Op("GreaterOrEqual", []*graph.Node{s.B.Unsqueeze(slots, 1), s.B.Unsqueeze(slots, 0)}), 0, 1)
			}
			shift := s.B.Input("offset", tensor.Int64, s.Batch, graph.N(1))
			if offset {
				s.Offset = func() *graph.Node { return shift }
			}
			return e.Embed(s, s.B.Input("x", tensor.Float32, s.Batch, s.Seq, graph.N(1)))
		})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "places", tensor.Data[float64](out), want, 0)
	}
}

// The digits are the vocabulary's, with a space before them too.
func TestAbacusFit(t *testing.T) {
	row, err := pe.Find("abacus")
	if err != nil {
		t.Fatal(err)
	}
	words := pe.Data{Pieces: []string{"<pad>", "</s>", "7", " 7", "17", "x", " 0", "٣"}}
	for _, tc := range []struct{ settings, want string }{
		{``, `{"digits":[2,3,6]}`}, {`{"rows":9}`, `{"rows":9,"digits":[2,3,6]}`}, {`{"digits":[5]}`, `{"digits":[5]}`},
	} {
		got, err := row.Fit(json.RawMessage(tc.settings), words)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s fitted: %s (%v), want %s", tc.settings, got, err, tc.want)
		}
	}
	if _, err := row.Fit(nil, pe.Data{Pieces: []string{"<pad>", "</s>", "x"}}); err == nil ||
		!strings.Contains(err.Error(), "no token of the vocabulary is one") {
		t.Errorf("without digits: %v", err)
	}
}
