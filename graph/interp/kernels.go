package interp

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// call is one application of an operator. The shape rules have already passed
// and every operand has the shape they say, so kernels check contents only.
type call struct {
	node  *graph.Node
	in    []*tensor.Tensor
	float tensor.DType // of float values
	// overwrite says that the value may take the place of the first operand.
	overwrite bool
}

type kernel func(c call) (*tensor.Tensor, error)

type float interface{ float32 | float64 }

type number interface{ float | int64 }

// op holds the kernels of one operator, by element type.
type op struct {
	by   int // the input whose element type selects the kernel
	f32  kernel
	f64  kernel
	i64  kernel
	bool kernel
	i8   kernel
	i4   kernel
	u8   kernel
	i32  kernel
}

// pick returns the kernel for a node, nil where there is none.
func (o op) pick(n *graph.Node, float tensor.DType) kernel {
	switch d := n.Inputs[o.by].DType; {
	case d == tensor.Int64:
		return o.i64
	case d == tensor.Bool:
		return o.bool
	case d == tensor.Int8:
		return o.i8
	case d == tensor.Int4:
		return o.i4
	case d == tensor.Uint8:
		return o.u8
	case d == tensor.Int32:
		return o.i32
	case float == tensor.Float64:
		return o.f64
	}
	return o.f32
}

func same(k kernel) op { return op{f32: k, f64: k, i64: k, bool: k, i8: k, u8: k, i32: k} }

// kernels has the operators of graph.Ops. All else that is known of them is there.
func kernels() map[string]op {
	return map[string]op{
		"Add":            {f32: zip(add[float32]), f64: zip(add[float64]), i64: zip(add[int64])},
		"Sub":            {f32: zip(sub[float32]), f64: zip(sub[float64]), i64: zip(sub[int64])},
		"Mul":            {f32: zip(mul[float32]), f64: zip(mul[float64]), i64: zip(mul[int64])},
		"Div":            {f32: zip(div[float32]), f64: zip(div[float64]), i64: divInt64},
		"Max":            {f32: zip(larger[float32]), f64: zip(larger[float64]), i64: zip(larger[int64])},
		"Min":            {f32: zip(smaller[float32]), f64: zip(smaller[float64]), i64: zip(smaller[int64])},
		"Pow":            {f32: zip(pow[float32]), f64: zip(pow[float64])},
		"Neg":            {f32: pointwise(neg[float32]), f64: pointwise(neg[float64]), i64: pointwise(neg[int64])},
		"Abs":            {f32: pointwise(abs[float32]), f64: pointwise(abs[float64]), i64: pointwise(abs[int64])},
		"Floor":          {f32: pointwise(floor[float32]), f64: pointwise(floor[float64])},
		"Exp":            {f32: pointwise(exp[float32]), f64: pointwise(exp[float64])},
		"Log":            {f32: pointwise(log[float32]), f64: pointwise(log[float64])},
		"Sqrt":           {f32: pointwise(sqrt[float32]), f64: pointwise(sqrt[float64])},
		"Reciprocal":     {f32: pointwise(reciprocal[float32]), f64: pointwise(reciprocal[float64])},
		"Sin":            {f32: pointwise(sin[float32]), f64: pointwise(sin[float64])},
		"Cos":            {f32: pointwise(cos[float32]), f64: pointwise(cos[float64])},
		"Tanh":           {f32: pointwise(tanh[float32]), f64: pointwise(tanh[float64])},
		"Erf":            {f32: pointwise(erf[float32]), f64: pointwise(erf[float64])},
		"Sigmoid":        {f32: pointwise(sigmoid[float32]), f64: pointwise(sigmoid[float64])},
		"Softplus":       {f32: pointwise(softplus[float32]), f64: pointwise(softplus[float64])},
		"Relu":           {f32: pointwise(relu[float32]), f64: pointwise(relu[float64])},
		"Equal":          {i64: zip(equal[int64])},
		"Greater":        {f32: zip(greater[float32]), f64: zip(greater[float64]), i64: zip(greater[int64])},
		"GreaterOrEqual": {f32: zip(atLeast[float32]), f64: zip(atLeast[float64]), i64: zip(atLeast[int64])},
		"And":            {bool: zip(and)},
		"Where":          {by: 1, f32: where[float32], f64: where[float64], i64: where[int64], bool: where[bool]},
		"Cast":           same(cast),

		"MatMul": {f32: matMul[float32], f64: matMul[float64]},
		"Gemm":   {f32: gemm[float32], f64: gemm[float64]},

		"MatMulInteger":    {u8: matMulInteger},
		"QuantizeLinear":   {f32: quantizeLinear[float32], f64: quantizeLinear[float64]},
		"DequantizeLinear": {i8: dequantizeLinear, i4: dequantizeLinear, u8: dequantizeLinear},

		"Reshape":   same(reshape),
		"Squeeze":   same(squeeze),
		"Unsqueeze": same(unsqueeze),
		"Transpose": {f32: transpose[float32], f64: transpose[float64], i64: transpose[int64], bool: transpose[bool],
			i8: transpose[int8]},
		"Concat": {f32: concat[float32], f64: concat[float64], i64: concat[int64], bool: concat[bool]},
		"Slice":  {f32: slice[float32], f64: slice[float64], i64: slice[int64], bool: slice[bool]},
		"Expand": {f32: expand[float32], f64: expand[float64], i64: expand[int64], bool: expand[bool], u8: expand[uint8]},
		"Shape":  same(shapeOf),
		"Range":  {i64: rangeInt64},

		"Gather": {f32: gather[float32], f64: gather[float64], i64: gather[int64], bool: gather[bool],
			i8: gather[int8]},
		"GatherElements":  {f32: gatherAt[float32], f64: gatherAt[float64], i64: gatherAt[int64], bool: gatherAt[bool]},
		"ScatterElements": {f32: scatterAdd[float32], f64: scatterAdd[float64]},
		"ScatterND": {f32: scatterND[float32], f64: scatterND[float64], i64: scatterND[int64],
			bool: scatterND[bool]},

		"ReduceSum":  {f32: reduceSum[float32], f64: reduceSum[float64]},
		"ReduceMean": {f32: reduceMean[float32], f64: reduceMean[float64]},
		"ReduceMax":  {f32: reduceMax[float32], f64: reduceMax[float64]},
		"Softmax":    {f32: softmax[float32], f64: softmax[float64]},
		"LogSoftmax": {f32: logSoftmax[float32], f64: logSoftmax[float64]},
		"CumSum":     {f32: cumSum[float32, float64], f64: cumSum[float64, float64], i64: cumSum[int64, int64]},

		"RMSNormalization": {f32: rmsNormalization[float32], f64: rmsNormalization[float64]},
		"RotaryEmbedding":  {f32: rotaryEmbedding[float32], f64: rotaryEmbedding[float64]},
		"Attention":        {f32: attention[float32], f64: attention[float64]},
	}
}
