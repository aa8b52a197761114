package summary

import (
	"math"
	"strconv"
	"strings"
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

// percent gives a ratio in percent, or a dash. It never rounds to 100 or to 0.
func (n Number) percent() string {
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

// wholePercent is percent without digits behind the point.
func (n Number) wholePercent() string {
	switch {
	case !n.Known():
		return "–"
	case n < 1 && n >= 0.995:
		return ">99"
	case n > 0 && n < 0.005:
		return "<1"
	}
	return strconv.FormatFloat(100*float64(n), 'f', 0, 64)
}

// short gives three digits, or all before the point; a dash for no value.
func (n Number) short() string {
	if !n.Known() {
		return "–"
	}
	digits := 0
	for v := math.Abs(float64(n)); v < 100 && v > 0 && digits < 3; v *= 10 {
		digits++
	}
	return strconv.FormatFloat(float64(n), 'f', digits, 64)
}

// rank gives three digits behind the point, as a reciprocal rank has; a dash for no value.
func (n Number) rank() string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 3, 64)
}

// signed2 gives two digits and, below 0, a minus; a dash for no value.
func (n Number) signed2() string { return n.signed(2, "") }

// points gives a difference of ratios in points: "+1.2", "−0.4", "0.0"; a dash for no value.
func (n Number) points() string { return (100 * n).signed(1, "+") }

// signed writes a number with plus above 0; a rounded 0 has no sign.
func (n Number) signed(digits int, plus string) string {
	if !n.Known() {
		return "–"
	}
	text := strconv.FormatFloat(math.Abs(float64(n)), 'f', digits, 64)
	switch {
	case strings.Trim(text, "0.") == "":
		return text
	case n < 0:
		return "−" + text
	}
	return plus + text
}
