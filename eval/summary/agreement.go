package summary

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/nopezoo/zoo/eval/task"
)

// orderAgreement compares our order of encodings with a published one.
type orderAgreement struct {
	Task    string      `json:"task"`    // name of the study's task, or "" for the order over all tasks
	Lengths []task.Span `json:"lengths"` // that both sides are means over; nil for the order over all tasks
	Rho     Number      `json:"rho"`     // Spearman's; unknown where all share one rank
	Pairs   []rankPair  `json:"pairs"`   // of the encodings that both have, the furthest apart first
}

// rankPair is an encoding's rank here and as published, from 1; equals share the mean of their ranks.
type rankPair struct {
	Encoding string `json:"encoding"`
	Ours     Number `json:"ours"`
	Theirs   Number `json:"theirs"`
}

func (p rankPair) apart() float64 { return math.Abs(float64(p.Ours - p.Theirs)) }

// leastCompared is how many encodings an order needs: three have the same order as others by chance once in six times.
const leastCompared = 4

// agree compares the orders of encodings by exact match with the published ones, on each task and, where the paper has all
// tasks, over all.
func (s *Study) agree(all []contests) {
	if s.Measure != Exact {
		return
	}
	known := true
	for _, c := range all {
		known = known && s.published.withBeyond(c.task.paperName(), "") != nil
		lengths, ours, theirs := s.besidePublished(c.task)
		if a, ok := agreement(s.byEncoding(ours), theirs); ok {
			a.Task, a.Lengths = c.task.Name, lengths
			s.Agreements = append(s.Agreements, a)
		}
	}
	if !known {
		return
	}
	ours, theirs := contest{}, contest{}
	for _, r := range s.Ranks {
		ours[r.Name] = float64(r.MRR)
	}
	for _, r := range s.published.ranks {
		theirs[r.encoding] = float64(r.all)
	}
	if a, ok := agreement(s.byEncoding(ours), theirs); ok {
		s.Agreements = append(s.Agreements, a)
	}
}

// besidePublished gives the encodings' values here (median over runs) and in the paper (mean), at the paper's longer lengths
// that all were measured at.
func (s *Study) besidePublished(t *Task) (lengths []task.Span, ours, theirs contest) {
	both := map[*Series]*publishedModel{}
	for i := range t.Series {
		here := &t.Series[i]
		if len(here.Seeds) == 0 || s.changed(here.Name) {
			continue
		}
		if m := s.published.withBeyond(t.paperName(), s.Encodings[here.Encoding]); m != nil {
			if both[here] = m; len(both) == 1 {
				lengths = m.lengths()
			}
			lengths = slices.DeleteFunc(lengths, func(n task.Span) bool { return !m.has(n) || !here.isBeyond(n) || !here.measuredBy(n) })
		}
	}
	ours, theirs = contest{}, contest{}
	for here, m := range both {
		if len(lengths) > 0 {
			ours[here.Name] = float64(here.summaryAt(lengths, t.Task).All.Median)
			theirs[m.encoding] = float64(m.summaryAt(lengths, t.Task).Mean)
		}
	}
	return lengths, ours, theirs
}

// byEncoding calls series by their encodings. Series of changed models, and several of one encoding, stand for none.
func (s *Study) byEncoding(series contest) contest {
	out, several := contest{}, map[string]bool{}
	for name, v := range series {
		if s.changed(name) {
			continue
		}
		index, _ := s.find(name)
		encoding := s.Encodings[index]
		_, twice := out[encoding]
		several[encoding] = several[encoding] || twice
		out[encoding] = v
	}
	maps.DeleteFunc(out, func(encoding string, _ float64) bool { return several[encoding] })
	return out
}

// changed reports whether a series' models were changed after training.
func (s *Study) changed(name string) bool {
	return slices.ContainsFunc(s.Tasks, func(t *Task) bool {
		return slices.ContainsFunc(t.Series, func(o Series) bool { return o.Name == name && o.Rows[0].Intervention != "" })
	})
}

// agreement compares two orders of encodings, of which the larger value ranks higher; false for fewer than leastCompared in both.
func agreement(ours, theirs contest) (a orderAgreement, ok bool) {
	own, other := contest{}, contest{}
	for name, v := range ours {
		if w, ok := theirs[name]; ok && !math.IsNaN(v) && !math.IsNaN(w) {
			own[name], other[name] = v, w
		}
	}
	if len(own) < leastCompared {
		return a, false
	}
	otherRanks := other.ranks(nil)
	for name, rank := range own.ranks(nil) {
		a.Pairs = append(a.Pairs, rankPair{name, Number(rank), Number(otherRanks[name])})
	}
	slices.SortFunc(a.Pairs, func(x, y rankPair) int {
		return cmp.Or(cmp.Compare(y.apart(), x.apart()), cmp.Compare(x.Ours, y.Ours), cmp.Compare(x.Encoding, y.Encoding))
	})
	a.Rho = spearman(a.Pairs)
	return a, true
}

// spearman is Spearman's rank correlation: Pearson's of the ranks. Unknown where all share one.
func spearman(pairs []rankPair) Number {
	ours := each(pairs, func(p rankPair) float64 { return float64(p.Ours) })
	theirs := each(pairs, func(p rankPair) float64 { return float64(p.Theirs) })
	if same := func(v []float64) bool { return slices.Min(v) == slices.Max(v) }; same(ours) || same(theirs) {
		return Unknown
	}
	return Number(stat.Correlation(ours, theirs, nil))
}

// at names the lengths of the comparison: "20 lengths, 21–40"; "" for the order over all tasks.
func (a orderAgreement) at() string {
	switch n := len(a.Lengths); n {
	case 0:
		return ""
	case 1:
		return "length " + a.Lengths[0].Label()
	default:
		return fmt.Sprintf("%d lengths, %s", n, task.Span{Min: a.Lengths[0].Min, Max: a.Lengths[n-1].Max}.Label())
	}
}

// differences names the encodings whose ranks are furthest apart: "alibi (2 here, 3 published)"; "none" for equal orders.
func (a orderAgreement) differences() string {
	var out []string
	for _, p := range a.Pairs {
		if p.apart() > 0 && p.apart() == a.Pairs[0].apart() {
			out = append(out, fmt.Sprintf("%s (%.3g here, %.3g published)", p.Encoding, p.Ours, p.Theirs))
		}
	}
	return cmp.Or(join(out), "none")
}
