package models_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// One small encoding per way in which an encoding can act: the contract must
// carry all of them, with and without a cache. (Static biases, rotations and
// position ids are covered by the table.)

// addPositions acts on the embeddings and has a weight.
type addPositions struct{ pe.NoPE }

func (addPositions) Params() []pe.Param {
	return []pe.Param{{Name: "slope.weight", Shape: []int{16}, Mean: 0.1}}
}

func (addPositions) Embed(s *pe.Site, x *graph.Node) *graph.Node {
	p := s.B.Unsqueeze(s.B.Cast(s.Positions(), tensor.Float32), 2)
	return s.B.Add(x, s.B.Mul(p, s.Param("slope.weight")))
}

// halve transforms the logits.
type halve struct{ pe.NoPE }

func (halve) MapLogits(s *pe.Site, _, _, logits *graph.Node) *graph.Node {
	return s.B.Mul(logits, s.B.Float(0.5))
}

// linearWeights replaces the softmax: relu(logits) over what is visible,
// divided by its sum.
type linearWeights struct{ pe.NoPE }

func (linearWeights) Weigh(s *pe.Site, logits, visible *graph.Node) *graph.Node {
	w := s.B.Where(visible, s.B.Add(s.B.Relu(logits), s.B.Float(0.01)), s.B.Float(0))
	return s.B.Div(w, s.B.ReduceSum(w, true, -1))
}

// keyPenalty caches one number per key in addition to keys and values, made from the
// hidden state, and adds it to the logits.
type keyPenalty struct{ pe.NoPE }

func (keyPenalty) Bias(s *pe.Site) *graph.Node {
	mean := s.B.ReduceMean(s.Hidden, true, -1) // [B·T,1]
	rows := s.B.Reshape(mean, s.Batch, graph.N(1), s.Seq)
	return s.B.Unsqueeze(s.Grow("penalty", rows, 2), 2) // [B,1,1,S]
}

// everyOther uses ALiBi in odd layers only.
type everyOther struct{ pe.NoPE }

func (e everyOther) At(layer, _ int) pe.Encoding {
	if layer%2 == 0 {
		return e
	}
	row, _ := pe.Find("alibi")
	alibi, _ := row.Make.New(pe.Dims{Model: 16, Heads: 2, Head: 8, Layers: 1}, nil)
	return alibi
}

func TestContractCarriesEveryClass(t *testing.T) {
	cfg, err := micro("nope", "modern").Resolve()
	if err != nil {
		t.Fatal(err)
	}
	plain := newRunner(t, models.WithEncoding(cfg, pe.NoPE{}), models.Mode{}, 1).step(tokens(9, 1))[0]
	for _, enc := range []pe.Encoding{addPositions{}, halve{}, linearWeights{}, keyPenalty{}, everyOther{}} {
		m := models.WithEncoding(cfg, enc)
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%T/%s", enc, modeName(mode)), func(t *testing.T) {
				full := newRunner(t, m, mode, 1).step(tokens(9, 1))[0]
				if worst(full[8], plain[8]) < 1e-6 {
					t.Error("the encoding has no effect")
				}
				r := newRunner(t, m, mode, 1)
				for i, id := range tokens(9, 1) {
					same(t, fmt.Sprintf("step %d", i), r.step([]int64{id})[0][0], full[i])
				}
				b := graph.NewBuilder()
				f := m.Forward(b, models.Mode{})
				g, err := b.Build(graph.Output{Name: "logits", Node: f.Logits})
				if err != nil {
					t.Fatalf("without a cache: %v", err)
				}
				feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(tokens(9, 1), 1, 9)}
				if g.Input("position_ids") != nil {
					feed["position_ids"] = tensor.Of([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 1, 9)
				}
				out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, lively(m))
				if err != nil {
					t.Fatal(err)
				}
				same(t, "without a cache", tensor.Data[float64](out["logits"]), slices.Concat(full...))
			})
		}
	}
}

// An encoding may declare a greatest length.
type atMost struct{ pe.NoPE }

func (atMost) MaxLength() int { return 40 }

func TestMaxLength(t *testing.T) {
	cfg, err := micro("nope", "modern").Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := models.WithEncoding(cfg, atMost{}).MaxLength(); got != 40 {
		t.Errorf("maximum %d, want 40", got)
	}
	if got := models.WithEncoding(cfg, pe.NoPE{}).MaxLength(); got != 0 {
		t.Errorf("maximum %d for an unbounded encoding, want 0", got)
	}
}
