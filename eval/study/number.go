package study

import (
	"fmt"
	"math"
	"strconv"
)

// Number is a number that may be unknown: not finite, null in JSON.
type Number float64

// Unknown is no number.
var Unknown = Number(math.NaN())

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

var unknownSpread = Spread{Unknown, Unknown, Unknown}

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
		s.Low, s.High = Unknown, Unknown
	}
	return s
}

// Percent gives a spread of ratios: "15.3 (12.1–18.0)".
func (s Spread) Percent() string {
	if !s.Low.Known() || s.Low == s.High {
		return s.Mean.Percent()
	}
	return fmt.Sprintf("%s (%s–%s)", s.Mean.Percent(), s.Low.Percent(), s.High.Percent())
}

// Short gives a spread of costs.
func (s Spread) Short() string {
	if !s.Low.Known() || s.Low == s.High {
		return s.Mean.Short()
	}
	return fmt.Sprintf("%s (%s–%s)", s.Mean.Short(), s.Low.Short(), s.High.Short())
}

// overlaps reports whether two spreads have a value in common; without a spread
// nothing is known.
func (s Spread) overlaps(o Spread) bool { return s.Low <= o.High && o.Low <= s.High }

// apart reports whether two spreads are known to have no value in common.
func (s Spread) apart(o Spread) bool { return s.Low > o.High || o.Low > s.High }

// Times writes a factor: "1.06×", or a dash.
func (n Number) Times() string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 2, 64) + "×"
}

// Thousands sets commas: "40,000".
func Thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
