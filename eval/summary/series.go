package summary

import (
	"maps"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// Measures of accuracy. A study has one.
const (
	Exact  = "exact" // the share of prompts whose parsed completion is right
	Tokens = "token" // the share of target tokens that are right, place by place
)

// label names a measure in headings.
func label(measure string) string {
	if measure == Tokens {
		return "tokens right"
	}
	return "exact match"
}

// Series is the rows of an encoding on a task, by length and training run. An encoding has several where one seed has several
// models, or where models differ in size, trained lengths, intervention or precision.
type Series struct {
	Name       string      `json:"name"` // the encoding, and what tells it from others of it
	Encoding   int         `json:"encoding"`
	Variant    int         `json:"variant"` // 0 for an encoding's first series
	Setting    string      `json:"-"`       // of the names of its runs, what not all names of the task have; "" where they differ
	Rows       []eval.Row  `json:"-"`
	Fit        fit         `json:"fit"` // of all runs
	Unfit      bool        `json:"-"`   // no run fitted
	Parameters int64       `json:"-"`
	Steps      [2]int      `json:"-"` // least and most optimizer steps of the runs
	Trained    [2]int      `json:"trained"`
	Points     []point     `json:"points"` // one for each of the task's lengths
	Bits       []bitsPoint `json:"-"`      // of running text: one for each of the text's lengths

	Inside    Spread `json:"inside"` // of each run's mean of the study's measure at the trained lengths
	Beyond    Spread `json:"beyond"` // and at longer ones
	InsideNA  int    `json:"-"`      // lengths that some run could not take; Inside leaves them out
	BeyondNA  int    `json:"-"`      // and of those beyond
	Score     Spread `json:"-"`      // Beyond with those counted as wrong, to compare encodings
	Effective reach  `json:"effective"`

	runs    []trainingRun // by seed: all, or those that fitted (Options.OnlyFitted)
	measure string
}

// trainingRun is one training run, here or of a paper.
type trainingRun struct {
	seeds  card.Seeds
	fitted *bool              // nil for not known
	cells  map[task.Span]cell // by the study's measure
}

// point is a series at one length.
type point struct {
	Length task.Span `json:"length"`
	Exact  Spread    `json:"exact"` // exact match; of one run with the interval of its prompts
	Token  Spread    `json:"token"` // tokens right, place by place; the same intervals
	N      int       `json:"n"`     // different prompts of a run, of the run with the fewest; 0 if not measured
	NA     bool      `json:"na"`    // measured, but beyond what the model can take
}

// measuredAt works out a series by exact match. Rows of one model from several places are pooled: their samples are the same.
func (s Series) measuredAt(lengths []task.Span, onlyFitted bool) Series {
	first := s.Rows[0]
	s.Parameters, s.Trained = first.Parameters, [2]int{first.TrainMin, first.TrainMax}
	for _, run := range groupBy(s.Rows, trainSeedsOf) {
		r := trainingRun{run.key, fittedRun(run.rows), map[task.Span]cell{}}
		if s.Fit.count(r.fitted); onlyFitted && (r.fitted == nil || !*r.fitted) {
			continue
		}
		scored := slices.DeleteFunc(slices.Clone(run.rows), func(r eval.Row) bool { return r.Task == "" })
		for _, g := range groupBy(scored, func(r eval.Row) task.Span { return r.Span() }) {
			r.cells[g.key] = pool(g.rows)
		}
		s.runs = append(s.runs, r)
	}
	s.Unfit = s.Fit.none()
	slices.SortFunc(s.runs, func(a, b trainingRun) int { return a.seeds.Compare(b.seeds) })
	steps := distinct(s.Rows, func(r eval.Row) int { return r.TrainSteps })
	s.Steps, s.measure = [2]int{steps[0], steps[len(steps)-1]}, Exact
	s.Points = lists.Map(lengths, s.point)
	s.means()
	return s
}

// byTokens is the series by tokens right.
func (s Series) byTokens() Series {
	s.measure, s.runs = Tokens, slices.Clone(s.runs)
	for i, run := range s.runs {
		s.runs[i].cells = map[task.Span]cell{}
		for length, c := range run.cells {
			if c.n > 0 {
				c = c.byTokens()
			}
			s.runs[i].cells[length] = c
		}
	}
	s.means()
	return s
}

func (s *Series) point(length task.Span) point {
	p := point{Length: length}
	var measured []cell
	for _, run := range s.runs {
		c, ok := run.cells[length]
		if p.NA = p.NA || ok && c.n == 0; c.n == 0 {
			continue
		}
		if measured = append(measured, c); p.N == 0 || c.n < p.N {
			p.N = c.n
		}
	}
	p.NA = p.NA && p.N == 0
	over := func(value func(cell) float64) Spread {
		return s.over(func(run trainingRun) float64 { return run.at(length, value) })
	}
	p.Exact = over(func(c cell) float64 { return c.accuracy })
	p.Token = over(func(c cell) float64 { return c.tokenAccuracy })
	if len(measured) == 1 {
		p.Exact = p.Exact.overPrompts(measured[0])
		p.Token = p.Token.overPrompts(measured[0].byTokens())
	}
	return p
}

// at is a value of a run at a length, NaN where it was not measured.
func (r trainingRun) at(length task.Span, value func(cell) float64) float64 {
	if c := r.cells[length]; c.n > 0 {
		return value(c)
	}
	return math.NaN()
}

// over puts the runs' values together; NaN for none.
func (s *Series) over(value func(trainingRun) float64) Spread {
	return overRuns(lists.Map(s.runs, value))
}

// value is a point by the series' measure.
func (s *Series) value(p point) Spread {
	if s.measure == Tokens {
		return p.Token
	}
	return p.Exact
}

// saw reports whether a length was part of training, or all lengths of a bin.
func (s *Series) saw(length task.Span) bool {
	return s.Trained[0] <= length.Min && length.Max <= s.Trained[1]
}

// isBeyond reports whether a length, or all lengths of a bin, are beyond training. Bins that are partly so count in no mean.
func (s *Series) isBeyond(length task.Span) bool { return length.Min > s.Trained[1] }

// means works out the headline from the runs.
func (s *Series) means() {
	s.InsideNA, s.BeyondNA = 0, 0
	s.Inside = s.over(func(run trainingRun) float64 { return s.meanOf(run, s.saw, &s.InsideNA) })
	s.Beyond = s.over(func(run trainingRun) float64 { return s.meanOf(run, s.isBeyond, &s.BeyondNA) })
	s.Score = s.over(func(run trainingRun) float64 {
		return float64(mean(lists.Map(s.lengthsBeyond(run), func(length task.Span) float64 {
			return run.cells[length].accuracy // 0 where the model cannot take it
		})))
	})
	s.Effective = s.reach()
}

// meanOf is a run's mean over lengths, NaN for none. na rises to the number that the model could not take.
func (s *Series) meanOf(run trainingRun, in func(length task.Span) bool, na *int) float64 {
	var values []float64
	missing := 0
	for _, p := range s.Points { // in the order of lengths: the same sum every time
		c, ok := run.cells[p.Length]
		switch {
		case !ok || !in(p.Length):
		case c.n == 0:
			missing++
		default:
			values = append(values, c.accuracy)
		}
	}
	*na = max(*na, missing)
	return float64(mean(values))
}

// lengthsBeyond lists the lengths beyond training that a run was measured at, refused ones too.
func (s *Series) lengthsBeyond(run trainingRun) []task.Span {
	return task.SortSpans(slices.DeleteFunc(slices.Collect(maps.Keys(run.cells)), func(n task.Span) bool { return !s.isBeyond(n) }))
}
