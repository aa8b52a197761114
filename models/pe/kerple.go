package pe

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// kerple lowers the logit by a kernel of the distance r with two trained numbers of each
// head, which all layers share: r₁·ln(1 + r₂·r), or r₁·r^r₂ with r₂ up to 2 (Chi et al.
// 2022, arXiv 2205.09921; chijames/KERPLE).
//
// Both numbers must stay positive. The paper's code sets them back to 0.01 before a pass
// where the optimizer took them below; a clamp in the graph instead would leave such a
// number without a gradient. Here they are softplus of what is trained, the exponent
// 2·sigmoid of it, so that nothing has to be set back and all have gradients.
//
// The paper's code draws what starts as a factor or rate from (0, 1), but r₁ of the
// logarithm and the exponent from (0, 2). Here the heads are spread evenly over these
// intervals, from the flattest to the steepest.
type kerple struct {
	NoPE
	power  bool
	owners owners
	r1, r2 []float64 // as they start, before they are made positive
}

// kerpleSettings are the settings.
type kerpleSettings struct {
	Kind string `json:"kind" about:"log (default) or power"`
}

func newKERPLE(d Dims, p kerpleSettings) (Encoding, error) {
	p.Kind = cmp.Or(p.Kind, "log")
	if p.Kind != "log" && p.Kind != "power" {
		return nil, fmt.Errorf("kind %q is unknown; use log or power", p.Kind)
	}
	e := kerple{power: p.Kind == "power"}
	for h := range d.Heads {
		part := (float64(h) + 0.5) / float64(d.Heads)
		if e.power {
			e.r1 = append(e.r1, unsoftplus(part))
			e.r2 = append(e.r2, math.Log(part/(1-part))) // 2·sigmoid of it is 2·part
		} else {
			e.r1 = append(e.r1, unsoftplus(2*part))
			e.r2 = append(e.r2, unsoftplus(part))
		}
	}
	return e, nil
}

// unsoftplus returns the x whose softplus ln(1 + e^x) is y.
func unsoftplus(y float64) float64 { return math.Log(math.Expm1(y)) }

const kerpleR1, kerpleR2 = "kerple_r1", "kerple_r2"

// Params implements Encoding: both numbers before they are made positive, [H] each.
func (e kerple) Params() []Param {
	heads := []int{len(e.r1)}
	return e.owners.params([]Param{{Name: kerpleR1, Shape: heads, Init: e.r1}, {Name: kerpleR2, Shape: heads, Init: e.r2}})
}

// Bias implements Encoding: −r₁·ln(1 + r₂·r) or −r₁·r^r₂, [1,H,T,S].
func (e kerple) Bias(s *Site) *graph.Node {
	b := s.B
	number := func(name string) *graph.Node {
		return b.Reshape(s.Param(e.owners.name(s, name)), graph.N(1), graph.N(len(e.r1)), graph.N(1), graph.N(1))
	}
	r := b.Relu(b.Cast(s.Distances(), tensor.Float32)) // later keys are masked anyway
	one := b.Float(1)
	var kernel *graph.Node
	if e.power {
		// r^p is min(r, 1)·e^(p·ln max(r, 1)) for whole r: there is no ln 0.
		exponent := b.Mul(b.Sigmoid(number(kerpleR2)), b.Float(2))
		kernel = b.Mul(b.Min(r, one), b.Exp(b.Mul(exponent, b.Log(b.Max(r, one)))))
	} else {
		kernel = b.Log(b.Add(b.Mul(b.Softplus(number(kerpleR2)), r), one))
	}
	return b.Mul(b.Neg(b.Softplus(number(kerpleR1))), kernel)
}
