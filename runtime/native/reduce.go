package native

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// rowwise computes each row of the last axis by itself.
type rowwise struct {
	spans
	width int
	s     *step
	f     func(s *step, row int, out, x []float32) // out is 1 number for a reduction
	out   int                                      // numbers of the value for a row
}

func (r *rowwise) prepare(s *step) error {
	r.s, r.width = s, s.in[0].shape[len(s.in[0].shape)-1]
	return nil
}

func (r *rowwise) run(s *step) error {
	if r.width == 0 {
		for i := range s.out.f { // a reduction of nothing
			r.f(s, i, s.out.f[i:i+1], nil)
		}
		return nil
	}
	r.over(s.x, s.in[0].size/r.width, r.width, r)
	return nil
}

func (r *rowwise) do(part, _ int) {
	out, x := r.s.out.f, r.s.in[0].f
	n := r.width
	if r.out == 1 {
		n = 1
	}
	from, to := r.span(part)
	for k := from; k < to; k++ {
		r.f(r.s, k, out[k*n:(k+1)*n], x[k*r.width:(k+1)*r.width])
	}
}

// rowwiseOver is rowwise whose value may take its operand's place.
type rowwiseOver struct{ rowwise }

func (*rowwiseOver) overwrites(_ *step, operand int) bool { return operand == 0 }

func softmax(_ *step, _ int, out, x []float32) {
	sum := simd.Exp(out, x, simd.Max(x))
	simd.MulWith(out, out, 1/sum)
}

func rmsNormalization(s *step, _ int, out, x []float32) {
	n := s.out.part.node
	r := 1 / math.Sqrt(float64(simd.Dot(x, x))/float64(len(x))+float64(graph.Attribute(n, "epsilon", float32(1e-5))))
	simd.Mul(out, x, s.in[1].f)
	simd.MulWith(out, out, float32(r))
}

func meanOf(_ *step, _ int, out, x []float32) { out[0] = simd.Sum(x) / float32(len(x)) }
func sumOf(_ *step, _ int, out, x []float32)  { out[0] = simd.Sum(x) }
func maxOf(_ *step, _ int, out, x []float32)  { out[0] = simd.Max(x) }

// reduction makes a kernel for reductions over the last axis.
func reduction(f func(s *step, row int, out, x []float32)) maker {
	return func(q *part) kernel {
		if len(q.axes) != 1 {
			return nil
		}
		rank := len(q.node.Inputs[0].Shape)
		if fromFront(q.axes[0], rank) != rank-1 {
			return nil
		}
		return &rowwise{f: f, out: 1}
	}
}

func softmaxMaker(q *part) kernel {
	if !lastAxis(q.node) {
		return nil
	}
	return &rowwiseOver{rowwise{f: softmax}}
}

func normMaker(q *part) kernel {
	rank := len(q.node.Shape)
	if fromFront(graph.Attribute(q.node, "axis", int64(-1)), rank) != rank-1 {
		return nil
	}
	return &rowwiseOver{rowwise{f: rmsNormalization}}
}

// cumSum adds up along an axis, in double precision as the interpreter does: sums of many
// small numbers are what encodings with counted positions are made of.
type cumSum struct{ outer, n, inner int }

func cumSumMaker(q *part) kernel {
	if q.kindOf(0) != floats || len(q.axes) != 1 {
		return nil
	}
	return &cumSum{}
}

func (c *cumSum) prepare(s *step) error {
	axis := fromFront(s.out.part.axes[0], len(s.out.shape))
	c.outer, c.n, c.inner = product(s.out.shape[:axis]), s.out.shape[axis], product(s.out.shape[axis+1:])
	return nil
}

func (c *cumSum) run(s *step) error {
	exclusive, reverse := graph.Attribute(s.out.part.node, "exclusive", int64(0)) != 0, graph.Attribute(s.out.part.node, "reverse", int64(0)) != 0
	out, x := s.out.f, s.in[0].f
	for o := range c.outer {
		for i := range c.inner {
			at, step := o*c.n*c.inner+i, c.inner
			if reverse {
				at, step = at+(c.n-1)*c.inner, -c.inner
			}
			sum := 0.0
			for range c.n {
				before := sum
				sum += float64(x[at])
				out[at] = float32(sum)
				if exclusive {
					out[at] = float32(before)
				}
				at += step
			}
		}
	}
	return nil
}
