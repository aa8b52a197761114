package native

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// maker makes the kernel of a node; nil where the engine has none for its types.
type maker func(q *part) kernel

// makers has the kernels of operators. All others, and forms that these do not have, are the
// interpreter's.
var makers = map[string]maker{
	"Add": number(vectors(simd.Add, simd.AddWith, true, add[float32]), add[int64]),
	"Sub": number(vectors(simd.Sub, simd.SubWith, false, sub[float32]), sub[int64]),
	"Mul": number(vectors(simd.Mul, simd.MulWith, true, mul[float32]), mul[int64]),
	"Div": number(vectors(simd.Div, simd.DivWith, false, div), nil),
	"Max": number(larger[float32], larger[int64]),
	"Min": number(smaller[float32], smaller[int64]),
	"Pow": number(pow, nil),

	"Equal":          comparison(equal[float32], equal[int64]),
	"Greater":        comparison(greater[float32], greater[int64]),
	"GreaterOrEqual": comparison(atLeast[float32], atLeast[int64]),
	"And":            func(*part) kernel { return &zip[bool, bool]{get: boolsOf, put: boolsOf, row: and} },

	"Neg":        negMaker,
	"Abs":        rowsOf(abs),
	"Reciprocal": eachOf(func(x float32) float32 { return 1 / x }),
	"Sigmoid":    rowsOf(simd.Sigmoid),
	"Relu":       rowsOf(simd.Relu),
	"Sqrt":       inDouble(math.Sqrt),
	"Floor":      inDouble(math.Floor),
	"Exp":        inDouble(math.Exp),
	"Log":        inDouble(math.Log),
	"Sin":        inDouble(math.Sin),
	"Cos":        inDouble(math.Cos),
	"Tanh":       inDouble(math.Tanh),
	"Erf":        inDouble(math.Erf),
	"Softplus":   inDouble(softplus),

	"Where": whereMaker,
	"Cast":  castMaker,

	"MatMul": productMaker,
	"Gemm":   productMaker,

	"MatMulInteger":    intProductMaker,
	"QuantizeLinear":   func(*part) kernel { return &quantize{} },
	"DequantizeLinear": func(*part) kernel { return &dequantize{} },

	"Reshape":   func(*part) kernel { return view{} },
	"Squeeze":   func(*part) kernel { return view{} },
	"Unsqueeze": func(*part) kernel { return view{} },
	"Transpose": func(q *part) kernel { return &transpose{perm: graph.Attribute[[]int64](q.node, "perm", nil)} },
	"Expand":    func(*part) kernel { return &expand{} },
	"Slice":     func(*part) kernel { return &slice{} },
	"Concat":    func(*part) kernel { return &concat{} },
	"Shape":     func(*part) kernel { return shapeOf{} },
	"Range":     func(*part) kernel { return count{} },

	"Gather": func(*part) kernel { return &gather{} },
	"ScatterND": func(q *part) kernel {
		if q.kindOf(0) != floats {
			return nil
		}
		return &scatter{}
	},

	"ReduceSum":  reduction(sumOf),
	"ReduceMean": reduction(meanOf),
	"ReduceMax":  reduction(maxOf),
	"Softmax":    softmaxMaker,

	"CumSum": cumSumMaker,

	"GatherElements": func(q *part) kernel {
		if q.kindOf(0) != floats {
			return nil
		}
		return &gatherAt{}
	},

	"RMSNormalization": normMaker,
	"RotaryEmbedding":  func(*part) kernel { return &rotary{} },
}

// negMaker negates numbers of either type.
func negMaker(q *part) kernel {
	if q.kindOf(0) == integers {
		return negInts{}
	}
	return eachOf(func(x float32) float32 { return -x })(q)
}

type negInts struct{}

func (negInts) prepare(*step) error { return nil }

func (negInts) run(s *step) error {
	for i, v := range s.in[0].i {
		s.out.i[i] = -v
	}
	return nil
}

// newKernel makes a node's kernel.
func newKernel(q *part) kernel {
	small := len(q.node.Shape) <= maxRank
	for _, x := range q.node.Inputs {
		small = small && len(x.Shape) <= maxRank
	}
	if make := makers[q.node.Op]; make != nil && small {
		if k := make(q); k != nil {
			return k
		}
	}
	return interpreted{}
}

// interpreted has the interpreter compute.
type interpreted struct{}

func (interpreted) prepare(*step) error { return nil }

func (interpreted) run(s *step) error {
	in := make([]*tensor.Tensor, len(s.in))
	for i, x := range s.in {
		in[i] = x.tensor()
	}
	t, err := interp.Apply(s.out.part.node, in, s.out.shape)
	if err != nil {
		return err
	}
	s.out.copy(t)
	return nil
}
