package analysis

import (
	"math"
	"testing"
)

// By hand, with the natural logarithm. The coded form is another number, and not bounded.
func TestJensenShannon(t *testing.T) {
	for _, tc := range []struct {
		p, q            []float32
		want, published float64
	}{
		{[]float32{0.5, 0.5}, []float32{0.5, 0.5}, 0, 0},
		{[]float32{1, 0}, []float32{0, 1}, math.Ln2, math.Inf(1)},
		// M = (½, ½): ½(¾ ln 3⁄2 + ¼ ln ½)·2, and ½(½ ln(2⁄3) + ½ ln 2)·2
		{[]float32{0.75, 0.25}, []float32{0.25, 0.75}, 0.75*math.Log(1.5) + 0.25*math.Log(0.5), 0.5*math.Log(2.0/3) + 0.5*math.Ln2},
		{[]float32{0.3, 0.1}, []float32{0.25, 0.75}, 0.75*math.Log(1.5) + 0.25*math.Log(0.5), 0.5*math.Log(2.0/3) + 0.5*math.Ln2},
		{[]float32{0, 0}, []float32{0, 1}, math.Ln2, math.Inf(1)},
		{[]float32{0, 0}, []float32{0, 0}, 0, math.Inf(1)},
		{[]float32{1, 1e-6}, []float32{1e-6, 1}, math.Ln2, 6.2146},
	} {
		if got := jensenShannon(tc.p, tc.q); math.Abs(got-tc.want) > 1e-4 {
			t.Errorf("%v, %v: %v, want %v", tc.p, tc.q, got, tc.want)
		}
		if got := published(tc.p, tc.q); got != tc.published && math.Abs(got-tc.published) > 1e-4 {
			t.Errorf("%v, %v: the coded form is %v, want %v", tc.p, tc.q, got, tc.published)
		}
	}
}
