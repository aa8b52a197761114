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
		out = append(out, tick(float64(i)*step))
	}
	return out
}

// tick labels a number, a whole one as long as it is exact with commas.
func tick(value float64) plot.Tick {
	if rounded := math.Round(value); math.Abs(value) < 1<<53 && rounded == value {
		return plot.Tick{Value: value, Label: human.Thousands(int(rounded))}
	}
	return plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)}
}

// octaves labels powers of two: every second one where there are many, and even numbers where there are few.
type octaves struct{}

// Ticks implements plot.Ticker.
func (octaves) Ticks(low, high float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(low))), int(math.Floor(math.Log2(high)))
	if last-first < 3 {
		return even(0).Ticks(low, high)
	}
	const most = 16
	var out []plot.Tick
	for n := first; n <= last; n += 1 + (last-first)/most {
		out = append(out, tick(math.Exp2(float64(n))))
	}
	return out
}
