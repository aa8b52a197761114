package interp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
)

// array is a value of any element type, whose numbers are read one by one; true is 1.
type array struct {
	shape []int
	data  []float64
}

// at reads an element. Of more indices than there are axes the last ones count, and an
// axis of length 1 is read at 0, as in broadcasting.
func (a array) at(index ...int) float64 {
	offset := 0
	for i, n := range a.shape {
		k := index[len(index)-len(a.shape)+i]
		if n == 1 {
			k = 0
		}
		offset = offset*n + k
	}
	return a.data[offset]
}

// along is at with the index of one axis exchanged.
func (a array) along(axis, k int, index []int) float64 {
	index = slices.Clone(index)
	index[axis] = k
	return a.at(index...)
}

func arrayOf(t *tensor.Tensor) array {
	a := array{t.Shape(), make([]float64, 0, t.Len())}
	each := func(v float64) { a.data = append(a.data, v) }
	switch t.DType() {
	case tensor.Float32:
		for _, v := range tensor.Data[float32](t) {
			each(float64(v))
		}
	case tensor.Float64:
		a.data = tensor.Data[float64](t)
	case tensor.Int64:
		for _, v := range tensor.Data[int64](t) {
			each(float64(v))
		}
	case tensor.Bool:
		for _, v := range tensor.Data[bool](t) {
			each(truth(v))
		}
	case tensor.Int8:
		for _, v := range tensor.Data[int8](t) {
			each(float64(v))
		}
	case tensor.Uint8:
		for _, v := range tensor.Data[uint8](t) {
			each(float64(v))
		}
	case tensor.Int32:
		for _, v := range tensor.Data[int32](t) {
			each(float64(v))
		}
	}
	return a
}

func truth(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// axisOf counts an axis from the front.
func axisOf(axis int64, rank int) int { return int(axis+int64(rank)) % rank }

// draw makes the operands of random operators.
type draw struct {
	*rand.Rand
	*graph.Builder
}

// shape has 0, where that is allowed, now and then, 1 often, and no two equal lengths else.
func (d draw) shape(rank, least int) []int {
	lengths := d.Perm(5)
	out := make([]int, rank)
	for i := range out {
		switch d.IntN(9) {
		case 0:
			out[i] = least
		case 1, 2:
			out[i] = 1
		default:
			out[i] = lengths[i] + 2
		}
	}
	return out
}

// broadcast returns a shape that broadcasts to another one.
func (d draw) broadcast(shape []int) []int {
	out := slices.Clone(shape[d.IntN(len(shape)+1):])
	for i := range out {
		if d.IntN(3) == 0 {
			out[i] = 1
		}
	}
	return out
}

func (d draw) floats(shape ...int) *graph.Node {
	v := make([]float32, tensor.Numel(shape))
	for i := range v {
		v[i] = float32(d.NormFloat64()) + 0.01
	}
	return d.Const(tensor.Of(v, shape...))
}

// numbers are small integers, so that some are equal.
func (d draw) numbers(low, high int64, shape ...int) *graph.Node {
	v := make([]int64, tensor.Numel(shape))
	for i := range v {
		v[i] = low + d.Int64N(high-low)
	}
	return d.Const(tensor.Of(v, shape...))
}

func (d draw) truths(shape ...int) *graph.Node {
	v := make([]bool, tensor.Numel(shape))
	for i := range v {
		v[i] = d.IntN(2) == 0
	}
	return d.Const(tensor.Of(v, shape...))
}

// values are of a type that an operator takes: float32, int64 or bool.
func (d draw) values(dtypes []tensor.DType, shape ...int) *graph.Node {
	switch dtypes[d.IntN(len(dtypes))] {
	case tensor.Int64:
		return d.numbers(-3, 4, shape...)
	case tensor.Bool:
		return d.truths(shape...)
	}
	return d.floats(shape...)
}

// axis picks one, counted from either end.
func (d draw) axis(rank int) int { return d.IntN(2*rank) - rank }

// op applies an operator with an axis, which is left out where it is the default.
func (d draw) op(op string, missing int, axis int, inputs ...*graph.Node) *graph.Node {
	if axis == missing && d.IntN(2) == 0 {
		return d.Op(op, inputs)
	}
	return d.Op(op, inputs, graph.Attr{Name: "axis", Value: int64(axis)})
}

// twin is an operator's definition, element by element, and how to draw an application.
type twin struct {
	op     string
	draw   func(d draw) *graph.Node
	define func(n *graph.Node, in []array, at []int) float64
}

var (
	floatOnly = []tensor.DType{tensor.Float32}
	numeric   = []tensor.DType{tensor.Float32, tensor.Int64}
	movable   = []tensor.DType{tensor.Float32, tensor.Int64, tensor.Bool}
)

// pair is a broadcasting operator of two inputs.
func pair(op string, dtypes []tensor.DType, f func(x, y float64) float64) twin {
	return twin{op, func(d draw) *graph.Node {
		x := d.shape(1+d.IntN(3), 0)
		y := d.broadcast(x)
		one := dtypes[d.IntN(len(dtypes)):][:1]
		a, b := d.values(one, x...), d.values(one, y...)
		if d.IntN(2) == 0 {
			a, b = b, a
		}
		if op == "Div" && one[0] == tensor.Int64 {
			b = d.numbers(1, 4, x...)
		}
		return d.Op(op, []*graph.Node{a, b})
	}, func(n *graph.Node, in []array, at []int) float64 { return f(in[0].at(at...), in[1].at(at...)) }}
}

func single(op string, dtypes []tensor.DType, f func(x float64) float64) twin {
	return twin{op, func(d draw) *graph.Node {
		return d.Op(op, []*graph.Node{d.values(dtypes, d.shape(d.IntN(3), 0)...)})
	}, func(n *graph.Node, in []array, at []int) float64 { return f(in[0].at(at...)) }}
}

var elementwiseTwins = []twin{
	pair("Add", numeric, func(x, y float64) float64 { return x + y }),
	pair("Sub", numeric, func(x, y float64) float64 { return x - y }),
	pair("Mul", numeric, func(x, y float64) float64 { return x * y }),
	pair("Max", numeric, math.Max),
	pair("Min", numeric, math.Min),
	pair("Equal", []tensor.DType{tensor.Int64}, func(x, y float64) float64 { return truth(x == y) }),
	pair("Greater", numeric, func(x, y float64) float64 { return truth(x > y) }),
	pair("GreaterOrEqual", numeric, func(x, y float64) float64 { return truth(x >= y) }),
	pair("And", []tensor.DType{tensor.Bool}, func(x, y float64) float64 { return x * y }),
	pair("Div", floatOnly, func(x, y float64) float64 { return x / y }),
	pair("Div", []tensor.DType{tensor.Int64}, func(x, y float64) float64 { return math.Trunc(x / y) }),
	{"Pow", func(d draw) *graph.Node {
		return d.Pow(d.Exp(d.floats(d.shape(2, 0)...)), 2.5)
	}, func(n *graph.Node, in []array, at []int) float64 { return math.Pow(in[0].at(at...), 2.5) }},
	single("Neg", numeric, func(x float64) float64 { return -x }),
	single("Abs", numeric, math.Abs),
	single("Floor", floatOnly, math.Floor),
	single("Exp", floatOnly, math.Exp),
	single("Log", floatOnly, math.Log),
	single("Sqrt", floatOnly, math.Sqrt),
	single("Reciprocal", floatOnly, func(x float64) float64 { return 1 / x }),
	single("Sin", floatOnly, math.Sin),
	single("Cos", floatOnly, math.Cos),
	single("Tanh", floatOnly, math.Tanh),
	single("Erf", floatOnly, math.Erf),
	single("Sigmoid", floatOnly, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	single("Softplus", floatOnly, func(x float64) float64 { return math.Log(1 + math.Exp(x)) }),
	single("Relu", floatOnly, func(x float64) float64 { return math.Max(x, 0) }),
	{"Where", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		one := movable[d.IntN(3):][:1]
		parts := [][]int{s, d.broadcast(s), d.broadcast(s)}
		d.Shuffle(3, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return d.Where(d.truths(parts[0]...), d.values(one, parts[1]...), d.values(one, parts[2]...))
	}, func(n *graph.Node, in []array, at []int) float64 {
		if in[0].at(at...) != 0 {
			return in[1].at(at...)
		}
		return in[2].at(at...)
	}},
	{"Cast", func(d draw) *graph.Node {
		to := movable[d.IntN(3)]
		small := []*tensor.Tensor{tensor.Of([]int8{-128, 0, 5}, 3), tensor.Of([]uint8{0, 1, 255}, 3),
			tensor.Of([]int32{-1 << 24, 0, 7}, 3), nil, nil, nil}[d.IntN(6)]
		x := d.values(movable, d.shape(2, 0)...)
		if x.DType == tensor.Float32 && d.IntN(2) == 0 {
			x = d.Op("Floor", []*graph.Node{x}) // some are 0 or 1
		}
		if small != nil {
			x = d.Const(small)
		}
		return d.Op("Cast", []*graph.Node{x}, graph.Attr{Name: "to", Value: int64(to.ONNX())})
	}, func(n *graph.Node, in []array, at []int) float64 {
		switch n.DType {
		case tensor.Bool:
			return truth(in[0].at(at...) != 0)
		case tensor.Int64:
			return math.Trunc(in[0].at(at...))
		}
		return in[0].at(at...)
	}},
	{"QuantizeLinear", func(d draw) *graph.Node {
		s := d.shape(2+d.IntN(2), 0)
		axis := d.axis(len(s))
		count := s[axisOf(int64(axis), len(s))]
		zero := make([]uint8, count)
		for i := range zero {
			zero[i] = uint8(d.IntN(256))
		}
		scale := d.Mul(d.Exp(d.floats(count)), d.Float(1./64))
		return d.op("QuantizeLinear", 1, axis, d.floats(s...), scale, d.Const(tensor.Of(zero, count)))
	}, func(n *graph.Node, in []array, at []int) float64 {
		k := at[axisOf(graph.Attribute(n, "axis", int64(1)), len(at))]
		return min(255, max(0, math.RoundToEven(in[0].at(at...)/in[1].at(k))+in[2].at(k)))
	}},
	{"DequantizeLinear", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 1)
		axis, size := d.IntN(len(s)), 1+d.IntN(4)
		scale := d.floats(s...)
		s = slices.Clone(s)
		s[axis] *= size
		x := make([]int8, tensor.Numel(s))
		for i := range x {
			x[i] = int8(d.IntN(256))
		}
		return d.Op("DequantizeLinear", []*graph.Node{d.Const(tensor.Of(x, s...)), scale},
			graph.Attr{Name: "axis", Value: int64(axis)}, graph.Attr{Name: "block_size", Value: int64(size)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := int(graph.Attribute(n, "axis", int64(1)))
		block := slices.Clone(at)
		block[axis] /= int(graph.Attribute(n, "block_size", int64(0)))
		return in[0].at(at...) * in[1].at(block...)
	}},
}

var matrixTwins = []twin{
	{"MatMul", func(d draw) *graph.Node {
		batch := d.shape(d.IntN(4), 0)
		x, y := slices.Clone(batch), d.broadcast(batch)
		if d.IntN(2) == 0 {
			x, y = y, x
		}
		m := d.shape(3, 0)
		return d.MatMul(d.floats(append(x, m[0], m[1])...), d.floats(append(y, m[1], m[2])...))
	}, func(n *graph.Node, in []array, at []int) float64 {
		sum, last := 0.0, len(at)-1
		for k := range in[0].shape[len(in[0].shape)-1] {
			sum += in[0].along(last, k, at) * in[1].along(last-1, k, at)
		}
		return sum
	}},
	{"Gemm", func(d draw) *graph.Node {
		m := d.shape(3, 0)
		x, y := []int{m[0], m[1]}, []int{m[1], m[2]}
		a, b := d.IntN(2) == 0, d.IntN(2) == 0
		if a {
			slices.Reverse(x)
		}
		if b {
			slices.Reverse(y)
		}
		return d.Gemm(d.floats(x...), d.floats(y...), a, b)
	}, func(n *graph.Node, in []array, at []int) float64 {
		read := func(a array, turned bool, i, k int) float64 {
			if turned {
				i, k = k, i
			}
			return a.at(i, k)
		}
		a, b := graph.Attribute(n, "transA", int64(0)) == 1, graph.Attribute(n, "transB", int64(0)) == 1
		inner := in[0].shape[1]
		if a {
			inner = in[0].shape[0]
		}
		sum := 0.0
		for k := range inner {
			sum += read(in[0], a, at[0], k) * read(in[1], b, k, at[1])
		}
		return sum
	}},
	{"MatMulInteger", func(d draw) *graph.Node {
		m := d.shape(3, 0)
		x, y := make([]uint8, m[0]*m[1]), make([]int8, m[1]*m[2])
		for i := range x {
			x[i] = uint8(d.IntN(256))
		}
		for i := range y {
			y[i] = int8(d.IntN(256) - 128)
		}
		return d.Op("MatMulInteger", []*graph.Node{d.Const(tensor.Of(x, m[0], m[1])), d.Const(tensor.Of(y, m[1], m[2])), d.Const(tensor.Of([]uint8{uint8(d.IntN(256))}))})
	}, func(n *graph.Node, in []array, at []int) float64 {
		sum := 0.0
		for k := range in[0].shape[1] {
			sum += (in[0].at(at[0], k) - in[2].at()) * in[1].at(k, at[1])
		}
		return sum
	}},
}

// sameOrder has the elements of its input in their order, under another shape.
func sameOrder(n *graph.Node, in []array, at []int) float64 {
	offset := 0
	for i, d := range n.Shape {
		length, _ := d.Int()
		offset = offset*length + at[i]
	}
	return in[0].data[offset]
}

var shapeTwins = []twin{
	{"Reshape", func(d draw) *graph.Node {
		s := d.shape(3, 1)
		to := []int64{int64(s[0]), int64(s[1]), int64(s[2])}
		switch d.IntN(5) {
		case 0:
			to = []int64{-1}
		case 1:
			to = []int64{0, -1}
		case 2:
			to = []int64{int64(s[0] * s[1]), -1}
		case 3:
			to = []int64{-1, int64(s[1] * s[2])}
		}
		return d.Op("Reshape", []*graph.Node{d.values(movable, s...), d.Ints(to...)})
	}, sameOrder},
	{"Reshape", func(d draw) *graph.Node {
		return d.Op("Reshape", []*graph.Node{d.floats(0, 3), d.Ints(2, 0, 1)}, graph.Attr{Name: "allowzero", Value: int64(1)})
	}, sameOrder},
	{"Squeeze", func(d draw) *graph.Node {
		at := [][]int64{{0}, {-4}, {2}, {-2}, {2, 0}, {-2, -4}, {0, -2}}[d.IntN(7)]
		return d.Op("Squeeze", []*graph.Node{d.values(movable, 1, 3, 1, 2), d.Ints(at...)})
	}, sameOrder},
	{"Unsqueeze", func(d draw) *graph.Node {
		at := [][]int64{{0}, {-1}, {-3}, {1}, {3, 0}, {-1, -4}, {1, -2}, {-4, -3}}[d.IntN(8)]
		return d.Op("Unsqueeze", []*graph.Node{d.values(movable, 3, 2), d.Ints(at...)})
	}, sameOrder},
	{"Transpose", func(d draw) *graph.Node {
		s := d.shape(2+d.IntN(3), 0)
		return d.Op("Transpose", []*graph.Node{d.values(movable, s...)}, graph.Attr{Name: "perm", Value: int64s(d.Perm(len(s)))})
	}, func(n *graph.Node, in []array, at []int) float64 {
		from := make([]int, len(at))
		for i, p := range graph.Attribute[[]int64](n, "perm", nil) {
			from[p] = at[i]
		}
		return in[0].at(from...)
	}},
	{"Concat", func(d draw) *graph.Node {
		s := d.shape(2+d.IntN(2), 0)
		axis := d.axis(len(s))
		one := movable[d.IntN(3):][:1]
		var parts []*graph.Node
		for range 1 + d.IntN(3) {
			s[axisOf(int64(axis), len(s))] = d.IntN(4)
			parts = append(parts, d.values(one, s...))
		}
		return d.Op("Concat", parts, graph.Attr{Name: "axis", Value: int64(axis)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(graph.Attribute(n, "axis", int64(0)), len(at))
		k := at[axis]
		for _, x := range in {
			if k < x.shape[axis] {
				return x.along(axis, k, at)
			}
			k -= x.shape[axis]
		}
		panic("beyond all parts")
	}},
	{"Slice", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		axis := d.axis(len(s))
		limit := func() *graph.Node { return d.numbers(-9, 9, 1) }
		return d.Op("Slice", []*graph.Node{d.values(movable, s...), limit(), limit(), d.Ints(int64(axis)), d.Ints(1)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(int64(in[3].at(0)), len(at))
		length := in[0].shape[axis]
		start := int(in[1].at(0))
		if start < 0 {
			start = max(0, start+length)
		}
		return in[0].along(axis, start+at[axis], at)
	}},
	{"Expand", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		return d.Op("Expand", []*graph.Node{d.values(movable, d.broadcast(s)...), d.Ints(int64s(s)...)})
	}, func(n *graph.Node, in []array, at []int) float64 { return in[0].at(at...) }},
	{"Expand", func(d draw) *graph.Node {
		s := d.shape(3, 0)
		return d.Op("Expand", []*graph.Node{d.values(movable, s...), d.Ints(int64s(d.broadcast(s))...)})
	}, func(n *graph.Node, in []array, at []int) float64 { return in[0].at(at...) }},
	{"Shape", func(d draw) *graph.Node {
		start := d.IntN(3)
		return d.Op("Shape", []*graph.Node{d.values(movable, d.shape(4, 0)...)},
			graph.Attr{Name: "start", Value: int64(start)}, graph.Attr{Name: "end", Value: int64(start + d.IntN(3))})
	}, func(n *graph.Node, in []array, at []int) float64 {
		return float64(in[0].shape[int(graph.Attribute(n, "start", int64(0)))+at[0]])
	}},
	{"Shape", func(d draw) *graph.Node {
		return d.Op("Shape", []*graph.Node{d.values(movable, d.shape(d.IntN(4), 0)...)})
	}, func(n *graph.Node, in []array, at []int) float64 { return float64(in[0].shape[at[0]]) }},
	{"Range", func(d draw) *graph.Node {
		return d.Op("Range", []*graph.Node{d.numbers(-3, 4), d.numbers(-3, 9), d.numbers(1, 2)})
	}, func(n *graph.Node, in []array, at []int) float64 { return in[0].at() + float64(at[0]) }},
}

func int64s(v []int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// wrap counts an index from the end where it is negative.
func wrap(i float64, length int) int {
	if i < 0 {
		return int(i) + length
	}
	return int(i)
}

var indexTwins = []twin{
	{"Gather", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 1)
		axis := d.axis(len(s))
		n := int64(s[axisOf(int64(axis), len(s))])
		return d.op("Gather", 0, axis, d.values(movable, s...), d.numbers(-n, n, d.shape(d.IntN(3), 0)...))
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(graph.Attribute(n, "axis", int64(0)), len(in[0].shape))
		inside := len(in[1].shape)
		k := wrap(in[1].at(at[axis:axis+inside]...), in[0].shape[axis])
		return in[0].at(slices.Concat(at[:axis], []int{k}, at[axis+inside:])...)
	}},
	{"GatherElements", func(d draw) *graph.Node {
		x, at, axis := d.indices()
		return d.op("GatherElements", 0, axis, d.values(movable, x...), at)
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(graph.Attribute(n, "axis", int64(0)), len(at))
		return in[0].along(axis, wrap(in[1].at(at...), in[0].shape[axis]), at)
	}},
	{"ScatterElements", func(d draw) *graph.Node {
		x, at, axis := d.indices()
		attrs := []graph.Attr{{Name: "reduction", Value: "add"}, {Name: "axis", Value: int64(axis)}}
		if axis == 0 {
			attrs = attrs[:1+d.IntN(2)]
		}
		return d.Op("ScatterElements", []*graph.Node{d.floats(x...), at, d.floats(at.Value.Shape()...)}, attrs...)
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(graph.Attribute(n, "axis", int64(0)), len(at))
		sum := in[0].at(at...)
		for k := range in[1].shape[axis] {
			if wrap(in[1].along(axis, k, at), in[0].shape[axis]) == at[axis] {
				sum += in[2].along(axis, k, at)
			}
		}
		return sum
	}},
	{"ScatterND", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 1)
		depth := 1 + d.IntN(len(s))
		places := tensor.Numel(s[:depth])
		chosen := d.Perm(places)[:d.IntN(places+1)]
		var at []int64
		for _, place := range chosen {
			index := make([]int64, depth)
			for i := depth - 1; i >= 0; i-- {
				index[i] = int64(place % s[i])
				place /= s[i]
				if d.IntN(2) == 0 {
					index[i] -= int64(s[i])
				}
			}
			at = append(at, index...)
		}
		one := movable[d.IntN(3):][:1]
		return d.Op("ScatterND", []*graph.Node{d.values(one, s...), d.Const(tensor.Of(at, len(chosen), depth)),
			d.values(one, append([]int{len(chosen)}, s[depth:]...)...)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		depth := in[1].shape[1]
		for k := range in[1].shape[0] {
			here := true
			for i := range depth {
				here = here && wrap(in[1].at(k, i), in[0].shape[i]) == at[i]
			}
			if here {
				return in[2].at(append([]int{k}, at[depth:]...)...)
			}
		}
		return in[0].at(at...)
	}},
}

// indices returns a shape, indices along one of its axes, and that axis.
func (d draw) indices() (x []int, at *graph.Node, axis int) {
	x = d.shape(1+d.IntN(3), 1)
	axis = d.axis(len(x))
	k := axisOf(int64(axis), len(x))
	s := slices.Clone(x)
	s[k] = d.IntN(5)
	return x, d.numbers(-int64(x[k]), int64(x[k]), s...), axis
}

// reduction folds over the reduced axes.
func reduction(op string, start float64, fold func(sum, v float64) float64, finish func(v float64, count int) float64) twin {
	return twin{op, func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		in := []*graph.Node{d.floats(s...)}
		var attrs []graph.Attr
		if d.IntN(3) > 0 {
			axes := int64s(d.Perm(len(s))[:d.IntN(len(s)+1)])
			for i := range axes {
				axes[i] -= int64(d.IntN(2) * len(s))
			}
			in = append(in, d.Ints(axes...))
		}
		if keep := d.IntN(3); keep < 2 {
			attrs = append(attrs, graph.Attr{Name: "keepdims", Value: int64(keep)})
		}
		return d.Op(op, in, attrs...)
	}, func(n *graph.Node, in []array, at []int) float64 {
		x := in[0]
		reduced := make([]bool, len(x.shape))
		for i := range reduced {
			reduced[i] = len(in) == 1 || len(in[1].data) == 0
		}
		if len(in) == 2 {
			for _, a := range in[1].data {
				reduced[wrap(a, len(reduced))] = true
			}
		}
		v, count := start, 0
		everyIndex(x.shape, func(index []int) {
			k := 0
			for i, r := range reduced {
				if r && graph.Attribute(n, "keepdims", int64(1)) == 1 {
					k++
				} else if !r {
					if index[i] != at[k] {
						return
					}
					k++
				}
			}
			v = fold(v, x.at(index...))
			count++
		})
		return finish(v, count)
	}}
}

// everyIndex calls f with each index of a shape in row-major order.
func everyIndex(shape []int, f func(index []int)) {
	index := make([]int, len(shape))
	for k := range tensor.Numel(shape) {
		for i := len(shape) - 1; i >= 0; i-- {
			index[i] = k % shape[i]
			k /= shape[i]
		}
		f(index)
	}
}

// soft is softmax or its logarithm. Its inputs may be far from 0.
func soft(op string, finish func(v, sum float64) float64) twin {
	return twin{op, func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		return d.op(op, -1, d.axis(len(s)), d.Add(d.floats(s...), d.Float(float64(d.IntN(3)-1)*800)))
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(graph.Attribute(n, "axis", int64(-1)), len(at))
		sum := 0.0
		for k := range in[0].shape[axis] {
			sum += math.Exp(in[0].along(axis, k, at) - in[0].at(at...))
		}
		return finish(1, sum)
	}}
}

var reduceTwins = []twin{
	reduction("ReduceSum", 0, func(s, v float64) float64 { return s + v }, func(v float64, _ int) float64 { return v }),
	reduction("ReduceMean", 0, func(s, v float64) float64 { return s + v },
		func(v float64, count int) float64 { return v / float64(count) }),
	reduction("ReduceMax", math.Inf(-1), math.Max, func(v float64, _ int) float64 { return v }),
	soft("Softmax", func(v, sum float64) float64 { return v / sum }),
	soft("LogSoftmax", func(v, sum float64) float64 { return math.Log(v / sum) }),
	{"CumSum", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 0)
		var attrs []graph.Attr
		for _, name := range []string{"exclusive", "reverse"} {
			if k := d.IntN(3); k < 2 {
				attrs = append(attrs, graph.Attr{Name: name, Value: int64(k)})
			}
		}
		at := d.Const(tensor.Of([]int64{int64(d.axis(len(s)))}))
		return d.Op("CumSum", []*graph.Node{d.values(numeric, s...), at}, attrs...)
	}, func(n *graph.Node, in []array, at []int) float64 {
		axis := axisOf(int64(in[1].at()), len(at))
		sum := 0.0
		for k := range in[0].shape[axis] {
			before := k < at[axis]
			if graph.Attribute(n, "reverse", int64(0)) == 1 {
				before = k > at[axis]
			}
			if before || k == at[axis] && graph.Attribute(n, "exclusive", int64(0)) == 0 {
				sum += in[0].along(axis, k, at)
			}
		}
		return sum
	}},
}

var fusedTwins = []twin{
	{"RMSNormalization", func(d draw) *graph.Node {
		s := d.shape(1+d.IntN(3), 1)
		in := []*graph.Node{d.floats(s...), d.floats(s[len(s)-1])}
		if d.IntN(2) == 0 {
			return d.Op("RMSNormalization", in)
		}
		return d.Op("RMSNormalization", []*graph.Node{in[0], in[1]}, graph.Attr{Name: "axis", Value: int64(-1)}, graph.Attr{Name: "epsilon", Value: float32(0.5)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		last := len(at) - 1
		width := in[0].shape[last]
		squares := 0.0
		for k := range width {
			v := in[0].along(last, k, at)
			squares += v * v
		}
		return in[0].at(at...) / math.Sqrt(squares/float64(width)+float64(graph.Attribute(n, "epsilon", float32(1e-5)))) * in[1].at(at[last])
	}},
	{"RotaryEmbedding", func(d draw) *graph.Node {
		s := d.shape(4, 1)
		s[3] += 2
		half := d.IntN(s[3]/2 + 1)
		if half == 0 && s[3]%2 == 1 {
			half = 1
		}
		attrs := []graph.Attr{{Name: "rotary_embedding_dim", Value: int64(2 * half)}}
		if half == 0 {
			half = s[3] / 2
		}
		if d.IntN(2) == 0 {
			attrs = append(attrs, graph.Attr{Name: "interleaved", Value: int64(1)})
		}
		x, angle := d.floats(s...), []int{s[0], s[2], half}
		return d.Op("RotaryEmbedding", []*graph.Node{x, d.floats(angle...), d.floats(angle...)}, attrs...)
	}, func(n *graph.Node, in []array, at []int) float64 {
		half := in[1].shape[2]
		k, first, pair := at[3]%half, at[3] < half, at[3]-half
		if first {
			pair = at[3] + half
		}
		if graph.Attribute(n, "interleaved", int64(0)) == 1 {
			k, first, pair = at[3]/2, at[3]%2 == 0, at[3]^1
		}
		if at[3] >= 2*half {
			return in[0].at(at...)
		}
		cos, sin := in[1].at(at[0], at[2], k), in[2].at(at[0], at[2], k)
		if first {
			sin = -sin
		}
		return in[0].at(at...)*cos + in[0].along(3, pair, at)*sin
	}},
	{"Attention", func(d draw) *graph.Node {
		s := d.shape(4, 1)
		keys, values := d.shape(1, 1)[0], d.shape(1, 0)[0]
		far := d.Float(float64(1 + 30*d.IntN(2)))
		in := []*graph.Node{d.Mul(d.floats(s...), far), d.floats(s[0], s[1], keys, s[3]), d.floats(s[0], s[1], keys, values)}
		full := []int{s[0], s[1], s[2], keys}
		for i := range full {
			if d.IntN(3) == 0 {
				full[i] = 1
			}
		}
		switch d.IntN(3) {
		case 0:
			in = append(in, d.floats(full...))
		case 1:
			in = append(in, d.truths(full...))
		}
		if d.IntN(2) == 0 {
			return d.Op("Attention", in)
		}
		return d.Op("Attention", in, graph.Attr{Name: "scale", Value: float32(0.75)})
	}, func(n *graph.Node, in []array, at []int) float64 {
		q, k, v := in[0], in[1], in[2]
		scale := float64(graph.Attribute(n, "scale", float32(1/math.Sqrt(float64(q.shape[3])))))
		scores := make([]float64, k.shape[2])
		for s := range scores {
			for i := range q.shape[3] {
				scores[s] += scale * q.at(at[0], at[1], at[2], i) * k.at(at[0], at[1], s, i)
			}
			if len(in) == 4 && n.Inputs[3].DType != tensor.Bool {
				scores[s] += in[3].at(at[0], at[1], at[2], s)
			} else if len(in) == 4 && in[3].at(at[0], at[1], at[2], s) == 0 {
				scores[s] = math.Inf(-1)
			}
		}
		top := slices.Max(scores)
		if math.IsInf(top, -1) {
			return 0
		}
		sum, weights := 0.0, 0.0
		for s := range scores {
			w := math.Exp(scores[s] - top)
			weights += w
			sum += w * v.at(at[0], at[1], s, at[3])
		}
		return sum / weights
	}},
}

// TestTwins compares every kernel with its operator's definition on random operands of
// awkward shapes, in both precisions.
func TestTwins(t *testing.T) {
	missing := map[string]bool{}
	for _, op := range graph.Ops() {
		missing[op] = true
	}
	for _, w := range slices.Concat(elementwiseTwins, matrixTwins, shapeTwins, indexTwins, reduceTwins, fusedTwins) {
		delete(missing, w.op)
		for seed := range uint64(100) {
			b := graph.NewBuilder()
			n := w.draw(draw{rand.New(rand.NewPCG(seed, 7)), b})
			outputs := []graph.Output{{Name: "y", Node: n}}
			for i, x := range n.Inputs {
				outputs = append(outputs, graph.Output{Name: fmt.Sprint(i), Node: x})
			}
			g := finish(t, b, outputs...)
			for _, float := range []tensor.DType{tensor.Float32, tensor.Float64} {
				got, err := interp.New(g, float).Run(t.Context(), nil, nil)
				if err != nil {
					t.Fatalf("%s: %v\n%s", w.op, err, g)
				}
				in := make([]array, len(n.Inputs))
				for i := range in {
					in[i] = arrayOf(got[fmt.Sprint(i)])
				}
				y := arrayOf(got["y"])
				tolerance := 1e-5
				if float == tensor.Float64 {
					tolerance = 1e-9
				}
				everyIndex(y.shape, func(at []int) {
					want := w.define(n, in, at)
					have := y.at(at...)
					if have != want && !(math.Abs(have-want) <= tolerance*(1+math.Abs(want))) &&
						!(math.IsNaN(have) && math.IsNaN(want)) {
						t.Fatalf("%s%v: %v, want %v, in %v, of\n%s", w.op, at, have, want, float, g)
					}
				})
			}
		}
	}
	for op := range missing {
		t.Errorf("%s has no twin", op)
	}
}
