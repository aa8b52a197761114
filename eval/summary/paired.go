package summary

import (
	"fmt"
	"math"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// ends are the bits at the ends of windows, the mean of training runs, of which every one read the same texts there.
type ends struct {
	texts string // hash; "" for none
	bits  []float64
	bytes []float64
}

// newEnds are those of rows of one length; none where a row has none, or others.
func newEnds(rows []eval.Row) (out ends) {
	runs := groupBy(rows, trainSeedsOf)
	for i, r := range rows {
		e := r.Text.Ends
		if e == nil || i > 0 && (e.Texts != out.texts || len(e.Bits) != len(out.bits)) {
			return ends{}
		}
		if i > 0 {
			continue
		}
		out.texts, out.bits, out.bytes = e.Texts, make([]float64, len(e.Bits)), make([]float64, len(e.Bits))
		for w := range out.bytes {
			if out.bytes[w] = float64(r.Text.SlidingN) / float64(len(e.Bits)); e.Bytes != nil {
				out.bytes[w] = float64(e.Bytes[w])
			}
		}
	}
	for _, run := range runs {
		for _, r := range run.rows {
			for w, bits := range r.Text.Ends.Bits {
				out.bits[w] += bits / float64(len(run.rows)*len(runs))
			}
		}
	}
	return out
}

// over is how many bits per byte more than others they are, and its standard error over the windows, both of the
// differences in each window: a ratio of means, as windows may differ in their bytes (Cochran 1977, section 2.11).
// Unknown where the texts are not the same.
func (e ends) over(o ends) (more, se Number) {
	if e.texts == "" || e.texts != o.texts || len(e.bits) != len(o.bits) || len(e.bits) < 2 {
		return Unknown, Unknown
	}
	bits, bytes := 0.0, 0.0
	for w := range e.bits {
		bits, bytes = bits+e.bits[w]-o.bits[w], bytes+e.bytes[w]
	}
	mean, squares, n := bits/bytes, 0.0, float64(len(e.bits))
	for w := range e.bits {
		d := e.bits[w] - o.bits[w] - mean*e.bytes[w]
		squares += d * d
	}
	return Number(mean), Number(math.Sqrt(squares/(n-1)*n) / bytes)
}

// paired are tables of differences over the same windows: between series, the first of which has the fewest bits, and
// between lengths of each.
func (t *Text) paired(best []Series) (tables []Table) {
	add := func(from string, series []Series, base func(s Series, i int) ends) {
		known := false
		table := grid(fmt.Sprintf("difference from %s in bits per byte of the last %d tokens, mean over runs ± standard error over the same windows",
			from, t.Stride), "length", lists.Map(t.Lengths, task.Span.Label), namesOf(series), func(i, k int) Cell {
			e := series[k].Bits[i].ends
			more, se := e.over(base(series[k], i))
			if !more.Known() {
				return Cell{Text: "n/a"}
			}
			known = true
			return Cell{Text: fmt.Sprintf("%+.3f ± %.3f", float64(more), float64(se)), Value: new(single(more)), N: len(e.bits)}
		})
		if known {
			tables = append(tables, table)
		}
	}
	add(best[0].Name, best[1:], func(_ Series, i int) ends { return best[0].Bits[i].ends })
	if start, _ := t.longestTrained(); start >= 0 && len(t.Lengths) > 1 {
		add("windows of "+t.Lengths[start].Label(), best, func(s Series, i int) ends {
			if i == start {
				return ends{}
			}
			return s.Bits[start].ends
		})
	}
	return tables
}

// apart says in a sentence which series are told apart from one over the same windows of a length, by two standard
// errors; "" where nothing could be paired.
func (t *Text) apart(best Series, series []Series, length int) string {
	var fewer, alike, more []string
	for _, s := range series {
		d, se := s.Bits[length].ends.over(best.Bits[length].ends)
		switch {
		case s.Name == best.Name || !d.Known():
		case d < -2*se:
			fewer = append(fewer, s.Name)
		case d <= 2*se:
			alike = append(alike, s.Name)
		default:
			more = append(more, s.Name)
		}
	}
	var parts []string
	add := func(names []string, one, several string) {
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+one)
		default:
			parts = append(parts, few(names)+several)
		}
	}
	add(fewer, " has fewer", " have fewer")
	add(alike, " is not told apart", " are not told apart")
	add(more, " has more", " have more")
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(" Of bits per byte of the last %d tokens of the same windows, against %s by two standard errors: %s.",
		t.Stride, best.Name, strings.Join(parts, "; "))
}
