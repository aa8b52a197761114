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

func greaterOrEqual[T number](out []bool, x, y []T, sx, sy int) {
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

// each applies a function to every element.
func each[T tensor.Element](f func(T) T) kernel {
	return func(c call) (*tensor.Tensor, error) {
		out := make([]T, c.in[0].Len())
		for i, v := range tensor.Data[T](c.in[0]) {
			out[i] = f(v)
		}
		return tensor.Of(out, c.in[0].Shape()...), nil
	}
}

func neg[T number](x T) T       { return -x }
func exp[T float](x T) T        { return T(math.Exp(float64(x))) }
func sqrt[T float](x T) T       { return T(math.Sqrt(float64(x))) }
func reciprocal[T float](x T) T { return 1 / x }
func sin[T float](x T) T        { return T(math.Sin(float64(x))) }
func cos[T float](x T) T        { return T(math.Cos(float64(x))) }
func tanh[T float](x T) T       { return T(math.Tanh(float64(x))) }

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
	switch c.node.DType {
	case tensor.Bool:
		return convert(c.in[0], toBool), nil
	case tensor.Int64:
		return convert(c.in[0], func(v float64, i int64, exact bool) int64 {
			if exact {
				return i
			}
			return int64(v)
		}), nil
	}
	if c.float == tensor.Float64 {
		return convert(c.in[0], toFloat64), nil
	}
	return convert(c.in[0], func(v float64, i int64, exact bool) float32 {
		if exact {
			return float32(i)
		}
		return float32(v)
	}), nil
}

// convert maps every element through f, which gets it as an integer when exact
// and as a float otherwise.
func convert[R tensor.Element](t *tensor.Tensor, f func(v float64, i int64, exact bool) R) *tensor.Tensor {
	out := make([]R, t.Len())
	switch t.DType() {
	case tensor.Float32:
		for k, v := range tensor.Data[float32](t) {
			out[k] = f(float64(v), 0, false)
		}
	case tensor.Float64:
		for k, v := range tensor.Data[float64](t) {
			out[k] = f(v, 0, false)
		}
	case tensor.Int64:
		for k, v := range tensor.Data[int64](t) {
			out[k] = f(0, v, true)
		}
	case tensor.Bool:
		for k, v := range tensor.Data[bool](t) {
			one := int64(0)
			if v {
				one = 1
			}
			out[k] = f(0, one, true)
		}
	}
	return tensor.Of(out, t.Shape()...)
}

func toBool(v float64, i int64, exact bool) bool { return exact && i != 0 || !exact && v != 0 }

func toFloat64(v float64, i int64, exact bool) float64 {
	if exact {
		return float64(i)
	}
	return v
}
