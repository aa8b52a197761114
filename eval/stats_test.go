package eval_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// The expected intervals are worked out by hand from Wilson's formula with
// z = 1.959964, z² = 3.841459.
func TestWilson(t *testing.T) {
	for _, tc := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1},
		{0, 10, 0, 0.277533},          // z²/(n+z²) = 3.841459/13.841459
		{10, 10, 0.722467, 1},         // its mirror image
		{5, 10, 0.236593, 0.763407},   // 0.5 ± 1.959964·√(0.025+0.00960365)/1.3841459
		{8, 10, 0.490162, 0.943318},   // (0.992073 ± 1.959964·√(0.016+0.00960365))/1.3841459
		{50, 100, 0.403832, 0.596168}, // 0.5 ± 1.959964·√(0.0025+0.0000960365)/1.03841459
		{1, 1, 0.206549, 1},           // 1/(1+z²) = 1/4.841459
	} {
		low, high := wilson(tc.k, tc.n)
		if math.Abs(low-tc.low) > 1e-6 || math.Abs(high-tc.high) > 1e-6 {
			t.Errorf("Wilson(%d, %d) = %.6f, %.6f, want %.6f, %.6f", tc.k, tc.n, low, high, tc.low, tc.high)
		}
	}
	for n := 1; n < 200; n++ {
		for k := range n + 1 {
			p := float64(k) / float64(n)
			if low, high := wilson(k, n); low < 0 || low > p || high < p || high > 1 {
				t.Fatalf("Wilson(%d, %d) = %v, %v", k, n, low, high)
			}
		}
	}
}

func TestPercentile(t *testing.T) {
	five := []float64{35, 50, 15, 40, 20}
	for _, tc := range []struct {
		values  []float64
		p, want float64
	}{
		{five, 5, 15}, {five, 20, 15}, {five, 30, 20}, {five, 40, 20}, {five, 50, 35}, {five, 95, 50}, {five, 100, 50},
		{[]float64{7}, 50, 7}, {[]float64{7}, 99, 7}, {nil, 50, 0},
		{[]float64{1, 2, 3, 4}, 50, 2}, {[]float64{1, 2, 3, 4}, 75, 3}, {[]float64{1, 2, 3, 4}, 76, 4},
	} {
		if got := eval.Percentile(tc.values, tc.p); got != tc.want {
			t.Errorf("Percentile(%v, %v) = %v, want %v", tc.values, tc.p, got, tc.want)
		}
	}
	if five[0] != 35 {
		t.Error("Percentile sorts its argument")
	}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, p := range []float64{1, 50, 95, 99} {
		if got := eval.Percentile(hundred, p); got != p {
			t.Errorf("Percentile(1..100, %v) = %v", p, got)
		}
	}
}

// wilson is the interval of k in n.
func wilson(k, n int) (low, high float64) {
	return eval.Wilson(float64(k)/max(float64(n), 1), float64(n))
}
