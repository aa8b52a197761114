package pe

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// rope rotates pairs of query and key features by angles proportional to the
// position, so that q·k depends on content and offset only (Su et al. 2021,
// arXiv 2104.09864, equation 34).
type rope struct {
	NoPE
	head, width int
	interleaved bool
	freq        []float64 // radians per position, one per pair
	turning     int       // pairs that turn, from the first on
	scaling     ropeScaling
}

// ropeSettings are RoPE's settings.
type ropeSettings struct {
	// Theta is the base B of the frequencies B^(−2c/width); default 10000.
	Theta float64 `json:"theta,omitempty"`
	// Fraction of each head's features that is rotated, from the first on;
	// default 1. Kazemnejad et al. 2023 rotate a quarter.
	Fraction float64 `json:"fraction,omitempty"`
	// P is the part of the frequencies that rotates, from the highest on; default 1. The
	// pairs of the others stay as they are (p-RoPE: Barbero et al. 2024, arXiv 2410.06205).
	// Fraction is another thing: it puts all frequencies into fewer features.
	P float64 `json:"p,omitempty"`
	// Layout of the pairs: "half" (c, c+width/2; default) or "interleaved"
	// (2c, 2c+1). Weights trained with one are wrong with the other.
	Layout string `json:"layout,omitempty"`
	ropeScaling
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
	r := rope{head: d.Head, width: width, interleaved: p.Layout == "interleaved", freq: make([]float64, width/2),
		turning: turning, scaling: scaling}
	for c := range turning {
		r.freq[c] = math.Pow(p.Theta, -2*float64(c)/float64(width))
	}
	for c, freq := range r.freq {
		r.freq[c] *= scaling.of(freq, p.Theta, c, width/2)
	}
	return r, nil
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
	if c := r.scaling.sharpness(); c != 1 && r.scaling.Ramp == "" {
		q = s.B.Mul(q, s.B.Float(c*c))
	}
	return q, k
}

// sharpen multiplies cosines or sines of pairs, which lie along the last axis, by the scaling's
// factor where the pair turns.
func (r rope) sharpen(b *graph.Builder, wave *graph.Node, pairs []int) *graph.Node {
	c := r.scaling.sharpness()
	if c == 1 || r.scaling.Ramp == "" {
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
		angle := s.B.Mul(pos, constant(s.B, r.freq, 1, 1, len(r.freq))) // [B,T,width/2]
		pairs := make([]int, len(r.freq))
		for c := range pairs {
			pairs[c] = c
		}
		cos, sin := r.sharpen(s.B, s.B.Cos(angle), pairs), r.sharpen(s.B, s.B.Sin(angle), pairs)
		attrs := []graph.Attr{{Name: "rotary_embedding_dim", Value: int64(r.width)}}
		if r.interleaved {
			attrs = append(attrs, graph.Attr{Name: "interleaved", Value: int64(1)})
		}
		return s.B.Op("RotaryEmbedding", []*graph.Node{x, cos, sin}, attrs...)
	}
	// (a, b) → (a cos − b sin, b cos + a sin) for each pair, as x∘cos + (x·R)∘sin
	// with the signed permutation R. Features outside the width have frequency 0.
	freq := make([]float64, r.head)
	pairs := slices.Repeat([]int{-1}, r.head)
	swap := make([]float32, r.head*r.head)
	for c, f := range r.freq {
		i, j := r.pair(c)
		freq[i], freq[j] = f, f
		pairs[i], pairs[j] = c, c
		swap[j*r.head+i] = -1
		swap[i*r.head+j] = 1
	}
	angle := s.B.Unsqueeze(s.B.Mul(pos, constant(s.B, freq, 1, 1, r.head)), 1) // [B,1,T,K]
	turned := s.B.MatMul(x, s.B.Const(tensor.Of(swap, r.head, r.head)))
	return s.B.Add(s.B.Mul(x, r.sharpen(s.B, s.B.Cos(angle), pairs)), s.B.Mul(turned, r.sharpen(s.B, s.B.Sin(angle), pairs)))
}

// constant returns v as a float32 constant.
func constant(b *graph.Builder, v []float64, shape ...int) *graph.Node {
	f := make([]float32, len(v))
	for i, x := range v {
		f[i] = float32(x)
	}
	return b.Const(tensor.Of(f, shape...))
}
