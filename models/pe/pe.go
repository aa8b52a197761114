// Package pe holds the positional encodings: one file each, and one table, to which
// other modules add theirs (Register). An encoding is a value whose hooks say where in
// the decoder it acts; the decoder (package models) knows no encoding by name.
//
// Shapes in this package: B batch, T query positions, S key positions (cache
// included), D model width, H heads, K head width.
package pe

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Encoding is what every positional encoding answers. NoPE answers with the
// identity everywhere; the others embed it and override what they need.
type Encoding interface {
	// Params lists the weights that the encoding adds. There is none that it
	// does not use.
	Params() []Param
	// Embed acts on the token embeddings x [B,T,D].
	Embed(s *Site, x *graph.Node) *graph.Node
	// QK acts on queries and keys, both [B,H,T,K], of the new tokens. The keys
	// are cached as returned.
	QK(s *Site, q, k *graph.Node) (*graph.Node, *graph.Node)
	// Bias returns a float32 term that broadcasts to the attention logits
	// [B,H,T,S] and is added to them, or nil. It is added after the scaling of
	// the scores.
	Bias(s *Site) *graph.Node
}

// The optional interfaces carry what the four hooks cannot.
type (
	// LogitMapper transforms the attention logits [B,H,T,S] after the bias and
	// before the mask: score scaling, contextual encodings.
	LogitMapper interface {
		MapLogits(s *Site, q, k, logits *graph.Node) *graph.Node
	}
	// Weigher replaces the softmax: from logits [B,H,T,S] and the bool mask of
	// what may be seen (broadcasts to them) to weights [B,H,T,S].
	Weigher interface {
		Weigh(s *Site, logits, visible *graph.Node) *graph.Node
	}
	// LayerChooser makes a hybrid: the encoding that layer i of n uses.
	LayerChooser interface {
		At(layer, layers int) Encoding
	}
	// Windowed lets a query see the last keys only, so many with itself. States of its
	// layers keep no more, and S is no more than that and the new tokens.
	Windowed interface {
		Window() int
	}
	// Sloped lowers logits with the distance by a slope of each head, 0 for none: logit_scale=adaptive leaves heads
	// with a slope as they are.
	Sloped interface {
		HeadSlopes() []float64
	}
	// Bounded has a greatest sequence length that it can represent, in tokens.
	Bounded interface {
		MaxLength() int
	}
)

// Param declares one weight: its name in checkpoints, its shape, the standard
// deviation of its normal initialisation around Mean (0: constant), and whether
// weight decay applies.
type Param struct {
	Name  string
	Shape []int
	Mean  float64
	Init  []float64 // the mean of each element, instead of Mean, where they differ
	Std   float64
	Decay bool
	// Full says that the weight stays float32 in files whose other matrices are narrower:
	// gates with one output for each head, which take little room and have a large effect.
	Full bool
}

// attentionParam names a weight of a layer's attention.
func attentionParam(layer int, name string) string {
	return fmt.Sprintf("layers.%d.attn.%s", layer, name)
}

// Dims are the sizes an encoding is made for.
type Dims struct {
	Model, Heads, Head, Layers int
}

// Site is the place in a decoder under construction where a hook acts.
type Site struct {
	Dims
	B     *graph.Builder
	Layer int
	// Scale is what the model multiplies q·k with.
	Scale float64
	// Fused allows opset-23 operators.
	Fused bool
	// Batch, Seq and Total are B, T and S. Without a cache S is T.
	Batch, Seq, Total graph.Dim
	// Slots are the new tokens', int64 [T]; nil without a cache. With a cache and
	// a window, slots are counted from the first that the layer keeps.
	Slots *graph.Node
	// IDs are the new tokens', int64 [B,T].
	IDs *graph.Node
	// Hidden is the layer's normalised input [B·T, D]; nil in Embed.
	Hidden *graph.Node
	// Visible returns what a query may see: keys no later than itself that are not
	// padding, and within the layer's window, bool [B or 1, 1, T, S].
	Visible func() *graph.Node
	// Positions returns the position ids [B,T] int64 of the new tokens. An
	// encoding that never calls it makes a model without that input.
	Positions func() *graph.Node
	// Randomized says that positions do not count tokens but ascend in random steps,
	// which is in training only.
	Randomized bool
	// Offset returns the first position of each row, int64 [B,1], where training has drawn
	// it; nil where positions begin at 0.
	Offset func() *graph.Node
	// Param returns the weight with the given name, declared by Params.
	Param func(name string) *graph.Node
	// Grow appends rows for the new tokens to a per-layer state that is cached
	// along axis, and returns the rows of all S slots. Without a cache those
	// are the new rows.
	Grow func(name string, rows *graph.Node, axis int) *graph.Node
	// Carry gives a per-layer state of so many rows, [B,rows,width], that every run rewrites: what the run before left,
	// 0 at first, and a function that takes what the next run finds. Without a cache that function does nothing.
	Carry func(name string, rows int, width graph.Dim) (before *graph.Node, keep func(after *graph.Node))
	// ShortConv is a causal convolution of each channel of x [B,T,C] by itself, with weights [taps,C], the oldest token's
	// first. The state of the name keeps the rows that it sees again.
	ShortConv func(name string, x, weights *graph.Node) *graph.Node
	// Real returns 1 for the new tokens and 0 for padding, float32 [B,T]; nil without a cache, where nothing is padded
	// before a token.
	Real func() *graph.Node
	// Drop is dropout on x [S,width], one row for each distance from the greatest to 0,
	// at a place of the model that all layers share. It is nil where nothing is
	// dropped.
	Drop func(place string, x *graph.Node) *graph.Node
}

// Distances returns the distances that encodings go by: SlotDistances, or where positions are
// randomized the differences of positions, int64 [B,1,T,T].
func (s *Site) Distances() *graph.Node {
	if !s.Randomized {
		return s.SlotDistances()
	}
	at := s.Positions()
	return s.B.Sub(s.B.Unsqueeze(at, 1, 3), s.B.Unsqueeze(at, 1, 2))
}

// SlotDistances returns t − j for query slot t and key slot j as int64 [1,1,T,S];
// negative for later keys, which the causal mask hides. Slots count from the
// first column of the batch, so left padding leaves distances as they are.
func (s *Site) SlotDistances() *graph.Node {
	queries, keys := s.slotPairs()
	return s.B.Sub(queries, keys)
}

// Causal returns which keys are no later than a query; bool, [1,1,T,S].
func (s *Site) Causal() *graph.Node {
	queries, keys := s.slotPairs()
	return s.B.Op("GreaterOrEqual", []*graph.Node{queries, keys})
}

// slotPairs returns the slots of queries and keys as int64 [1,1,T,1] and [1,1,1,S].
func (s *Site) slotPairs() (queries, keys *graph.Node) {
	queries, keys = s.Slots, s.B.Range(graph.N(0), s.Total)
	if queries == nil {
		queries = keys
	}
	return s.B.Unsqueeze(queries, 0, 1, 3), s.B.Unsqueeze(keys, 0, 1, 2)
}

// Seen returns how many keys each query may see, float32 [B or 1, 1, T, 1].
func (s *Site) Seen() *graph.Node {
	return s.B.ReduceSum(s.B.Cast(s.Visible(), tensor.Float32), true, -1)
}

// Past returns Distances with 0 for later keys, which are masked anyway.
func (s *Site) Past() *graph.Node {
	d, zero := s.Distances(), s.B.Const(tensor.Of([]int64{0}))
	return s.B.Where(s.B.Greater(d, zero), d, zero)
}
