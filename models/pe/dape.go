package pe

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph"
)

// dape adapts a bias to the logits (data-adaptive positional encoding, Zheng et al. 2024, arXiv
// 2405.14722; its code once called it CAPE): for each query and key, z of all heads becomes
// z + b + f([z; b]), where b is the bias of another encoding and f an MLP over heads with LeakyReLU,
// 2H → width → H. Each layer has its f, as in the authors' code (chuanyang-Zheng/DAPE).
type dape struct {
	NoPE
	d     Dims
	base  Encoding // only its bias acts
	width int
}

// dapeSettings are the settings.
type dapeSettings struct {
	Base   string `json:"base" about:"encoding that gives b: alibi (default) or kerple"`
	Width  int    `json:"width" about:"width of f; default 32"`
	Shared *bool  `json:"shared,omitempty" about:"whether all layers have the same weights of the base kerple; default true"`
}

// dapeBases are the encodings that can give the bias, with their defaults.
var dapeBases = []string{"alibi", "kerple"}

func newDAPE(d Dims, p dapeSettings) (Encoding, error) {
	p.Base, p.Width = cmp.Or(p.Base, dapeBases[0]), cmp.Or(p.Width, 32)
	if !slices.Contains(dapeBases, p.Base) {
		return nil, fmt.Errorf("base %q: want %s", p.Base, strings.Join(dapeBases, " or "))
	}
	if p.Width < 1 || p.Width > 1024 {
		return nil, fmt.Errorf("width %d: want 1 to 1024", p.Width)
	}
	row, err := Find(p.Base)
	if err != nil {
		return nil, err
	}
	base, err := row.Make.New(d, nil)
	if err != nil {
		return nil, err
	}
	switch k, ok := base.(kerple); {
	case ok:
		k.owners = ownersOf(p.Shared, d.Layers)
		base = k
	case p.Shared != nil:
		return nil, fmt.Errorf("shared %v: the base %s has no weights; leave it out, or set base kerple", *p.Shared, p.Base)
	}
	return dape{d: d, base: base, width: p.Width}, nil
}

// Params implements Encoding: the base's, and f of each layer. Its second layer has no
// bias, which the softmax would not notice.
func (e dape) Params() []Param {
	list := slices.Clone(e.base.Params())
	// The variances of PyTorch's uniform distribution for linear layers, as in the authors' code.
	in, out := 1/math.Sqrt(3*2*float64(e.d.Heads)), 1/math.Sqrt(3*float64(e.width))
	for i := range e.d.Layers {
		first := []int{e.width, e.d.Heads}
		list = append(list,
			Param{Name: dapeParam(i, "logits.weight"), Shape: first, Std: in, Decay: true},
			Param{Name: dapeParam(i, "base.weight"), Shape: first, Std: in, Decay: true},
			Param{Name: dapeParam(i, "bias"), Shape: []int{e.width}, Std: in},
			Param{Name: dapeParam(i, "out.weight"), Shape: []int{e.d.Heads, e.width}, Std: out, Decay: true})
	}
	return list
}

func dapeParam(layer int, name string) string { return attentionParam(layer, "dape."+name) }

// MapLogits implements LogitMapper: z + b + f([z; b]), [B,H,T,S].
func (e dape) MapLogits(s *Site, _, _, logits *graph.Node) *graph.Node {
	b := s.B
	bias := e.base.Bias(s) // [1,H,T,S]
	pairs := func(x *graph.Node) *graph.Node {
		return b.Reshape(x, x.Dim(0), x.Dim(1), s.Seq.Mul(s.Total))
	}
	weight := func(name string) *graph.Node { return s.Param(dapeParam(s.Layer, name)) }
	first, out := weight("logits.weight"), weight("out.weight")
	// Matrices act from the left, so that heads need not become the last axis, and b, which all
	// sequences share, is multiplied once.
	z := pairs(logits)                                                                              // [B,H,T·S]
	fromBase := b.Add(b.MatMul(weight("base.weight"), pairs(bias)), b.Unsqueeze(weight("bias"), 1)) // [1,width,T·S]
	x := b.Add(b.MatMul(first, z), fromBase)                                                        // [B,width,T·S]
	// LeakyReLU(x) is 0.99·ReLU(x) + 0.01·x, and what is linear takes a matrix of H × H instead
	// of passes over all of x.
	small := b.Mul(out, b.Float(0.01))
	linear := b.Add(b.MatMul(b.MatMul(small, first), z), b.MatMul(small, fromBase))
	f := b.Add(b.MatMul(b.Sub(out, small), b.Relu(x)), linear)
	f = b.Reshape(f, logits.Shape...)
	return b.Add(b.Add(logits, bias), f)
}
