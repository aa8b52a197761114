package report

import (
	"math"
	"strconv"

	"github.com/nopezoo/zoo/internal/human"
	"gonum.org/v1/plot"
)

// even gives about five labelled ticks at round numbers, at least so far apart.
type even float64

const wholes even = 1 // whole numbers alone

// Ticks implements plot.Ticker.
func (least even) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	if low+step == low {
		return nil // numbers between which there is none
	}
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= 6 {
			step *= m
			break
		}
	}
	step = max(step, float64(least))
	var out []plot.Tick
	for i := int(math.Ceil(low/step - 1e-9)); float64(i)*step <= high+1e-9*step; i++ { // sums of steps would drift
		value := float64(i) * step
		label := strconv.FormatFloat(value, 'g', 6, 64)
		if step >= 1 {
			label = human.Thousands(int(math.Round(value)))
		}
		out = append(out, plot.Tick{Value: value, Label: label})
	}
	return out
}

// octaves labels powers of two: every second one where there are many, and places between where there are few.
type octaves struct{}

// Ticks implements plot.Ticker.
func (octaves) Ticks(low, high float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(low))), int(math.Floor(math.Log2(high)))
	const most = 16
	step := 1 + (last-first)/most
	var out []plot.Tick
	if last-first < 3 {
		for n := first - 1; n <= last; n++ {
			if value := 1.5 * math.Exp2(float64(n)); value >= low && value <= high {
				out = append(out, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 3, 64)})
			}
		}
	}
	for n := first; n <= last; n += step {
		value := math.Exp2(float64(n))
		label := strconv.FormatFloat(value, 'g', 3, 64)
		if n >= 0 && n < 53 { // as long as it is exact
			label = human.Thousands(int(value))
		}
		out = append(out, plot.Tick{Value: value, Label: label})
	}
	return out
}
