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

// percent gives a ratio in percent with a digit behind the point, or a dash. It never rounds to 100 or to 0.
func (n Number) percent() string { return n.percentTo(1) }

func (n Number) percentTo(digits int) string {
	least := Number(math.Pow10(-digits) / 100) // that is written
	write := func(n Number) string { return (100 * n).digits(digits) }
	switch {
	case n < 1 && n >= 1-least/2:
		return ">" + write(1-least)
	case n > 0 && n < least/2:
		return "<" + write(least)
	}
	return write(n)
}

// digits writes a number with so many digits behind the point, or a dash.
func (n Number) digits(count int) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', count, 64)
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
	return n.digits(digits)
}

// rank gives three digits behind the point, as a reciprocal rank has; a dash for no value.
func (n Number) rank() string { return n.digits(3) }

// signed2 gives two digits and, below 0, a minus; a dash for no value.
func (n Number) signed2() string { return n.signed(2, "") }

// points gives a difference of ratios in points: "+1.2", "−0.4", "0.0"; a dash for no value.
func (n Number) points() string { return (100 * n).signed(1, "+") }

// signed writes a number with plus above 0; a rounded 0 has no sign.
func (n Number) signed(digits int, plus string) string {
	if !n.Known() {
		return "–"
	}
	text := Number(math.Abs(float64(n))).digits(digits)
	switch {
	case strings.Trim(text, "0.") == "":
		return text
	case n < 0:
		return "−" + text
	}
	return plus + text
}
