package eval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Wilson returns the 95 % score interval of a proportion p in n (Wilson 1927,
// Probable inference, the law of succession, and statistical inference):
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n),  z = 1.959964
//
// It is 0..1 for n = 0. n need not be a whole number.
func Wilson(p, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // the normal distribution's 97.5 % point
	centre := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	// Rounding must not leave 0..1, nor exclude the observed extremes.
	low, high = max(0, (centre-half)/scale), min(1, (centre+half)/scale)
	return min(low, p), max(high, p)
}

// percentile returns the nearest-rank percentile of values, 0 < p ≤ 100: the
// smallest value that at least p percent of the values do not exceed. It is a
// value that occurred, never an average; 0 for no values.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stat.Quantile(min(max(p, 0), 100)/100, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}

// deviation returns the sample standard deviation (n − 1 below), 0 for fewer than
// two values.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	return stat.StdDev(values, nil)
}

// ratio returns k/n, or 0 for n = 0.
func ratio(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}
