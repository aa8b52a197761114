package tensor

import "fmt"

// int4Pair is two numbers of Int4, the first in the lower four bits, as ONNX packs them. The last upper four bits of an odd
// number of elements are 0.
type int4Pair uint8

// pairsOf is an element type of which one value of the Go type holds two.
func pairsOf(e elementType) elementType {
	e.each = 2
	return e
}

// OfInt4 returns a tensor of Int4 with the numbers of values, each of which must be in −8…7. It panics when there are not
// as many as the shape has, which is a bug of the caller.
func OfInt4(values []int8, shape ...int) *Tensor {
	t := New(Int4, shape...)
	if len(values) != t.Len() {
		panic(fmt.Sprintf("tensor: %d elements for shape %v", len(values), shape))
	}
	pairs := Data[int4Pair](t)
	for i, v := range values {
		pairs[i/2] |= int4Pair(uint8(v)&15) << (i % 2 * 4)
	}
	return t
}

// Int8 returns the numbers of a tensor of Int8 or Int4 as int8. Those of the former are the tensor's own.
func (t *Tensor) Int8() []int8 {
	if t.dtype == Int8 {
		return Data[int8](t)
	}
	values := make([]int8, t.Len())
	for i, p := range Data[int4Pair](t) {
		values[2*i] = int8(p<<4) >> 4
		if 2*i+1 < len(values) {
			values[2*i+1] = int8(p) >> 4
		}
	}
	return values
}
