package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/eval"
)

// Series is one encoding on a task: one line of the charts, over training seeds.
// An encoding has several if one seed has several models, or if models differ in
// size or trained lengths.
type Series struct {
	Name       string   `json:"name"` // the encoding, and what tells it from others of it
	Encoding   int      `json:"encoding"`
	Variant    int      `json:"variant"` // 0 for an encoding's first series
	Seeds      []uint64 `json:"-"`
	Parameters int64    `json:"-"`
	Steps      [2]int   `json:"-"` // least and most optimizer steps of the seeds
	Trained    [2]int   `json:"trained"`
	Points     []Point  `json:"points"` // one for each of the task's lengths

	Inside    Spread `json:"inside"` // mean exact match at the trained lengths
	Beyond    Spread `json:"beyond"` // and at longer ones
	BeyondNA  int    `json:"-"`      // lengths beyond that some seed could not take; Beyond leaves them out
	Score     Spread `json:"score"`  // Beyond with those counted as wrong, to compare encodings
	Effective Reach  `json:"effective"`

	seeds map[uint64]map[int]eval.Cell // by training seed and length
}

// Point is a series at one length.
type Point struct {
	Length int    `json:"length"`
	Exact  Spread `json:"exact"` // exact match; one seed: Wilson's 95 % interval, several: least to largest
	Token  Spread `json:"token"` // tokens right, place by place
	N      int    `json:"n"`     // different prompts, added up over training seeds; 0 if not measured
	NA     bool   `json:"na"`    // measured, but beyond what the model can take
}

// Reach is an effective length, see eval.EffectiveLength.
type Reach struct {
	Length int `json:"length"`
	Low    int `json:"low"`  // one seed: of the interval's lower end; several: of the worst seed
	High   int `json:"high"` // of the upper end, or of the best seed
	Next   int `json:"next"` // the first length that fails; 0 for none: it may reach further
}

// newSeries works out a line. What was measured of one model in several places
// or profiles is pooled: samples are the same, and adding them up would feign more.
func newSeries(v variant, lengths []int) Series {
	first := v.rows[0]
	s := Series{Name: v.name, Encoding: v.encoding, Variant: v.variant, Parameters: first.Parameters,
		Trained: [2]int{first.TrainMin, first.TrainMax}, seeds: map[uint64]map[int]eval.Cell{}}
	s.Seeds = distinct(v.rows, func(r eval.Row) uint64 { return r.TrainSeed })
	steps := distinct(v.rows, func(r eval.Row) int { return r.TrainSteps })
	s.Steps = [2]int{steps[0], steps[len(steps)-1]}
	for _, seed := range s.Seeds {
		s.seeds[seed] = cells(v.rows, seed)
	}
	for _, length := range lengths {
		s.Points = append(s.Points, s.point(length))
	}
	s.summarize()
	return s
}

// cells pools the samples of a training seed by length.
func cells(rows []eval.Row, seed uint64) map[int]eval.Cell {
	at := map[int][]eval.Row{}
	for _, r := range rows {
		if r.TrainSeed == seed && r.Task != "" { // not of speed alone
			at[r.Length] = append(at[r.Length], r)
		}
	}
	out := map[int]eval.Cell{}
	for length, of := range at {
		out[length] = eval.Pool(of)
	}
	return out
}

func (s *Series) point(length int) Point {
	p := Point{Length: length, Exact: unknownSpread, Token: unknownSpread}
	var exact, token []float64
	var last eval.Cell
	for _, seed := range s.Seeds {
		at, ok := s.seeds[seed][length]
		if !ok || at.N == 0 {
			p.NA = p.NA || ok
			continue
		}
		last = at
		p.N += at.N
		exact = append(exact, at.Accuracy)
		if !math.IsNaN(at.TokenAccuracy) {
			token = append(token, at.TokenAccuracy)
		}
	}
	p.NA = p.NA && p.N == 0
	p.Exact, p.Token = spreadOf(exact), spreadOf(token)
	if len(exact) == 1 {
		p.Exact.Low, p.Exact.High = Number(last.Low), Number(last.High)
	}
	return p
}

// summarize works out the headline from the seeds and points.
func (s *Series) summarize() {
	var inside, beyond, score []float64
	for _, seed := range s.Seeds {
		in, _ := s.meanOf(seed, func(length int) bool { return s.Trained[0] <= length && length <= s.Trained[1] })
		out, na := s.meanOf(seed, func(length int) bool { return length > s.Trained[1] })
		s.BeyondNA = max(s.BeyondNA, na)
		inside, beyond = append(inside, in...), append(beyond, out...)
		if all := s.lengthsBeyond(seed); len(all) > 0 {
			score = append(score, s.beyondAt(seed, all))
		}
	}
	s.Inside, s.Beyond, s.Score = spreadOf(inside), spreadOf(beyond), spreadOf(score)
	s.Effective = s.reach()
}

// meanOf is a seed's mean exact match over lengths, none for no lengths, and the
// lengths that the model could not take.
func (s *Series) meanOf(seed uint64, in func(length int) bool) (mean []float64, na int) {
	sum, n := 0.0, 0
	for _, p := range s.Points { // in the order of lengths: the same sum every time
		t, ok := s.seeds[seed][p.Length]
		switch {
		case !ok || !in(p.Length):
		case t.N == 0:
			na++
		default:
			sum, n = sum+t.Accuracy, n+1
		}
	}
	if n == 0 {
		return nil, na
	}
	return []float64{sum / float64(n)}, na
}

func (s *Series) reach() Reach {
	lengths := each(s.Points, func(p Point) int { return p.Length })
	reach := func(of func(Spread) Number) (length, next int) {
		return eval.EffectiveLength(lengths, func(length int) (float64, bool) {
			p := s.Points[slices.Index(lengths, length)]
			return float64(of(p.Exact)), p.N > 0
		})
	}
	var r Reach
	r.Length, r.Next = reach(func(e Spread) Number { return e.Mean })
	r.Low, _ = reach(func(e Spread) Number { return e.Low })
	r.High, _ = reach(func(e Spread) Number { return e.High })
	return r
}

// String gives the length and its interval: "22 (21–22)".
func (r Reach) String() string {
	if r.Low == r.High {
		return strconv.Itoa(r.Length)
	}
	return fmt.Sprintf("%d (%d–%d)", r.Length, r.Low, r.High)
}

// millions writes a number of parameters: "0.6 M".
func millions(n int64) string {
	v := float64(n) / 1e6
	return fmt.Sprintf("%.1f M", v)
}

// beyondAt is a seed's mean exact match over the given lengths, where a length
// that the model cannot take counts as wrong.
func (s *Series) beyondAt(seed uint64, lengths []int) float64 {
	sum := 0.0
	for _, length := range lengths {
		sum += s.seeds[seed][length].Accuracy
	}
	return sum / float64(len(lengths))
}

// lengthsBeyond lists the lengths beyond training that a seed was measured at,
// whether the model could take them or not.
func (s *Series) lengthsBeyond(seed uint64) []int {
	var out []int
	for length := range s.seeds[seed] {
		if length > s.Trained[1] {
			out = append(out, length)
		}
	}
	slices.Sort(out)
	return out
}
