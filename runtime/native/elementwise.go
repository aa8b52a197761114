package native

import (
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// shared says how many numbers of a step without products are worth a second thread.
const shared = 1 << 15

// spans divides rows among threads where there is work enough for them.
type spans struct{ rows, each int }

// over runs the work on rows of a width, in spans of rows.
func (s *spans) over(x *executor, rows, width int, work divided) {
	s.rows, s.each = rows, rows
	if rows*width >= shared {
		s.each = (rows + x.pool.threads - 1) / x.pool.threads
	}
	if s.each > 0 {
		x.pool.do((rows+s.each-1)/s.each, work)
	}
}

func (s *spans) span(part int) (from, to int) {
	return part * s.each, min((part+1)*s.each, s.rows)
}

// zip applies a function to two broadcast operands, row by row.
type zip[T, R any] struct {
	spans
	walk walk
	get  func(*value) []T
	put  func(*value) []R
	row  func(out []R, x, y []T, sx, sy int) // of an element at least; steps within it are 0 or 1
	s    *step
}

func (*zip[T, R]) overwrites(*step, int) bool { return true }

func (z *zip[T, R]) prepare(s *step) error {
	z.s = s
	z.walk.spread(s.out.shape, s.in[0], s.in[1])
	return nil
}

func (z *zip[T, R]) run(s *step) error {
	z.over(s.x, z.walk.rows, z.walk.width(), z)
	return nil
}

func (z *zip[T, R]) do(part, _ int) {
	out, x, y := z.put(z.s.out), z.get(z.s.in[0]), z.get(z.s.in[1])
	n, sx, sy := z.walk.width(), z.walk.step(0), z.walk.step(1)
	from, to := z.span(part)
	for r, c := from, z.walk.from(from); r < to; r++ {
		z.row(out[r*n:(r+1)*n], x[c.at[0]:], y[c.at[1]:], sx, sy)
		c.next(&z.walk)
	}
}

func floatsOf(v *value) []float32   { return v.f }
func intsOf(v *value) []int64       { return v.i }
func boolsOf(v *value) []bool       { return v.b }
func bytesOf(v *value) []uint8      { return v.u8 }
func signedBytesOf(v *value) []int8 { return v.i8 }
func wordsOf(v *value) []int32      { return v.w }

// number makes a kernel for operands of float32 or int64.
func number(f func(out, x, y []float32, sx, sy int), i func(out, x, y []int64, sx, sy int)) maker {
	return func(q *part) kernel {
		switch q.kindOf(0) {
		case floats:
			return &zip[float32, float32]{get: floatsOf, put: floatsOf, row: f}
		case integers:
			if i != nil {
				return &zip[int64, int64]{get: intsOf, put: intsOf, row: i}
			}
		}
		return nil
	}
}

// comparison makes a kernel for operands of float32 or int64 whose value is a truth.
func comparison(f func(out []bool, x, y []float32, sx, sy int), i func(out []bool, x, y []int64, sx, sy int)) maker {
	return func(q *part) kernel {
		switch q.kindOf(0) {
		case floats:
			return &zip[float32, bool]{get: floatsOf, put: boolsOf, row: f}
		case integers:
			return &zip[int64, bool]{get: intsOf, put: boolsOf, row: i}
		}
		return nil
	}
}

// numeric are the types that Go computes with here.
type numeric interface{ float32 | int64 }

// vectors has functions of vectors as a row function, and with their operands exchanged
// where the operator allows it.
func vectors(equal func(z, x, y []float32), with func(z, x []float32, y float32), commutes bool,
	plain func(out, x, y []float32, sx, sy int)) func(out, x, y []float32, sx, sy int) {
	return func(out, x, y []float32, sx, sy int) {
		switch n := len(out); {
		case sx == 1 && sy == 1:
			equal(out, x[:n], y[:n])
		case sx == 1 && sy == 0:
			with(out, x[:n], y[0])
		case sy == 1 && sx == 0 && commutes:
			with(out, y[:n], x[0])
		default:
			plain(out, x, y, sx, sy)
		}
	}
}

func add[T numeric](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] + y[i*sy]
	}
}

func sub[T numeric](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] - y[i*sy]
	}
}

func mul[T numeric](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] * y[i*sy]
	}
}

func div(out, x, y []float32, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] / y[i*sy]
	}
}

func larger[T numeric](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = max(x[i*sx], y[i*sy])
	}
}

func smaller[T numeric](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = min(x[i*sx], y[i*sy])
	}
}

// pow takes one power for all, and knows the squares of norms.
func pow(out, x, y []float32, sx, _ int) {
	if sx == 1 && y[0] == 2 {
		simd.Mul(out, x[:len(out)], x[:len(out)])
		return
	}
	for i := range out {
		out[i] = float32(math.Pow(float64(x[i*sx]), float64(y[0])))
	}
}

func equal[T numeric](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] == y[i*sy]
	}
}

func greater[T numeric](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] > y[i*sy]
	}
}

func atLeast[T numeric](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] >= y[i*sy]
	}
}

func and(out, x, y []bool, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] && y[i*sy]
	}
}

// pointwise applies a function to every element of float32.
type pointwise struct {
	spans
	row func(out, x []float32)
	s   *step
}

func (*pointwise) overwrites(*step, int) bool { return true }

func (p *pointwise) prepare(s *step) error {
	p.s = s
	return nil
}

// block is how many elements at once are worth a span.
const block = 1024

func (p *pointwise) run(s *step) error {
	p.over(s.x, (s.out.size+block-1)/block, block, p)
	return nil
}

func (p *pointwise) do(part, _ int) {
	from, to := p.span(part)
	from, to = from*block, min(to*block, p.s.out.size)
	p.row(p.s.out.f[from:to], p.s.in[0].f[from:to])
}

// eachOf makes a kernel of a function of one number.
func eachOf(f func(x float32) float32) maker {
	return rowsOf(func(out, x []float32) {
		for i, v := range x {
			out[i] = f(v)
		}
	})
}

func rowsOf(f func(out, x []float32)) maker {
	return func(q *part) kernel {
		if q.kindOf(0) != floats {
			return nil
		}
		return &pointwise{row: f}
	}
}

// inDouble is a function of package math, rounded.
func inDouble(f func(x float64) float64) maker {
	return eachOf(func(x float32) float32 { return float32(f(float64(x))) })
}

func abs(out, x []float32) {
	for i, v := range x {
		out[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	}
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// where chooses between numbers.
type where[T numeric] struct {
	spans
	walk     walk
	elements func(*value) []T
	s        *step
}

func (*where[T]) overwrites(*step, int) bool { return true }

func (w *where[T]) prepare(s *step) error {
	w.s = s
	w.walk.spread(s.out.shape, s.in[0], s.in[1], s.in[2])
	return nil
}

func (w *where[T]) run(s *step) error {
	w.over(s.x, w.walk.rows, w.walk.width(), w)
	return nil
}

func (w *where[T]) do(part, _ int) {
	out, cond, x, y := w.elements(w.s.out), w.s.in[0].b, w.elements(w.s.in[1]), w.elements(w.s.in[2])
	n, sc, sx, sy := w.walk.width(), w.walk.step(0), w.walk.step(1), w.walk.step(2)
	from, to := w.span(part)
	for r, k := from, w.walk.from(from); r < to; r++ {
		choose(out[r*n:(r+1)*n], cond[k.at[0]:], x[k.at[1]:], y[k.at[2]:], sc, sx, sy)
		k.next(&w.walk)
	}
}

func whereMaker(q *part) kernel {
	switch q.kindOf(1) {
	case floats:
		return &where[float32]{elements: floatsOf}
	case integers:
		return &where[int64]{elements: intsOf}
	}
	return nil
}

func choose[T numeric](out []T, cond []bool, x, y []T, sc, sx, sy int) {
	if sc == 1 && sx == 1 && sy == 0 {
		cond, x = cond[:len(out)], x[:len(out)]
		other := y[0]
		for i := range out {
			v := x[i]
			if !cond[i] {
				v = other
			}
			out[i] = v
		}
		return
	}
	for i := range out {
		if cond[i*sc] {
			out[i] = x[i*sx]
		} else {
			out[i] = y[i*sy]
		}
	}
}

// castToFloat makes float32 or halves of any kind of numbers or of truths.
type castToFloat struct{}

func (castToFloat) prepare(*step) error { return nil }

func (castToFloat) run(s *step) error {
	out := s.out.f
	switch s.in[0].kind() {
	case integers:
		floated(out, s.in[0].i)
	case truths:
		for i, v := range s.in[0].b {
			out[i] = 0
			if v {
				out[i] = 1
			}
		}
	case floats:
		copy(out, s.in[0].f)
	case bytes:
		floated(out, s.in[0].u8)
	case signedBytes:
		floated(out, s.in[0].i8)
	case words:
		floated(out, s.in[0].w)
	}
	tensor.Round(out, s.out.part.node.DType)
	return nil
}

func floated[T int64 | uint8 | int8 | int32](out []float32, x []T) {
	for i, v := range x {
		out[i] = float32(v)
	}
}

// castToBool takes every number but zero for true.
type castToBool struct{}

func (castToBool) prepare(*step) error { return nil }

func (castToBool) run(s *step) error {
	for i, v := range s.in[0].i {
		s.out.b[i] = v != 0
	}
	for i, v := range s.in[0].f {
		s.out.b[i] = v != 0
	}
	return nil
}

// castToInt drops the fraction.
type castToInt struct{}

func (castToInt) prepare(*step) error { return nil }

func (castToInt) run(s *step) error {
	for i, v := range s.in[0].f {
		s.out.i[i] = int64(v)
	}
	return nil
}

func castMaker(q *part) kernel {
	from := q.kindOf(0)
	switch to := kindOf(q.node.DType); {
	case to == floats:
		return castToFloat{}
	case to == truths && (from == integers || from == floats):
		return castToBool{}
	case to == integers && from == floats:
		return castToInt{}
	}
	return nil
}

// kindOf is the kind of memory of an operand.
func (q *part) kindOf(operand int) kind { return kindOf(q.node.Inputs[operand].DType) }
