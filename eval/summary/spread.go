package summary

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
)

// Kinds of intervals. One over prompts says nothing of other training runs, and looks different.
const (
	OverRuns    = "runs"    // the quartiles of several training runs
	OverPrompts = "prompts" // one run: Wilson's 95 % interval of its prompts
	OverTimes   = "times"   // costs: from the least to the largest measurement or repeat
)

// Spread is a median and the interval around it.
type Spread struct {
	Median Number   `json:"median"`
	Low    Number   `json:"low"` // unknown for no interval
	High   Number   `json:"high"`
	Over   string   `json:"over,omitempty"` // what the interval is about; "" for none
	Runs   []Number `json:"runs,omitempty"` // each run's value, in the order of Series.Seeds; costs have none
}

// single is a number without an interval.
func single(n Number) Spread { return Spread{Median: n, Low: Unknown, High: Unknown} }

var unknownSpread = single(Unknown)

// overRuns is the median of training runs (NaN for none) and, of several, their quartiles.
func overRuns(values []float64) Spread {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	s := Spread{Median: median(known), Low: Unknown, High: Unknown}
	if len(known) == 0 {
		return s
	}
	s.Runs = lists.Map(values, func(v float64) Number { return Number(v) })
	if len(known) > 1 {
		s.Low, s.High, s.Over = quantile(known, 0.25), quantile(known, 0.75), OverRuns
	}
	return s
}

// overPrompts is the value of one run with the interval of its prompts.
func (s Spread) overPrompts(c cell) Spread {
	if s.Median.Known() {
		s.Low, s.High, s.Over = Number(c.low), Number(c.high), OverPrompts
	}
	return s
}

// overTimes is the median of a cost, from its least to its largest measurement.
func overTimes(values, all []float64) Spread {
	s := Spread{Median: median(values), Low: Unknown, High: Unknown}
	if len(all) > 0 && slices.Min(all) < slices.Max(all) {
		s.Low, s.High, s.Over = Number(slices.Min(all)), Number(slices.Max(all)), OverTimes
	}
	return s
}

// quantile interpolates linearly between ordered values: definition 7 of Hyndman and Fan 1996 (Sample Quantiles in Statistical
// Packages). Unknown of none.
func quantile(values []float64, p float64) Number {
	if len(values) == 0 {
		return Unknown
	}
	ordered := slices.Sorted(slices.Values(values))
	at := p * float64(len(ordered)-1)
	i := int(at)
	if at == float64(i) {
		return Number(ordered[i])
	}
	return Number(ordered[i] + (at-float64(i))*(ordered[i+1]-ordered[i]))
}

// median is the middle value, or the mean of the two middle ones.
func median(values []float64) Number { return quantile(values, 0.5) }

// mean is the arithmetic mean; unknown of no values.
func mean(values []float64) Number {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Number(sum / float64(len(values))) // NaN of none
}

// text writes a spread: "15.3 (12.1–18.0)"; an interval over prompts has square brackets.
func (s Spread) text(write func(Number) string) string {
	format := "%s (%s–%s)"
	switch {
	case s.Over == "" || s.Low == s.High:
		return write(s.Median)
	case s.Over == OverPrompts:
		format = "%s [%s–%s]"
	}
	return fmt.Sprintf(format, write(s.Median), write(s.Low), write(s.High))
}

// ends are the least and the largest of several runs, else the ends of the interval.
func (s Spread) ends() (low, high Number) {
	if s.Over != OverRuns {
		return s.Low, s.High
	}
	low, high = Number(math.Inf(1)), Number(math.Inf(-1))
	for _, v := range s.Runs {
		if v.Known() {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// apart reports whether every run of one spread lies above every run of the other.
func (s Spread) apart(o Spread) bool {
	low, high := s.ends()
	otherLow, otherHigh := o.ends()
	return low > otherHigh || otherLow > high
}
