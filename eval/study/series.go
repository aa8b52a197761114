package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Series is what some rows of a task say by length, over training seeds: those of an
// encoding, one line of the charts, or those of one model as it was run, one column
// of the tables. An encoding has several if one seed has several models, or if models
// differ in size or trained lengths, and one for each intervention after training.
type Series struct {
	Name       string     `json:"name"` // the encoding or model, and what tells it from others of it
	Encoding   int        `json:"encoding"`
	Variant    int        `json:"variant"` // 0 for an encoding's first series
	Model      string     `json:"-"`       // of the first row
	Rows       []eval.Row `json:"-"`
	Seeds      []uint64   `json:"-"`
	Parameters int64      `json:"-"`
	Steps      [2]int     `json:"-"` // least and most optimizer steps of the seeds
	Trained    [2]int     `json:"trained"`
	Points     []Point    `json:"points"` // one for each of the task's lengths

	Inside    Spread `json:"inside"` // mean of the study's measure at the trained lengths
	Beyond    Spread `json:"beyond"` // and at longer ones
	InsideNA  int    `json:"-"`      // lengths that some seed could not take; Inside leaves them out
	BeyondNA  int    `json:"-"`      // and of those beyond
	Score     Spread `json:"-"`      // Beyond with those counted as wrong, to compare encodings
	Effective Reach  `json:"effective"`

	seeds   map[uint64]map[task.Span]cell // by training seed and length, by the study's measure
	measure Measure
}

// Point is a series at one length.
type Point struct {
	Length       task.Span `json:"length"`
	Exact        Spread    `json:"exact"` // exact match; one seed: Wilson's 95 % interval, several: least to largest
	Token        Spread    `json:"token"` // tokens right, place by place; the same intervals
	EditDistance Number    `json:"-"`     // the mean over seeds, as is Loss
	Loss         Number    `json:"-"`
	N            int       `json:"n"`  // different prompts, added up over training seeds; 0 if not measured
	NA           bool      `json:"na"` // measured, but beyond what the model can take
}

// Reach is an effective length, see eval.EffectiveLength.
type Reach struct {
	Length task.Span `json:"length"`
	Low    task.Span `json:"low"`  // one seed: of the interval's lower end; several: of the worst seed
	High   task.Span `json:"high"` // of the upper end, or of the best seed
	Next   task.Span `json:"next"` // the first length that fails; none: it may reach further
}

// measuredAt works out a series, of which name, encoding, variant and rows are known,
// by exact match. What was measured of one model in several places or profiles is
// pooled: samples are the same, and adding them up would feign more.
func (s Series) measuredAt(lengths []task.Span) Series {
	first := s.Rows[0]
	s.Model, s.Parameters, s.Trained = first.Model, first.Parameters, [2]int{first.TrainMin, first.TrainMax}
	s.Seeds = distinct(s.Rows, func(r eval.Row) uint64 { return r.TrainSeed })
	steps := distinct(s.Rows, func(r eval.Row) int { return r.TrainSteps })
	s.Steps = [2]int{steps[0], steps[len(steps)-1]}
	s.measure, s.seeds = Exact, map[uint64]map[task.Span]cell{}
	scored := slices.DeleteFunc(slices.Clone(s.Rows), func(r eval.Row) bool { return r.Task == "" })
	for _, of := range groupBy(scored, func(r eval.Row) uint64 { return r.TrainSeed }) {
		s.seeds[of.key] = map[task.Span]cell{}
		for _, at := range groupBy(of.rows, func(r eval.Row) task.Span { return r.Span() }) {
			s.seeds[of.key][at.key] = pool(at.rows)
		}
	}
	s.Points = Each(lengths, s.point)
	s.summarize()
	return s
}

// byTokens is the series by tokens right.
func (s Series) byTokens() Series {
	exact := s.seeds
	s.measure, s.seeds = Tokens, map[uint64]map[task.Span]cell{}
	for seed, at := range exact {
		s.seeds[seed] = map[task.Span]cell{}
		for length, c := range at {
			if c.n > 0 {
				c = c.byTokens()
			}
			s.seeds[seed][length] = c
		}
	}
	s.summarize()
	return s
}

func (s *Series) point(length task.Span) Point {
	p := Point{Length: length}
	var exact, token, distance, loss []float64
	var last cell
	for _, seed := range s.Seeds {
		at, ok := s.seeds[seed][length]
		if !ok || at.n == 0 {
			p.NA = p.NA || ok
			continue
		}
		last = at
		p.N += at.n
		exact, distance, loss = append(exact, at.accuracy), append(distance, at.editDistance), append(loss, at.loss)
		if !math.IsNaN(at.tokenAccuracy) {
			token = append(token, at.tokenAccuracy)
		}
	}
	p.NA = p.NA && p.N == 0
	p.Exact, p.Token = spreadOf(exact), spreadOf(token)
	p.EditDistance, p.Loss = spreadOf(distance).Mean, spreadOf(loss).Mean
	if len(exact) == 1 {
		p.Exact.Low, p.Exact.High = Number(last.low), Number(last.high)
	}
	if len(token) == 1 {
		tokens := last.byTokens()
		p.Token.Low, p.Token.High = Number(tokens.low), Number(tokens.high)
	}
	return p
}

// Value is a point by the series' measure.
func (s *Series) Value(p Point) Spread {
	if s.measure == Tokens {
		return p.Token
	}
	return p.Exact
}

// Saw reports whether a length was part of training, or all lengths of a bin.
func (s *Series) Saw(length task.Span) bool {
	return length.Within(task.Range{Min: s.Trained[0], Max: s.Trained[1]})
}

// isBeyond reports whether a length is beyond training, or all lengths of a bin. A bin
// that is neither that nor seen counts in no mean.
func (s *Series) isBeyond(length task.Span) bool { return length.Min > s.Trained[1] }

// summarize works out the headline from the seeds and points.
func (s *Series) summarize() {
	var inside, beyond, score []float64
	s.InsideNA, s.BeyondNA = 0, 0
	for _, seed := range s.Seeds {
		in, inNA := s.meanOf(seed, s.Saw)
		out, outNA := s.meanOf(seed, s.isBeyond)
		s.InsideNA, s.BeyondNA = max(s.InsideNA, inNA), max(s.BeyondNA, outNA)
		inside, beyond = append(inside, in...), append(beyond, out...)
		if all := s.lengthsBeyond(seed); len(all) > 0 {
			score = append(score, s.beyondAt(seed, all))
		}
	}
	s.Inside, s.Beyond, s.Score = spreadOf(inside), spreadOf(beyond), spreadOf(score)
	s.Effective = s.reach()
}

// meanOf is a seed's mean over lengths, none for no lengths, and the lengths that the
// model could not take.
func (s *Series) meanOf(seed uint64, in func(length task.Span) bool) (mean []float64, na int) {
	sum, n := 0.0, 0
	for _, p := range s.Points { // in the order of lengths: the same sum every time
		t, ok := s.seeds[seed][p.Length]
		switch {
		case !ok || !in(p.Length):
		case t.n == 0:
			na++
		default:
			sum, n = sum+t.accuracy, n+1
		}
	}
	if n == 0 {
		return nil, na
	}
	return []float64{sum / float64(n)}, na
}

func (s *Series) reach() Reach {
	lengths := Each(s.Points, func(p Point) task.Span { return p.Length })
	reach := func(of func(Spread) Number) (length, next task.Span) {
		return eval.EffectiveLength(lengths, func(length task.Span) (float64, bool) {
			p := s.Points[slices.Index(lengths, length)]
			return float64(of(s.Value(p))), p.N > 0
		})
	}
	var r Reach
	r.Length, r.Next = reach(func(e Spread) Number { return e.Mean })
	r.Low, _ = reach(func(e Spread) Number { return e.Low })
	r.High, _ = reach(func(e Spread) Number { return e.High })
	return r
}

// String gives the length and its interval: "22 (21–22)", "51–100 (1–50 to 51–100)".
func (r Reach) String() string {
	switch {
	case r.Low == r.High:
		return r.Length.Label()
	case r.Low.IsBin() || r.High.IsBin():
		return fmt.Sprintf("%s (%s to %s)", r.Length.Label(), r.Low.Label(), r.High.Label())
	}
	return fmt.Sprintf("%s (%s–%s)", r.Length, r.Low, r.High)
}

// Millions writes a number of parameters: "0.6 M".
func Millions(n int64) string { return fmt.Sprintf("%.1f M", float64(n)/1e6) }

// beyondAt is a seed's mean over the given lengths, where a length that the model
// cannot take counts as wrong.
func (s *Series) beyondAt(seed uint64, lengths []task.Span) float64 {
	sum := 0.0
	for _, length := range lengths {
		sum += s.seeds[seed][length].accuracy
	}
	return sum / float64(len(lengths))
}

// lengthsBeyond lists the lengths beyond training that a seed was measured at,
// whether the model could take them or not.
func (s *Series) lengthsBeyond(seed uint64) []task.Span {
	var out []task.Span
	for length := range s.seeds[seed] {
		if s.isBeyond(length) {
			out = append(out, length)
		}
	}
	return task.SortSpans(out)
}

// ScoreOf is the mean beyond training of a series, where what the model cannot take
// counts as wrong; unknown if the task has no such one.
func (t *Task) ScoreOf(name string) Number {
	for _, s := range t.Series {
		if s.Name == name {
			return s.Score.Mean
		}
	}
	return Unknown
}
