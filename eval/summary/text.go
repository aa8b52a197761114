package summary

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Text is all that was measured on one corpus, version and split: bits per byte.
type Text struct {
	Name    string // unique in the study
	Task    string // without version and split
	Lengths []task.Span
	Series  []textSeries // one for each encoding and size, in the order of Study.Encodings

	Windows, Documents [2]int // least and most of a length
	Stride             int    // most tokens that count at the end of a sliding window

	Longest int    // index of the longest of Lengths that any series has bits per byte at, or -1
	Trained [2]int // tokens that training windows have before one, at most over all series; 0, 0 if none was trained

	Section Section // its tables, and its summary
}

// textSeries is a corpus' rows of one encoding by length, over training runs.
type textSeries struct {
	Name     string
	Encoding int // and Variant, as Series'
	Variant  int
	Runs     int // of training
	Trained  [2]int
	Points   []textPoint // one for each of the text's lengths
}

// textPoint is bits per byte at one length over training runs; see eval.TextScore.
type textPoint struct {
	NA        bool   // measured, but beyond what the model can take or the documents have
	Bits      Spread // of every token of a window; over training runs, as are the others
	Sliding   Spread // of those at its end
	SlidingSE Number // the greatest of the runs' standard errors over windows
	Positions []positionPoint
}

// positionPoint is bits per byte at a place in the window.
type positionPoint struct {
	From, To int
	Bits     Spread
}

// takeTexts takes the rows of running text out of rows.
func (s *Study) takeTexts(rows []eval.Row) (others []eval.Row) {
	isText := func(r eval.Row) bool { return r.Measure == eval.MeasureText }
	of := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return !isText(r) })
	groups := groupBy(of, taskKeyOf)
	for _, g := range groups {
		s.Texts = append(s.Texts, s.newText(g.key.label(groups), g.key.task, g.rows))
	}
	return slices.DeleteFunc(slices.Clone(rows), isText)
}

func (s *Study) newText(name, corpus string, rows []eval.Row) *Text {
	t := &Text{Name: name, Task: corpus}
	t.Lengths = lengthsOf(rows)
	for _, r := range rows {
		if r.Text == nil {
			continue
		}
		widen(&t.Windows, r.Text.N)
		widen(&t.Documents, r.Text.Documents)
		t.Stride = max(t.Stride, r.Text.Stride)
	}
	for _, of := range s.variants(rows) {
		series := textSeries{Name: of.Name, Encoding: of.Encoding, Variant: of.Variant,
			Trained: [2]int{of.Rows[0].TrainMin, of.Rows[0].TrainMax},
			Runs:    len(groupBy(of.Rows, trainSeedsOf))}
		for _, at := range t.Lengths {
			series.Points = append(series.Points, newTextPoint(slices.DeleteFunc(slices.Clone(of.Rows),
				func(r eval.Row) bool { return r.Span() != at })))
		}
		t.Series = append(t.Series, series)
		if series.Trained[1] > 0 {
			t.Trained = [2]int{1, max(t.Trained[1], series.Trained[1])}
		}
	}
	t.Longest = t.longestWindows()
	t.Section = t.section()
	return t
}

// longestWindows is Longest.
func (t *Text) longestWindows() int {
	for i := len(t.Lengths) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Series, func(s textSeries) bool { return len(s.Points[i].Positions) > 0 }) {
			return i
		}
	}
	return -1
}

// widen takes a number into a range, of which zero is none.
func widen(r *[2]int, n int) {
	if r[0] == 0 || n < r[0] {
		r[0] = n
	}
	r[1] = max(r[1], n)
}

// newTextPoint puts rows of one length together. Several rows of one training run count once, by their mean.
func newTextPoint(rows []eval.Row) textPoint {
	measured := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return r.Text == nil })
	p := textPoint{NA: len(rows) > 0 && len(measured) == 0, SlidingSE: Unknown}
	over := func(value func(*eval.TextScore) float64) Spread {
		var runs []float64
		for _, run := range groupBy(measured, trainSeedsOf) {
			runs = append(runs, float64(mean(each(run.rows, func(r eval.Row) float64 { return value(r.Text) }))))
		}
		return overRuns(runs)
	}
	p.Bits = over(func(t *eval.TextScore) float64 { return t.Bits })
	p.Sliding = over(func(t *eval.TextScore) float64 { return t.Sliding })
	if len(measured) == 0 {
		return p
	}
	worst := 0.0
	for _, r := range measured {
		worst = max(worst, r.Text.SlidingSE)
	}
	p.SlidingSE = Number(worst)
	for i, at := range measured[0].Text.Positions {
		p.Positions = append(p.Positions, positionPoint{at.From, at.To, over(func(t *eval.TextScore) float64 {
			if i >= len(t.Positions) {
				return math.NaN()
			}
			return t.Positions[i].Bits
		})})
	}
	return p
}
