package tensor

import "math"

// BFloat16Bits is the upper half of a float32: its sign, its 8 bits of exponent and the first
// 7 of its mantissa.
type BFloat16Bits uint16

// bfloat16Of returns v rounded to the nearest, ties to even. What is above the
// largest becomes infinite, and a NaN stays a NaN.
func bfloat16Of(v float32) BFloat16Bits {
	bits := math.Float32bits(v)
	if v != v {
		return BFloat16Bits(bits>>16 | 0x40) // quiet: what makes it a NaN may be in the lower half
	}
	return BFloat16Bits(roundShift(bits, 16)) // a carry raises the exponent, up to infinity
}

// float32 returns the value, exactly.
func (b BFloat16Bits) float32() float32 { return math.Float32frombits(uint32(b) << 16) }
