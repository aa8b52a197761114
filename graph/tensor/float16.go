package tensor

import "math"

// float16Of returns v in IEEE binary16, rounded to the nearest, ties to even.
// What is too large becomes infinite, what is too small becomes zero, and a NaN
// stays a NaN.
func float16Of(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	mantissa := bits & 0x7fffff
	exponent := int(bits>>23&0xff) - 127
	switch {
	case exponent == 128 && mantissa != 0:
		return sign | 0x7e00 | uint16(mantissa>>13)
	case exponent > 15:
		return sign | 0x7c00
	case exponent >= -14:
		// A carry out of the mantissa raises the exponent, up to infinity.
		return sign | uint16(uint32(exponent+15)<<10+roundShift(mantissa, 13))
	case exponent >= -25: // subnormal: a multiple of 2^-24
		return sign | uint16(roundShift(mantissa|0x800000, -exponent-1))
	}
	return sign
}

// roundShift returns v / 2^n, rounded to the nearest, ties to even.
func roundShift(v uint32, n int) uint32 {
	q := v >> n
	rest, half := v&(1<<n-1), uint32(1)<<(n-1)
	if rest > half || rest == half && q&1 == 1 {
		q++
	}
	return q
}

// Float32FromFloat16 returns the value of an IEEE binary16, exactly.
func Float32FromFloat16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, mantissa := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(mantissa) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | mantissa<<13)
}
