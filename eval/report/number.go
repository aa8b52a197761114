package report

import (
	"math"
	"strconv"
)

// Number is a number that may be unknown: not finite, null in JSON.
type Number float64

var unknown = Number(math.NaN())

// Known reports whether there is a value.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON implements json.Marshaler. Six digits are more than any chart shows.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 6, 64), nil
}

// Percent gives a ratio in percent, or a dash. It never rounds up to 100 or down
// to 0 what is not.
func (n Number) Percent() string {
	switch {
	case !n.Known():
		return "–"
	case n < 1 && n >= 0.9995:
		return ">99.9"
	case n > 0 && n < 0.0005:
		return "<0.1"
	}
	return strconv.FormatFloat(100*float64(n), 'f', 1, 64)
}

// Short gives three digits, or all before the point; a dash for no value.
func (n Number) Short() string {
	if !n.Known() {
		return "–"
	}
	digits := 0
	for v := math.Abs(float64(n)); v < 100 && v > 0 && digits < 3; v *= 10 {
		digits++
	}
	return strconv.FormatFloat(float64(n), 'f', digits, 64)
}

// Spread is a mean and the interval around it.
type Spread struct {
	Mean Number `json:"mean"`
	Low  Number `json:"low"` // NaN for no interval
	High Number `json:"high"`
}

var unknownSpread = Spread{unknown, unknown, unknown}

// spreadOf is the mean of a value for each seed, from the least to the largest.
// One seed has no interval.
func spreadOf(values []float64) Spread {
	if len(values) == 0 {
		return unknownSpread
	}
	low, high, sum := values[0], values[0], 0.0
	for _, v := range values {
		low, high, sum = min(low, v), max(high, v), sum+v
	}
	s := Spread{Number(sum / float64(len(values))), Number(low), Number(high)}
	if len(values) == 1 {
		s.Low, s.High = unknown, unknown
	}
	return s
}
