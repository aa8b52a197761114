package pe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// fire adds a learned function of the distance as a part of the query's position (Li et
// al. 2023, arXiv 2310.04418): a network 1 → 32 → H with ReLU, of
//
//	ln(|c|·r + 1) / (ln(|c|·max(i, |μ|·L₀) + 1) + 10⁻⁶)
//
// for the query that sees i tokens before itself and the key at the distance r. c and μ
// are trained, and L₀ is the setting threshold. From |μ|·L₀ tokens on, the argument goes from
// 0 to 1 at every length, so that nothing is new to the network in longer sequences.
//
// The trap is L₀: the paper's 512 suits training on 2,048 tokens. With sequences of 40 the
// argument only gets to 0.41 in training, and to 0.77 at 200 tokens, where the network was
// never trained: what the encoding promises does not happen. Hence the default, half of the
// longest sequence trained on. Some public code takes the minimum for the maximum.
//
// The network has no bias behind its last product, which would be the same for all keys
// of a query. All layers share the network, c and μ (the paper's FIRE-S), or each has its own, as
// in the paper's main models.
type fire struct {
	NoPE
	heads     int
	owners    owners
	threshold float64
}

// fireSettings are the settings.
type fireSettings struct {
	// Where nothing is known of training, the threshold is the paper's 512.
	Threshold int   `json:"threshold" about:"L0, in tokens; default half of the longest sequence in training"`
	Shared    *bool `json:"shared,omitempty" about:"whether all layers have the same weights; default true"`
}

func newFIRE(d Dims, p fireSettings) (Encoding, error) {
	p.Threshold = cmp.Or(p.Threshold, 512)
	if p.Threshold < 1 || p.Threshold > maxPositions {
		return nil, fmt.Errorf("threshold %d: want 1 to %d", p.Threshold, maxPositions)
	}
	return fire{heads: d.Heads, owners: ownersOf(p.Shared, d.Layers), threshold: float64(p.Threshold)}, nil
}

// fitFIRE sets the threshold, where it is not given, to half of the longest sequence.
func fitFIRE(settings json.RawMessage, d Data) (json.RawMessage, error) {
	p, err := parse[fireSettings](settings)
	if err != nil {
		return nil, err
	}
	p.Threshold = cmp.Or(p.Threshold, max(d.Longest/2, 1))
	return json.Marshal(p)
}

// fireWidth is the number of units of the network.
const fireWidth = 32

// The weights of FIRE.
const (
	fireC      = "fire.c"
	fireMu     = "fire.mu"
	fireIn     = "fire.in_proj.weight"
	fireInBias = "fire.in_proj.bias"
	fireOut    = "fire.out_proj.weight"
)

// Params implements Encoding. c starts at 0.1 and μ at 1, as in the paper; the network with the
// standard deviations of PyTorch's linear layers, which the paper's code has.
func (e fire) Params() []Param {
	in, out := 1/math.Sqrt(3), 1/math.Sqrt(3*fireWidth)
	return e.owners.params([]Param{
		{Name: fireC, Shape: []int{1}, Mean: 0.1},
		{Name: fireMu, Shape: []int{1}, Mean: 1},
		{Name: fireIn, Shape: []int{fireWidth, 1}, Std: in, Decay: true},
		{Name: fireInBias, Shape: []int{fireWidth}, Std: in},
		{Name: fireOut, Shape: []int{e.heads, fireWidth}, Std: out, Decay: true},
	})
}

// Bias implements Encoding: the network's value, [B or 1,H,T,S].
func (e fire) Bias(s *Site) *graph.Node {
	b, one, weight := s.B, graph.N(1), e.weights(s)
	x := e.argument(s) // [B or 1,1,T,S]
	batch, units := x.Dim(0), graph.N(fireWidth)
	x = b.Mul(b.Reshape(weight(fireIn), one, units, one, one), x)
	x = b.Relu(b.Add(x, b.Reshape(weight(fireInBias), one, units, one, one))) // [B or 1,32,T,S]
	x = b.MatMul(weight(fireOut), b.Reshape(x, batch, units, s.Seq.Mul(s.Total)))
	return b.Reshape(x, batch, graph.N(e.heads), s.Seq, s.Total)
}

// weights finds the weights of a layer.
func (e fire) weights(s *Site) func(name string) *graph.Node {
	return func(name string) *graph.Node { return s.Param(e.owners.name(s, name)) }
}

// argument returns what the network is given, 0 to 1 for keys that are seen.
func (e fire) argument(s *Site) *graph.Node {
	b, weight := s.B, e.weights(s)
	logarithm := func(x *graph.Node) *graph.Node { // ln(|c·x| + 1)
		return b.Log(b.Add(b.Op("Abs", []*graph.Node{b.Mul(weight(fireC), x)}), b.Float(1)))
	}
	var position *graph.Node // i, [B or 1,1,T,1]; padding does not count
	if s.Randomized {
		position = b.Cast(b.Unsqueeze(s.Positions(), 1, 3), tensor.Float32)
	} else {
		position = b.Sub(s.Seen(), b.Float(1))
	}
	threshold := b.Op("Abs", []*graph.Node{b.Mul(weight(fireMu), b.Float(e.threshold))})
	longest := b.Max(position, threshold)
	r := b.Cast(s.Distances(), tensor.Float32)
	return b.Div(logarithm(r), b.Add(logarithm(longest), b.Float(1e-6)))
}
