package tensor

import "fmt"

// As returns a float32 tensor rounded to float16 or bfloat16, to the nearest, ties to even, or one of
// these as float32; and an int8 tensor of numbers −8…7 as int4, or int4 as int8. Int8 as int8 is the tensor itself. It panics
// for other types, which is a bug of the caller.
func (t *Tensor) As(d DType) *Tensor {
	if d == Int8 && t.dtype == Int8 {
		return t
	}
	out := New(d, t.shape...)
	switch to := out.data.(type) {
	case []uint16:
		for i, v := range Data[float32](t) {
			to[i] = float16Of(v)
		}
	case []BFloat16Bits:
		for i, v := range Data[float32](t) {
			to[i] = bfloat16Of(v)
		}
	case []int4Pair:
		packInt4(to, Data[int8](t))
	case []int8:
		unpackInt4(to, Data[int4Pair](t))
	case []float32:
		if t.dtype == BFloat16 {
			for i, v := range Data[BFloat16Bits](t) {
				to[i] = v.float32()
			}
			return out
		}
		for i, v := range Data[uint16](t) {
			to[i] = Float32FromFloat16(v)
		}
	default:
		panic(fmt.Sprintf("tensor: cannot round %v to %v", t, d))
	}
	return out
}

// Round rounds numbers in place to what float16 or bfloat16 can hold, to the nearest, ties to even. For
// other types it does nothing.
func Round(x []float32, d DType) {
	switch d {
	case Float16:
		for i, v := range x {
			x[i] = Float32FromFloat16(float16Of(v))
		}
	case BFloat16:
		for i, v := range x {
			x[i] = bfloat16Of(v).float32()
		}
	}
}
