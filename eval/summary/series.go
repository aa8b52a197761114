package summary

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Series is the rows of an encoding on a task, by length and training seed. An encoding has several where one seed has several models, or where models differ in size, trained lengths,
// intervention or precision.
type Series struct {
	Name       string       `json:"name"` // the encoding, and what tells it from others of it
	Encoding   int          `json:"encoding"`
	Variant    int          `json:"variant"` // 0 for an encoding's first series
	Rows       []eval.Row   `json:"-"`
	Seeds      []card.Seeds `json:"seeds"` // of the runs that count: all, or those that fitted (Options.OnlyFitted)
	Fit        fit          `json:"fit"`   // of all runs
	Unfit      bool         `json:"-"`     // no run fitted
	Parameters int64        `json:"-"`
	Steps      [2]int       `json:"-"` // least and most optimizer steps of the runs
	Trained    [2]int       `json:"trained"`
	Points     []point      `json:"points"` // one for each of the task's lengths

	Inside    Spread `json:"inside"` // of each run's mean of the study's measure at the trained lengths
	Beyond    Spread `json:"beyond"` // and at longer ones
	InsideNA  int    `json:"-"`      // lengths that some run could not take; Inside leaves them out
	BeyondNA  int    `json:"-"`      // and of those beyond
	Score     Spread `json:"-"`      // Beyond with those counted as wrong, to compare encodings
	Effective reach  `json:"effective"`

	seeds   map[card.Seeds]map[task.Span]cell // by training seed and length, by the study's measure
	fitted  map[card.Seeds]*bool              // by training seed; nil for not known
	measure string
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
	s.Seeds, s.Fit, s.fitted = nil, fit{}, map[card.Seeds]*bool{}
	for _, run := range groupBy(s.Rows, trainSeedsOf) {
		fitted := fittedRun(run.rows)
		s.Fit.count(fitted)
		if s.fitted[run.key] = fitted; !onlyFitted || fitted != nil && *fitted {
			s.Seeds = append(s.Seeds, run.key)
		}
	}
	s.Unfit = s.Fit.none()
	slices.SortFunc(s.Seeds, card.Seeds.Compare)
	steps := distinct(s.Rows, func(r eval.Row) int { return r.TrainSteps })
	s.Steps = [2]int{steps[0], steps[len(steps)-1]}
	s.measure, s.seeds = Exact, map[card.Seeds]map[task.Span]cell{}
	scored := slices.DeleteFunc(slices.Clone(s.Rows), func(r eval.Row) bool { return r.Task == "" })
	for _, of := range groupBy(scored, trainSeedsOf) {
		s.seeds[of.key] = map[task.Span]cell{}
		for _, at := range groupBy(of.rows, func(r eval.Row) task.Span { return r.Span() }) {
			s.seeds[of.key][at.key] = pool(at.rows)
		}
	}
	s.Points = each(lengths, s.point)
	s.means()
	return s
}

// byTokens is the series by tokens right.
func (s Series) byTokens() Series {
	exact := s.seeds
	s.measure, s.seeds = Tokens, map[card.Seeds]map[task.Span]cell{}
	for seed, at := range exact {
		s.seeds[seed] = map[task.Span]cell{}
		for length, c := range at {
			if c.n > 0 {
				c = c.byTokens()
			}
			s.seeds[seed][length] = c
		}
	}
	s.means()
	return s
}

func (s *Series) point(length task.Span) point {
	p := point{Length: length}
	at := map[card.Seeds]cell{} // of the runs that were measured there
	for _, seed := range s.Seeds {
		c, ok := s.seeds[seed][length]
		if p.NA = p.NA || ok && c.n == 0; c.n == 0 {
			continue
		}
		if at[seed] = c; p.N == 0 || c.n < p.N {
			p.N = c.n
		}
	}
	p.NA = p.NA && p.N == 0
	over := func(of func(cell) float64) Spread {
		return s.over(func(seed card.Seeds) float64 {
			if c, ok := at[seed]; ok {
				return of(c)
			}
			return math.NaN()
		})
	}
	p.Exact = over(func(c cell) float64 { return c.accuracy })
	p.Token = over(func(c cell) float64 { return c.tokenAccuracy })
	if len(at) == 1 {
		for _, c := range at {
			p.Exact = p.Exact.overPrompts(c)
			p.Token = p.Token.overPrompts(c.byTokens())
		}
	}
	return p
}

// over puts the runs' values together; NaN for none.
func (s *Series) over(of func(seed card.Seeds) float64) Spread { return overRuns(each(s.Seeds, of)) }

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
	s.Inside = s.over(func(seed card.Seeds) float64 { return s.meanOf(seed, s.saw, &s.InsideNA) })
	s.Beyond = s.over(func(seed card.Seeds) float64 { return s.meanOf(seed, s.isBeyond, &s.BeyondNA) })
	s.Score = s.over(func(seed card.Seeds) float64 {
		return float64(mean(each(s.lengthsBeyond(seed), func(length task.Span) float64 {
			return s.seeds[seed][length].accuracy // 0 where the model cannot take it
		})))
	})
	s.Effective = s.reach()
}

// meanOf is a run's mean over lengths, NaN for none. na rises to the number that the model could not take.
func (s *Series) meanOf(seed card.Seeds, in func(length task.Span) bool, na *int) float64 {
	var values []float64
	missing := 0
	for _, p := range s.Points { // in the order of lengths: the same sum every time
		t, ok := s.seeds[seed][p.Length]
		switch {
		case !ok || !in(p.Length):
		case t.n == 0:
			missing++
		default:
			values = append(values, t.accuracy)
		}
	}
	*na = max(*na, missing)
	return float64(mean(values))
}

// lengthsBeyond lists the lengths beyond training that a seed was measured at, refused ones too.
func (s *Series) lengthsBeyond(seed card.Seeds) []task.Span {
	var out []task.Span
	for length := range s.seeds[seed] {
		if s.isBeyond(length) {
			out = append(out, length)
		}
	}
	return task.SortSpans(out)
}
