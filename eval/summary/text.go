package summary

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// Text is all that was measured on one corpus, version and split: bits per byte.
type Text struct {
	Name    string // unique in the study
	Task    string // without version and split
	Lengths []task.Span
	Series  []Series // one for each encoding and size, in the order of Study.Encodings; with Bits instead of Points

	Windows, Documents [2]int // least and most of a length
	Stride             int    // most tokens that count at the end of a sliding window

	Longest int    // index of the longest of Lengths that any series has bits per byte at, or -1
	Trained [2]int // tokens that training windows have before one, at most over all series; 0, 0 if none was trained

	Section Section // its tables, and its summary
}

// bitsPoint is bits per byte at one length over training runs; see eval.TextScore.
type bitsPoint struct {
	NA        bool   // measured, but beyond what the model can take or the documents have
	Every     Spread // of every token of a window; over training runs, as are the others
	Sliding   Spread // of those at its end
	SlidingSE Number // the greatest of the runs' standard errors over windows
	Positions []positionPoint

	ends ends
}

// positionPoint is bits per byte at a place in the window.
type positionPoint struct {
	From, To int
	Bits     Spread
}

// takeTexts takes the rows of running text out of rows.
func (s *Study) takeTexts(rows []eval.Row) (others []eval.Row) {
	isText := func(r eval.Row) bool { return r.Measure == eval.MeasureText }
	texts := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return !isText(r) })
	groups := groupBy(texts, taskKeyOf)
	for _, g := range groups {
		s.Texts = append(s.Texts, s.newText(g.key.label(groups), g.key.task, g.rows))
	}
	return slices.DeleteFunc(slices.Clone(rows), isText)
}

func (s *Study) newText(name, corpus string, rows []eval.Row) *Text {
	t := &Text{Name: name, Task: corpus, Lengths: lengthsOf(rows), Longest: -1}
	for _, r := range rows {
		if r.Text != nil {
			widen(&t.Windows, r.Text.N)
			widen(&t.Documents, r.Text.Documents)
			t.Stride = max(t.Stride, r.Text.Stride)
		}
	}
	for _, series := range s.variants(rows) {
		series = series.measuredAt(nil, false)
		for i, length := range t.Lengths {
			p := newBitsPoint(slices.DeleteFunc(slices.Clone(series.Rows), func(r eval.Row) bool { return r.Span() != length }))
			if series.Bits = append(series.Bits, p); len(p.Positions) > 0 {
				t.Longest = max(t.Longest, i)
			}
		}
		if t.Series = append(t.Series, series); series.Trained[1] > 0 {
			t.Trained = [2]int{1, max(t.Trained[1], series.Trained[1])}
		}
	}
	t.Section = t.section()
	return t
}

// widen takes a number into a range, of which zero is none.
func widen(r *[2]int, n int) {
	if r[0] == 0 || n < r[0] {
		r[0] = n
	}
	r[1] = max(r[1], n)
}

// newBitsPoint puts rows of one length together. Several rows of one training run count once, by their mean.
func newBitsPoint(rows []eval.Row) bitsPoint {
	measured := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return r.Text == nil })
	over := func(value func(*eval.TextScore) float64) Spread {
		return overRuns(lists.Map(groupBy(measured, trainSeedsOf), func(run group[card.Seeds]) float64 {
			return float64(mean(lists.Map(run.rows, func(r eval.Row) float64 { return value(r.Text) })))
		}))
	}
	p := bitsPoint{NA: len(rows) > 0 && len(measured) == 0, SlidingSE: Unknown,
		Every:   over(func(t *eval.TextScore) float64 { return t.Bits }),
		Sliding: over(func(t *eval.TextScore) float64 { return t.Sliding })}
	if len(measured) == 0 {
		return p
	}
	p.ends = newEnds(measured)
	p.SlidingSE = Number(slices.Max(lists.Map(measured, func(r eval.Row) float64 { return r.Text.SlidingSE })))
	for i, place := range measured[0].Text.Positions {
		p.Positions = append(p.Positions, positionPoint{place.From, place.To, over(func(t *eval.TextScore) float64 {
			if i >= len(t.Positions) {
				return math.NaN()
			}
			return t.Positions[i].Bits
		})})
	}
	return p
}
