package pe_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

// With four features there are two frequencies, 1/100 and 1/10000. At distance 100 the
// cosines are of 1 and 0.01: 0.540302 + 0.999950 − 2 = −0.459748, which two heads
// divide by 4 and by 8. 1e-6 is the printed precision.
func TestSandwichByHand(t *testing.T) {
	d := pe.Dims{Model: 2, Heads: 2, Head: 1}
	const n = 101
	got := bias(t, newEncoding(t, "sandwich", `{"features":4}`, d), d, n, nil)
	for h, want := range []float64{-0.114937, -0.0574685} {
		near(t, "at distance 100", got[h*n*n+(n-1)*n:][:1], []float64{want}, 1e-6)
		near(t, "at distance 0", got[h*n*n+(n-1)*n+n-1:][:1], []float64{0}, 1e-9)
	}
}

// The twin: the product of the sinusoids of the two positions, as the paper derives it,
// with what it is at distance 0 taken off.
func TestSandwichIsAProductOfSinusoids(t *testing.T) {
	d := pe.Dims{Model: 4, Heads: 4, Head: 1}
	const n, width = 9, 128
	sinusoids := func(pos int) (p []float64) {
		for k := 1; k <= width/2; k++ {
			sin, cos := math.Sincos(float64(pos) / math.Pow(10000, 2*float64(k)/width))
			p = append(p, sin, cos)
		}
		return p
	}
	got := bias(t, newEncoding(t, "sandwich", ``, d), d, n, nil)
	for h := range 4 {
		for q := range n {
			for k := range q + 1 {
				product := -float64(width / 2)
				for i, x := range sinusoids(q) {
					product += x * sinusoids(k)[i]
				}
				near(t, "product", got[(h*n+q)*n+k:][:1], []float64{product / (8 * float64(h+1) / 4)}, 1e-4)
			}
		}
	}
}
