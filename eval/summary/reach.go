package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// reach is the effective length of a series (see eval.EffectiveLength): the median over its runs, of an even number the lower
// middle one.
type reach struct {
	Length task.Span   `json:"length"`
	Runs   []task.Span `json:"runs"` // each run's that was measured, in the order of the seeds
	Low    task.Span   `json:"low"`  // of one run: where the lower end of the prompts' interval reaches, else zero
	High   task.Span   `json:"high"` // and the upper end
}

// reach finds how far each run carries.
func (s *Series) reach() reach {
	var r reach
	for _, run := range s.runs {
		if !slices.ContainsFunc(s.Points, func(p point) bool { return run.cells[p.Length].n > 0 }) {
			continue
		}
		r.Runs = append(r.Runs, s.carries(run, func(c cell) float64 { return c.accuracy }))
		r.Low, r.High = s.carries(run, func(c cell) float64 { return c.low }), s.carries(run, func(c cell) float64 { return c.high })
	}
	if len(r.Runs) == 0 {
		return r
	}
	if len(r.Runs) > 1 {
		r.Low, r.High = task.Span{}, task.Span{}
	}
	ordered := slices.SortedFunc(slices.Values(r.Runs), task.Span.Compare)
	r.Length = ordered[(len(ordered)-1)/2]
	return r
}

// carries is the effective length of one run by a value of its cells.
func (s *Series) carries(run trainingRun, value func(cell) float64) task.Span {
	length, _ := eval.EffectiveLength(lists.Map(s.Points, func(p point) task.Span { return p.Length }),
		func(length task.Span) (float64, bool) {
			c := run.cells[length]
			return value(c), c.n > 0 && !math.IsNaN(c.accuracy)
		})
	return length
}

// String gives the length and each run's, "60 (60, 60, 48)", or the interval of one run's prompts: "22 [21–22]".
func (r reach) String() string {
	switch {
	case len(r.Runs) > 1:
		return fmt.Sprintf("%s (%s)", r.Length.Label(), strings.Join(lists.Map(r.Runs, task.Span.Label), ", "))
	case r.Low == r.High:
		return r.Length.Label()
	case r.Low.IsBin() || r.High.IsBin():
		return fmt.Sprintf("%s [%s to %s]", r.Length.Label(), r.Low.Label(), r.High.Label())
	}
	return fmt.Sprintf("%s [%s–%s]", r.Length, r.Low, r.High)
}
