package safety

import (
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// sizeRules return how large the first value of an operator is. The value of one without a rule is unknown, which
// is safe for those that make no more than they take.
var sizeRules = map[string]func(c sizing) size{
	"Concat":          sizeOfConcat,
	"Expand":          sizeOfExpand,
	"Tile":            sizeOfTile,
	"ConstantOfShape": func(c sizing) size { return sizeOfShape(c.constants(0)) },
	"RandomNormal":    func(c sizing) size { return shaped(c.list("shape")) },
	"RandomUniform":   func(c sizing) size { return shaped(c.list("shape")) },
	"Constant":        func(c sizing) size { return sizeOfTensor(c.s.constant(c.Output[0])) },
	"Range":           sizeOfRange,
	"Pad":             sizeOfPad,
	"OneHot":          sizeOfOneHot,
	"Gather":          sizeOfGather,
	"MatMul":          sizeOfMatMul,
	"Gemm":            sizeOfGemm,
	"Transpose":       sizeOfTranspose,
	"Reshape":         sizeOfReshape,
	"Unsqueeze":       sizeOfUnsqueeze,
	"Squeeze":         func(c sizing) size { return size{count: c.in(0).count} },
	"Flatten":         func(c sizing) size { return size{count: c.in(0).count} },
}

func init() {
	like := func(c sizing) size { return c.in(0) }
	for _, op := range strings.Fields("Identity Cast Neg Abs Not Sign Floor Ceil Round Sqrt Reciprocal Exp Log Sin Cos Tanh Erf " +
		"Sigmoid Relu Gelu Swish Softplus Softmax LogSoftmax Clip CumSum Trilu LayerNormalization RMSNormalization RotaryEmbedding " +
		"QuantizeLinear DequantizeLinear ScatterElements ScatterND Dropout EyeLike RandomNormalLike RandomUniformLike") {
		sizeRules[op] = like
	}
	for _, op := range strings.Fields("Add Sub Mul Div Pow Mod Min Max Sum Mean Where And Or Xor Equal Greater GreaterOrEqual " +
		"Less LessOrEqual BitwiseAnd BitwiseOr BitwiseXor BitShift PRelu") {
		sizeRules[op] = sizeOfBroadcast
	}
}

// broadcast returns the size of what two values broadcast to. They are taken to fit.
func broadcast(a, b size) size {
	if a.dims == nil || b.dims == nil {
		return size{count: max(a.count, b.count)}
	}
	if len(a.dims) < len(b.dims) {
		a, b = b, a
	}
	dims := slices.Clone(a.dims)
	for i, d := range b.dims {
		at := len(dims) - len(b.dims) + i
		dims[at] = max(dims[at], d)
	}
	return shaped(dims)
}

func sizeOfBroadcast(c sizing) size {
	s := c.in(0)
	for i := 1; i < len(c.Input); i++ {
		s = broadcast(s, c.in(i))
	}
	return s
}

func sizeOfConcat(c sizing) size {
	sum := size{}
	for i := range c.Input {
		sum.count = plus(sum.count, c.in(i).count)
	}
	first := c.in(0).dims
	at, ok := axis(c.number("axis"), len(first))
	if !ok {
		return sum
	}
	dims := slices.Clone(first)
	for i := 1; i < len(c.Input); i++ {
		other := c.in(i).dims
		if len(other) != len(dims) {
			return sum
		}
		for k, d := range other {
			if k == at {
				dims[k] = plus(dims[k], d)
			} else {
				dims[k] = max(dims[k], d)
			}
		}
	}
	return shaped(dims)
}

func sizeOfTensor(t *onnxpb.TensorProto) size {
	if t == nil {
		return unknown
	}
	return shaped(t.Dims)
}

// sizeOfShape is the size of a value of such a shape, which may not be known.
func sizeOfShape(dims []int64, known bool) size {
	if !known {
		return unknown
	}
	return shaped(dims)
}

func sizeOfExpand(c sizing) size {
	return broadcast(c.in(0), sizeOfShape(c.constants(1)))
}

func sizeOfTile(c sizing) size {
	s, repeats := c.in(0), sizeOfShape(c.constants(1))
	if len(s.dims) != len(repeats.dims) {
		return size{count: times(s.count, repeats.count)}
	}
	dims := slices.Clone(s.dims)
	for i, r := range repeats.dims {
		dims[i] = times(dims[i], r)
	}
	return shaped(dims)
}

func sizeOfRange(c sizing) size {
	var limits [3]float64 // first, end, step
	for i := range limits {
		n, ok := c.constants(i)
		if !ok || len(n) != 1 {
			return unknown
		}
		limits[i] = float64(n[0])
	}
	n := math.Ceil((limits[1] - limits[0]) / limits[2])
	if !(n > 0) { // as of a step of 0
		return unknown
	}
	return shaped([]int64{int64(min(n, 1<<62))})
}

func sizeOfPad(c sizing) size {
	s := c.in(0)
	pads, ok := c.constants(1)
	if !ok || len(pads) != 2*len(s.dims) {
		return unknown
	}
	dims := slices.Clone(s.dims)
	for i := range dims {
		for _, p := range []int64{pads[i], pads[len(dims)+i]} {
			if p > 0 {
				dims[i] = plus(dims[i], p)
			} else {
				dims[i] = max(dims[i]+p, 0)
			}
		}
	}
	return shaped(dims)
}

func sizeOfOneHot(c sizing) size {
	depth, ok := c.constants(1)
	if !ok || len(depth) != 1 || depth[0] < 0 {
		return unknown
	}
	return size{count: times(c.in(0).count, depth[0])}
}

func sizeOfGather(c sizing) size {
	data, index := c.in(0), c.in(1)
	at, ok := axis(c.number("axis"), len(data.dims))
	if !ok || index.dims == nil {
		return unknown
	}
	return shaped(slices.Concat(data.dims[:at], index.dims, data.dims[at+1:]))
}

func sizeOfMatMul(c sizing) size {
	a, b := c.in(0).dims, c.in(1).dims
	if len(a) < 2 || len(b) < 2 {
		return unknown
	}
	rows, columns := a[len(a)-2], b[len(b)-1]
	batch := broadcast(shaped(a[:len(a)-2]), shaped(b[:len(b)-2]))
	return shaped(append(batch.dims, rows, columns))
}

func sizeOfGemm(c sizing) size {
	a, b := c.in(0).dims, c.in(1).dims
	if len(a) != 2 || len(b) != 2 {
		return unknown
	}
	rows, columns := a[0], b[1]
	if c.number("transA") != 0 {
		rows = a[1]
	}
	if c.number("transB") != 0 {
		columns = b[0]
	}
	return shaped([]int64{rows, columns})
}

func sizeOfTranspose(c sizing) size {
	s, perm := c.in(0), c.list("perm")
	dims := slices.Clone(s.dims)
	if perm == nil {
		slices.Reverse(dims)
		return size{dims, s.count}
	}
	for i, from := range perm {
		if len(perm) != len(s.dims) || from < 0 || from >= int64(len(s.dims)) {
			return size{count: s.count}
		}
		dims[i] = s.dims[from]
	}
	return size{dims, s.count}
}

// sizeOfReshape knows the axes where the shape names all of them, in numbers that make up the whole.
func sizeOfReshape(c sizing) size {
	s := c.in(0)
	dims, ok := c.constants(1)
	if to := shaped(dims); ok && to.count == s.count {
		return to
	}
	return size{count: s.count}
}

func sizeOfUnsqueeze(c sizing) size {
	s := c.in(0)
	axes, ok := c.constants(1)
	if !ok {
		axes = c.list("axes") // before opset 13
	}
	if s.dims == nil || len(axes) == 0 || len(axes) > MaxRank {
		return size{count: s.count}
	}
	rank := len(s.dims) + len(axes)
	fresh := make([]bool, rank)
	for _, a := range axes {
		at, ok := axis(a, rank)
		if !ok {
			return size{count: s.count}
		}
		fresh[at] = true
	}
	dims, rest := make([]int64, rank), s.dims
	for i := range dims {
		if dims[i] = 1; !fresh[i] && len(rest) > 0 {
			dims[i], rest = rest[0], rest[1:]
		}
	}
	return size{dims, s.count}
}
