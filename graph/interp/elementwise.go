package interp

import (
	"errors"
	"math"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// zip applies a row function to two broadcast operands. The row function reads
// its operands at steps of 0 or 1.
func zip[T, R tensor.Element](row func(out []R, x, y []T, sx, sy int)) kernel {
	return func(c call) (*tensor.Tensor, error) {
		shape := broadcast(c.in...)
		x, y := tensor.Data[T](c.in[0]), tensor.Data[T](c.in[1])
		out := make([]R, tensor.Numel(shape))
		w := newWalk(shape, spread(c.in[0].Shape(), shape), spread(c.in[1].Shape(), shape))
		done := 0
		w.rows(func(n int, at []int) {
			row(out[done:done+n], x[at[0]:], y[at[1]:], w.step(0), w.step(1))
			done += n
		})
		return tensor.Of(out, shape...), nil
	}
}

func add[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] + y[i*sy]
	}
}

func sub[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] - y[i*sy]
	}
}

func mul[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] * y[i*sy]
	}
}

func div[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] / y[i*sy]
	}
}

func larger[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = max(x[i*sx], y[i*sy])
	}
}

func smaller[T number](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = min(x[i*sx], y[i*sy])
	}
}

// divInt64 rounds towards zero. Go has no quotient by zero to return.
func divInt64(c call) (*tensor.Tensor, error) {
	if slices.Contains(tensor.Data[int64](c.in[1]), 0) {
		return nil, errors.New("integer division by zero")
	}
	return zip(div[int64])(c)
}

func equal[T number](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] == y[i*sy]
	}
}

func greater[T number](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] > y[i*sy]
	}
}

func atLeast[T number](out []bool, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] >= y[i*sy]
	}
}

func and(out, x, y []bool, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] && y[i*sy]
	}
}

func where[T tensor.Element](c call) (*tensor.Tensor, error) {
	shape := broadcast(c.in...)
	cond, x, y := tensor.Data[bool](c.in[0]), tensor.Data[T](c.in[1]), tensor.Data[T](c.in[2])
	out := make([]T, tensor.Numel(shape))
	w := newWalk(shape, spread(c.in[0].Shape(), shape), spread(c.in[1].Shape(), shape), spread(c.in[2].Shape(), shape))
	sc, sx, sy := w.step(0), w.step(1), w.step(2)
	done := 0
	w.rows(func(n int, at []int) {
		for i := range n {
			if cond[at[0]+i*sc] {
				out[done+i] = x[at[1]+i*sx]
			} else {
				out[done+i] = y[at[2]+i*sy]
			}
		}
		done += n
	})
	return tensor.Of(out, shape...), nil
}

// pointwise applies a function to every element.
func pointwise[T tensor.Element](f func(T) T) kernel {
	return func(c call) (*tensor.Tensor, error) { return convert(c.in[0], f), nil }
}

func pow[T float](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = T(math.Pow(float64(x[i*sx]), float64(y[i*sy])))
	}
}

func neg[T number](x T) T       { return -x }
func abs[T number](x T) T       { return max(x, -x) }
func floor[T float](x T) T      { return T(math.Floor(float64(x))) }
func exp[T float](x T) T        { return T(math.Exp(float64(x))) }
func log[T float](x T) T        { return T(math.Log(float64(x))) }
func sqrt[T float](x T) T       { return T(math.Sqrt(float64(x))) }
func reciprocal[T float](x T) T { return 1 / x }
func sin[T float](x T) T        { return T(math.Sin(float64(x))) }
func cos[T float](x T) T        { return T(math.Cos(float64(x))) }
func tanh[T float](x T) T       { return T(math.Tanh(float64(x))) }
func erf[T float](x T) T        { return T(math.Erf(float64(x))) }

// sigmoid takes the exponential of what is not positive, which cannot overflow.
func sigmoid[T float](x T) T {
	e := math.Exp(-math.Abs(float64(x)))
	if x < 0 {
		return T(e / (1 + e))
	}
	return T(1 / (1 + e))
}

// softplus takes the exponential of what is not positive, which cannot overflow.
func softplus[T float](x T) T {
	return T(max(float64(x), 0) + math.Log1p(math.Exp(-math.Abs(float64(x)))))
}

// relu lets NaN through.
func relu[T float](x T) T {
	if x < 0 {
		return 0
	}
	return x
}

// cast converts between all element types. Float to integer drops the fraction;
// anything but zero is true.
func cast(c call) (*tensor.Tensor, error) {
	var out *tensor.Tensor
	switch {
	case c.node.DType == tensor.Bool:
		return nonzero(c.in[0]), nil
	case c.node.DType == tensor.Int64:
		return numbers[int64](c.in[0]), nil
	case c.float == tensor.Float64:
		out = numbers[float64](c.in[0])
	default:
		out = numbers[float32](c.in[0])
	}
	if c.node.DType.Halves() {
		half(out, c.node.DType)
	}
	return out, nil
}

// numbers converts every element to a number; true is 1.
func numbers[T number](t *tensor.Tensor) *tensor.Tensor {
	switch t.DType() {
	case tensor.Float32:
		return convert(t, func(v float32) T { return T(v) })
	case tensor.Float64:
		return convert(t, func(v float64) T { return T(v) })
	case tensor.Int64:
		return convert(t, func(v int64) T { return T(v) })
	case tensor.Float16, tensor.BFloat16:
		return numbers[T](t.As(tensor.Float32))
	case tensor.Int8:
		return convert(t, func(v int8) T { return T(v) })
	case tensor.Uint8:
		return convert(t, func(v uint8) T { return T(v) })
	case tensor.Int32:
		return convert(t, func(v int32) T { return T(v) })
	}
	return convert(t, func(v bool) T {
		if v {
			return 1
		}
		return 0
	})
}

func nonzero(t *tensor.Tensor) *tensor.Tensor {
	switch t.DType() {
	case tensor.Float32:
		return convert(t, func(v float32) bool { return v != 0 })
	case tensor.Float64:
		return convert(t, func(v float64) bool { return v != 0 })
	case tensor.Int64:
		return convert(t, func(v int64) bool { return v != 0 })
	case tensor.Bool:
		return t.Clone()
	}
	return nonzero(numbers[int64](t))
}

// convert returns f of every element.
func convert[T, R tensor.Element](t *tensor.Tensor, f func(T) R) *tensor.Tensor {
	out := make([]R, t.Len())
	for i, v := range tensor.Data[T](t) {
		out[i] = f(v)
	}
	return tensor.Of(out, t.Shape()...)
}
