package pe

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// rope rotates pairs of query and key features by angles proportional to the
// position, so that q·k depends on content and offset only (Su et al. 2021,
// arXiv 2104.09864, equation 34).
type rope struct {
	NoPE
	head, width int
	interleaved bool
	freq        []float64 // radians per position, one per pair
	long        []float64 // of longrope, in freq's place in texts of more than scaling.Length tokens
	turning     int       // pairs that turn, from the first on
	scaling     ropeScaling
}

// ropeSettings are RoPE's settings.
type ropeSettings struct {
	// Theta is the base B of the frequencies B^(−2c/width).
	Theta float64 `json:"theta,omitempty" about:"base of the frequencies; default 10000"`
	// Kazemnejad et al. 2023 rotate a fraction of a quarter.
	Fraction float64 `json:"fraction,omitempty" about:"part of each head's features that is rotated, from the first on; default 1"`
	// The pairs of the frequencies that P leaves out stay as they are (p-RoPE: Barbero et al. 2024, arXiv 2410.06205).
	// Fraction is another thing: it puts all frequencies into fewer features.
	P float64 `json:"p,omitempty" about:"part of the frequencies that rotates, from the highest on; default 1"`
	// Weights trained with one layout are wrong with the other.
	Layout string `json:"layout,omitempty" about:"pairs of features: half (c, c+width/2; default) or interleaved (2c, 2c+1)"`
	ropeScaling
	Short []float64 `json:"scaling_short,omitempty" about:"longrope's divisors of the frequencies in short texts, one for each pair"`
	Long  []float64 `json:"scaling_long,omitempty" about:"the same in texts of more than scaling_length tokens"`
}

func newRoPE(d Dims, p ropeSettings) (Encoding, error) {
	p.Theta = cmp.Or(p.Theta, 10000)
	p.Fraction = cmp.Or(p.Fraction, 1)
	p.P = cmp.Or(p.P, 1)
	p.Layout = cmp.Or(p.Layout, "half")
	width := int(math.Round(p.Fraction * float64(d.Head)))
	turning := int(p.P*float64(width/2) + 1e-9) // pairs, rounded down, after the error of a product
	switch {
	case p.Theta <= 1:
		return nil, fmt.Errorf("theta %v must be greater than 1", p.Theta)
	case p.Fraction < 0 || p.Fraction > 1:
		return nil, fmt.Errorf("fraction %v must be in (0, 1]", p.Fraction)
	case width == 0 || width%2 != 0:
		return nil, fmt.Errorf("fraction %v of head width %d rotates %d features; the number must be even and positive",
			p.Fraction, d.Head, width)
	case p.P < 0 || p.P > 1:
		return nil, fmt.Errorf("p %v must be in (0, 1]", p.P)
	case turning == 0:
		return nil, fmt.Errorf("p %v of %d frequencies leaves none; nope has no rotation", p.P, width/2)
	case p.Layout != "half" && p.Layout != "interleaved":
		return nil, fmt.Errorf("layout %q is unknown; use half or interleaved", p.Layout)
	}
	scaling, err := p.ropeScaling.resolve(width / 2)
	if err != nil {
		return nil, err
	}
	want := 0
	if p.Scaling == longRoPE {
		want = width / 2
	}
	if len(p.Short) != want || len(p.Long) != want {
		return nil, fmt.Errorf("scaling_short has %d numbers and scaling_long %d; want %d with scaling %q",
			len(p.Short), len(p.Long), want, p.Scaling)
	}
	for _, f := range slices.Concat(p.Short, p.Long) {
		if !(f > 0 && f <= maxScaling) {
			return nil, fmt.Errorf("scaling_short and scaling_long: %v: want positive numbers up to %d", f, maxScaling)
		}
	}
	r := rope{head: d.Head, width: width, interleaved: p.Layout == "interleaved", freq: make([]float64, width/2),
		turning: turning, scaling: scaling}
	copy(r.freq, frequencies(p.Theta, width)[:turning])
	for c, freq := range r.freq {
		r.freq[c] *= scaling.multiplier(freq, p.Theta, c, width/2)
	}
	if scaling.Scaling == longRoPE {
		r.long = slices.Clone(r.freq)
		for c := range r.freq {
			r.freq[c] /= p.Short[c]
			r.long[c] /= p.Long[c]
		}
	}
	return r, nil
}

// frequencies returns the frequencies of pairs, [1,1,n]; −1 is a feature that does not turn. With the scalings dynamic
// and longrope they depend on the longest text of the run, rows of a batch together, as transformers has it.
func (r rope) frequencies(s *Site, pairs []int) *graph.Node {
	b := s.B
	ofPairs := func(value func(c int) float64) *graph.Node {
		values := make([]float64, len(pairs))
		for i, c := range pairs {
			if c >= 0 {
				values[i] = value(c)
			}
		}
		return constant(b, values, 1, 1, len(values))
	}
	freq := ofPairs(func(c int) float64 { return r.freq[c] })
	if r.scaling.Scaling != dynamic && r.scaling.Scaling != longRoPE {
		return freq
	}
	length := b.Float(float64(r.scaling.Length))
	text := b.Add(b.ReduceMax(b.Cast(s.Positions(), tensor.Float32), false, 0, 1), b.Float(1)) // tokens so far
	if r.scaling.Scaling == longRoPE {
		return b.Where(b.Greater(text, length), ofPairs(func(c int) float64 { return r.long[c] }), freq)
	}
	growth := b.Sub(b.Mul(b.Div(b.Max(text, length), length), b.Float(r.scaling.Factor)), b.Float(r.scaling.Factor-1))
	power := ofPairs(func(c int) float64 { return -2 * float64(c) / float64(r.width-2) })
	return b.Mul(freq, b.Exp(b.Mul(power, b.Log(growth)))) // θ·growth^(w/(w−2)) in θ's place
}

// pair returns the two features of pair c.
func (r rope) pair(c int) (int, int) {
	if r.interleaved {
		return 2 * c, 2*c + 1
	}
	return c, c + r.width/2
}

// QK implements Encoding: both are rotated by their own positions.
func (r rope) QK(s *Site, q, k *graph.Node) (*graph.Node, *graph.Node) {
	q, k = r.rotate(s, q), r.rotate(s, k)
	if c := r.scaling.sharpness(); c != 1 && r.scaling.sharpensQueries() {
		q = s.B.Mul(q, s.B.Float(c*c))
	}
	return q, k
}

// sharpen multiplies cosines or sines of pairs, which lie along the last axis, by the scaling's
// factor where the pair turns.
func (r rope) sharpen(b *graph.Builder, wave *graph.Node, pairs []int) *graph.Node {
	c := r.scaling.sharpness()
	if c == 1 || r.scaling.sharpensQueries() {
		return wave
	}
	factors := make([]float64, len(pairs))
	for i, pair := range pairs {
		if factors[i] = 1; pair >= 0 && pair < r.turning {
			factors[i] = c
		}
	}
	return b.Mul(wave, constant(b, factors, len(factors)))
}

func (r rope) rotate(s *Site, x *graph.Node) *graph.Node {
	pos := s.B.Unsqueeze(s.B.Cast(s.Positions(), tensor.Float32), 2) // [B,T,1]
	if s.Fused {
		pairs := lists.Make(len(r.freq), func(c int) int { return c })
		angle := s.B.Mul(pos, r.frequencies(s, pairs)) // [B,T,width/2]
		cos, sin := r.sharpen(s.B, s.B.Cos(angle), pairs), r.sharpen(s.B, s.B.Sin(angle), pairs)
		attrs := []graph.Attr{{Name: "rotary_embedding_dim", Value: int64(r.width)}}
		if r.interleaved {
			attrs = append(attrs, graph.Attr{Name: "interleaved", Value: int64(1)})
		}
		return s.B.Op("RotaryEmbedding", []*graph.Node{x, cos, sin}, attrs...)
	}
	// (a, b) → (a cos − b sin, b cos + a sin) for each pair, as x∘cos + (x·R)∘sin
	// with the signed permutation R. Features outside the width have frequency 0.
	pairs := slices.Repeat([]int{-1}, r.head)
	swap := make([]float32, r.head*r.head)
	for c := range r.freq {
		i, j := r.pair(c)
		pairs[i], pairs[j] = c, c
		swap[j*r.head+i] = -1
		swap[i*r.head+j] = 1
	}
	angle := s.B.Unsqueeze(s.B.Mul(pos, r.frequencies(s, pairs)), 1) // [B,1,T,K]
	turned := s.B.MatMul(x, s.B.Const(tensor.Of(swap, r.head, r.head)))
	return s.B.Add(s.B.Mul(x, r.sharpen(s.B, s.B.Cos(angle), pairs)), s.B.Mul(turned, r.sharpen(s.B, s.B.Sin(angle), pairs)))
}

// constant returns v as a float32 constant.
func constant(b *graph.Builder, v []float64, shape ...int) *graph.Node {
	f := lists.Map(v, func(x float64) float32 { return float32(x) })
	return b.Const(tensor.Of(f, shape...))
}
