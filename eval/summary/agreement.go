package summary

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/nopezoo/zoo/eval/task"
)

// leastCompared is how many encodings an order needs: three have the same order as others by chance once in six times.
const leastCompared = 4

// allTasks stands in the place of a task.
const allTasks = "all, by mean reciprocal rank"

// agreementTable compares our orders of encodings by exact match with the published ones: on each task, by its contests, and,
// where the paper has all tasks, over all.
func (s *Study) agreementTable(contests [][]contest) Table {
	out := Table{Title: "our order of encodings and the published one",
		Head: []string{"task", "at", "encodings", "Spearman’s rank correlation", "where the ranks differ most"}}
	if s.Measure != Exact {
		return out
	}
	add := func(name, lengths string, ours, theirs contest) {
		if n, rho, differences := agreement(s.byEncoding(ours), theirs); n >= leastCompared {
			line := append(words(name, lengths), Cell{Text: strconv.Itoa(n)}, numberCell(rho, Number.signed2))
			out.add(append(line, words(differences)...)...)
		}
	}
	for i, t := range s.Tasks {
		if len(contests[i]) > 0 {
			lengths, ours, theirs := s.withPublished(t)
			add(t.Name, lengthsText(lengths), ours, theirs)
		}
	}
	if s.paperHas(contests) {
		ours := contest{}
		for _, r := range s.Ranks {
			ours[r.Name] = float64(r.MRR)
		}
		add(allTasks, "–", ours, s.published.ranks)
	}
	return out
}

// lengthsText names lengths: "20 lengths, 21–40".
func lengthsText(lengths []task.Span) string {
	switch n := len(lengths); n {
	case 0:
		return "–"
	case 1:
		return "length " + lengths[0].Label()
	default:
		return fmt.Sprintf("%d lengths, %s", n, task.Span{Min: lengths[0].Min, Max: lengths[n-1].Max}.Label())
	}
}

// withPublished gives the values of series here (median over runs) and of encodings in the paper (mean), at the paper's longer
// lengths that all were measured at.
func (s *Study) withPublished(t *Task) (lengths []task.Span, ours, theirs contest) {
	both := map[*Series]*publishedModel{}
	for i := range t.Series {
		here := &t.Series[i]
		m := s.published.withBeyond(t.paperName(), s.Encodings[here.Encoding])
		if m == nil || len(here.runs) == 0 || here.changed() {
			continue
		}
		if both[here] = m; len(both) == 1 {
			lengths = m.lengths()
		}
		lengths = slices.DeleteFunc(lengths, func(n task.Span) bool {
			return !slices.Contains(m.lengths(), n) || !here.isBeyond(n) || !here.measuredBy(n)
		})
	}
	ours, theirs = contest{}, contest{}
	for here, m := range both {
		if len(lengths) > 0 {
			ours[here.Name] = float64(sideOf(here.runs, lengths, t.Task).All.Median)
			theirs[m.encoding] = float64(m.side(lengths).Mean)
		}
	}
	return lengths, ours, theirs
}

// changed reports whether the models were changed after training.
func (s *Series) changed() bool { return s.Rows[0].Intervention != "" }

// byEncoding calls series by their encodings. Series of changed models, and several of one encoding, stand for none.
func (s *Study) byEncoding(series contest) contest {
	out, several := contest{}, map[string]bool{}
	for name, v := range series {
		if found := s.find(name); !found.changed() {
			encoding := s.Encodings[found.Encoding]
			_, several[encoding] = out[encoding]
			out[encoding] = v
		}
	}
	maps.DeleteFunc(out, func(encoding string, _ float64) bool { return several[encoding] })
	return out
}

// agreement compares the ranks of the encodings that two orders have, of which the larger value ranks higher: how many there are,
// Spearman's rank correlation (Pearson's of the ranks; unknown where all share one), and whose ranks are furthest apart: "alibi
// (2 here, 3 published)", "none" for equal orders.
func agreement(ours, theirs contest) (n int, rho Number, differences string) {
	here, published := contest{}, contest{}
	for name, v := range ours {
		if w, ok := theirs[name]; ok && !math.IsNaN(v) && !math.IsNaN(w) {
			here[name], published[name] = v, w
		}
	}
	if len(here) < leastCompared {
		return len(here), Unknown, ""
	}
	ranks, publishedRanks := here.ranks(nil), published.ranks(nil)
	apart := func(name string) float64 { return math.Abs(ranks[name] - publishedRanks[name]) }
	names := slices.SortedFunc(maps.Keys(ranks), func(a, b string) int {
		return cmp.Or(cmp.Compare(apart(b), apart(a)), cmp.Compare(ranks[a], ranks[b]), cmp.Compare(a, b))
	})
	var x, y []float64
	var furthest []string
	for _, name := range names {
		x, y = append(x, ranks[name]), append(y, publishedRanks[name])
		if d := apart(name); d > 0 && d == apart(names[0]) {
			furthest = append(furthest, fmt.Sprintf("%s (%.3g here, %.3g published)", name, ranks[name], publishedRanks[name]))
		}
	}
	return len(names), Number(stat.Correlation(x, y, nil)), cmp.Or(join(furthest), "none")
}
