package native

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// quantize is QuantizeLinear: every place along an axis has a scale, and what stands for zero.
type quantize struct {
	spans
	s        *step
	n, inner int // of the axis, and of what lies behind it
}

func (q *quantize) prepare(s *step) error {
	shape := s.in[0].shape
	axis := fromFront(graph.Attribute(s.out.part.node, "axis", int64(1)), len(shape))
	q.s, q.n, q.inner = s, shape[axis], product(shape[axis+1:])
	return nil
}

func (q *quantize) run(s *step) error {
	if s.out.size > 0 {
		q.over(s.x, s.out.size/q.inner, q.inner, q)
	}
	return nil
}

func (q *quantize) do(part, _ int) {
	from, to := q.span(part)
	for row := from; row < to; row++ {
		at, k := row*q.inner, row%q.n
		simd.Quantize(q.s.out.u8[at:at+q.inner], q.s.in[0].f[at:], q.s.in[1].f[k], q.s.in[2].u8[k])
	}
}

// intProduct is MatMulInteger with a matrix that was packed when the model was opened.
type intProduct struct {
	s     *step
	split split
}

func intProductMaker(q *part) kernel {
	if q.packedInts == nil {
		return nil
	}
	return &intProduct{}
}

func (p *intProduct) prepare(s *step) error {
	p.s = s
	return nil
}

func (p *intProduct) run(s *step) error {
	y := s.out.part.packedInts
	p.split.over(s.x.pool, s.out.shape[0], y.K, y.N, p)
	return nil
}

func (p *intProduct) do(part, _ int) {
	y, zero := p.s.out.part.packedInts, p.s.in[2].u8[0]
	first, last, from, to := p.split.part(part)
	simd.ProductInts(p.s.out.w[first*y.N:last*y.N], p.s.in[0].u8[first*y.K:last*y.K], last-first, y, zero, from, to)
}

// blockProduct is the product of rows with a matrix of integers in blocks, which was packed when the model was opened and is not
// expanded but for a panel at a time.
type blockProduct struct {
	s     *step
	rows  int
	split split
}

func (p *blockProduct) prepare(s *step) error {
	p.s, p.split.neverByRows = s, true
	return nil
}

func (p *blockProduct) run(s *step) error {
	if y := s.out.part.packedBlocks; y.N > 0 {
		p.rows = s.out.size / y.N
		p.split.over(s.x.pool, p.rows, y.K, y.N, p)
	}
	return nil
}

func (p *blockProduct) do(part, thread int) {
	y := p.s.out.part.packedBlocks
	first, last, from, to := p.split.part(part)
	rows := last - first
	simd.ProductBlocks(p.s.out.f[first*y.N:last*y.N], p.s.in[0].f[first*y.K:last*y.K], rows, y, from, to,
		p.s.x.scratch[thread].sized(simd.BlocksScratch(rows, y)))
}

// dequantize is DequantizeLinear of int8 in blocks along an axis, or of bytes with one scale.
type dequantize struct{ size, inner int }

func (d *dequantize) prepare(s *step) error {
	shape, n := s.in[0].shape, s.out.part.node
	d.size = int(graph.Attribute(n, "block_size", int64(0)))
	d.inner = product(shape[fromFront(graph.Attribute(n, "axis", int64(1)), len(shape))+1:])
	return nil
}

func (d *dequantize) run(s *step) error {
	x, scale, out := s.in[0].i8, s.in[1].f, s.out.f
	for i, v := range s.in[0].u8 {
		out[i] = float32(v) * scale[0]
	}
	for i, v := range x {
		out[i] = float32(v) * scale[i/d.inner/d.size*d.inner+i%d.inner]
	}
	return nil
}
