package simd

import "math"

// plainTile is up to four rows of a times the columns of b that a row of c has room for.
func plainTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc, cols int) {
	for r := range rows {
		plainRow(k, a[r*lda:], b, ldb, c[r*ldc:][:cols])
	}
}

// plainRow is one row of a times the columns of b that c has room for, four at a time: as
// many sums as most processors can keep.
func plainRow(k int, a, b []float32, ldb int, c []float32) {
	a = a[:k]
	j := 0
	for ; j+8 <= len(c); j += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		at := j
		for _, v := range a {
			row := b[at : at+8 : at+8]
			s0 += v * row[0]
			s1 += v * row[1]
			s2 += v * row[2]
			s3 += v * row[3]
			s4 += v * row[4]
			s5 += v * row[5]
			s6 += v * row[6]
			s7 += v * row[7]
			at += ldb
		}
		out := c[j : j+8 : j+8]
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
		out[4], out[5], out[6], out[7] = s4, s5, s6, s7
	}
	for ; j < len(c); j++ {
		sum := float32(0)
		for i, v := range a {
			sum += v * b[i*ldb+j]
		}
		c[j] = sum
	}
}

func plainDot(x, y []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	return (s0 + s2) + (s1 + s3)
}

func plainDots(groups, k int, a, b []float32, ldb int, out []float32) {
	for r := range 4 * groups {
		out[r] = plainDot(a, b[r*ldb:][:k])
	}
}

func plainSum(x []float32) float32 {
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	return (s0 + s2) + (s1 + s3)
}

func plainMax(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		if v > top || v != v {
			top = v
		}
	}
	return top
}

// expConsts are what the exponential is computed with; see exp8.
var expConsts = [...]float32{ExpCut, 1 / math.Ln2, 0.693359375, math.Ln2 - 0.693359375,
	1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1}

func plainExp(z, x []float32, top float32) float32 {
	c := &expConsts
	sum := float32(0)
	for i, v := range x {
		t := v - top
		switch {
		case t < ExpCut:
			z[i] = 0
			continue
		case t != t:
			z[i] = t
			sum += t
			continue
		}
		n := float32(int32(t*c[1] - 0.5)) // t is not positive, and the conversion rounds towards zero
		r := t - n*c[2] - n*c[3]
		p := c[4]
		for _, factor := range c[5:] {
			p = p*r + factor
		}
		p = p*r + 1
		z[i] = p * math.Float32frombits(uint32(int32(n)+127)<<23)
		sum += z[i]
	}
	return sum
}

func plainAdd(z, x, y []float32) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func plainAddWith(z, x []float32, y float32) {
	x = x[:len(z)]
	for i := range z {
		z[i] = x[i] + y
	}
}

func plainSub(z, x, y []float32) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

func plainSubWith(z, x []float32, y float32) {
	x = x[:len(z)]
	for i := range z {
		z[i] = x[i] - y
	}
}

func plainMul(z, x, y []float32) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] = x[i] * y[i]
	}
}

func plainMulWith(z, x []float32, y float32) {
	x = x[:len(z)]
	for i := range z {
		z[i] = x[i] * y
	}
}

func plainDiv(z, x, y []float32) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] = x[i] / y[i]
	}
}

func plainDivWith(z, x []float32, y float32) {
	x = x[:len(z)]
	for i := range z {
		z[i] = x[i] / y
	}
}

func plainRelu(z, x []float32) {
	x = x[:len(z)]
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		z[i] = v
	}
}

func plainNegAbs(z, x []float32) {
	x = x[:len(z)]
	for i, v := range x {
		z[i] = math.Float32frombits(math.Float32bits(v) | 1<<31)
	}
}

// plainLogistic is Sigmoid of x, given e = exp(−|x|).
func plainLogistic(z, e, x []float32) {
	e, x = e[:len(z)], x[:len(z)]
	for i, v := range x {
		if z[i] = 1 / (1 + e[i]); v < 0 {
			z[i] = e[i] / (1 + e[i])
		}
	}
}

func plainQuantize(out []uint8, x []float32, scale float32, zero uint8) {
	x = x[:len(out)]
	for i, v := range x {
		out[i] = uint8(max(0, min(255, math.RoundToEven(float64(v/scale))+float64(zero))))
	}
}
