package report_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

type rgb [3]float64 // linear, 0..1

// Kinds of sight: Machado, Oliveira and Fernandes 2009, A physiologically-based
// model for simulation of color vision deficiency, at full severity.
var sights = map[string]sight{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// TestPalette checks that colours can be seen on the page, and told apart by
// everyone: the first six, which most studies have, by a CIE 1976 difference of at
// least 14, all nine by 5 (2 to 3 is just noticeable).
func TestPalette(t *testing.T) {
	encodings := palette(t, 9)
	for theme, of := range map[string]struct {
		page  string
		color func(report.Encoding) string
	}{
		"light": {"#ffffff", func(e report.Encoding) string { return e.Light }},
		"dark":  {"#14171b", func(e report.Encoding) string { return e.Dark }},
	} {
		for i, e := range encodings {
			if c := contrast(parseRGB(t, of.color(e)), parseRGB(t, of.page)); c < 3 {
				t.Errorf("%s: colour %d, %s, has a contrast of %.2f", theme, i, of.color(e), c)
			}
			for j, o := range encodings[:i] {
				for name, sight := range sights {
					least := 14.0
					if i >= 6 {
						least = 5
					}
					if d := difference(sight.see(parseRGB(t, of.color(e))),
						sight.see(parseRGB(t, of.color(o)))); d < least {
						t.Errorf("%s, %s: colours %d and %d differ by %.1f", theme, name, j, i, d)
					}
				}
			}
		}
	}
}

// TestLooks checks that no two encodings look the same, however many there are.
func TestLooks(t *testing.T) {
	seen := map[string]string{}
	for _, e := range palette(t, 81) {
		look := e.Light + e.Path
		if other, ok := seen[look]; ok {
			t.Fatalf("%s and %s look the same", e.Name, other)
		}
		seen[look] = e.Name
	}
}

// palette is the looks of the first n encodings.
func palette(t *testing.T, n int) []report.Encoding {
	t.Helper()
	var rows []eval.Row
	var order []string
	for i := range n {
		r := synthetic([]string{"copy"}, 1)[0]
		r.Encoding = fmt.Sprintf("encoding%02d", i)
		rows, order = append(rows, r), append(order, r.Encoding)
	}
	s, err := report.New(rows, report.Options{Options: summary.Options{Encodings: order}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Encodings
}

func parseRGB(t *testing.T, hex string) (out rgb) {
	t.Helper()
	for i := range out {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if out[i] = float64(v) / 255; out[i] <= 0.04045 { // sRGB
			out[i] /= 12.92
		} else {
			out[i] = math.Pow((out[i]+0.055)/1.055, 2.4)
		}
	}
	return out
}

func (c rgb) dot(o rgb) float64 { return c[0]*o[0] + c[1]*o[1] + c[2]*o[2] }

// contrast is as in WCAG 2.1.
func contrast(a, b rgb) float64 {
	weights := rgb{0.2126, 0.7152, 0.0722}
	x, y := a.dot(weights), b.dot(weights)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

type sight [3]rgb

func (s sight) see(c rgb) (out rgb) {
	for i := range out {
		out[i] = min(max(s[i].dot(c), 0), 1)
	}
	return out
}

// difference is the distance in CIELAB (D65).
func difference(a, b rgb) float64 {
	x, y := lab(a), lab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func lab(c rgb) [3]float64 {
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f(c.dot(rgb{0.4124, 0.3576, 0.1805}) / 0.9505)
	y := f(c.dot(rgb{0.2126, 0.7152, 0.0722}))
	z := f(c.dot(rgb{0.0193, 0.1192, 0.9505}) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
