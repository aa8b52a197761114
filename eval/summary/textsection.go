package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// textMargin is how much bits per byte may pass the best ones at the trained length, as a share of them.
const textMargin = 0.02

// section is bits per byte by the length of windows, with a column for each encoding, and by place in the longest ones.
func (t *Text) section() Section {
	best := t.byResult()
	heads := each(best, func(s textSeries) string { return s.Name })
	table := func(title string, cell func(textPoint) Cell) Table {
		return grid(title, "length", each(t.Lengths, task.Span.Label), heads, func(i, k int) Cell {
			if best[k].Points[i].NA {
				return Cell{Text: "n/a"}
			}
			return cell(best[k].Points[i])
		})
	}
	sliding := table(fmt.Sprintf("bits per byte of the last %d tokens of each window (sliding), median over runs ± standard error over windows",
		t.Stride), func(p textPoint) Cell {
		c := bitsCell(p.Sliding)
		if p.SlidingSE.Known() {
			c.Text += " ± " + p.SlidingSE.rank()
		}
		return c
	})
	all := table("bits per byte of every token of each window (nonoverlapping), median over runs",
		func(p textPoint) Cell { return bitsCell(p.Bits) })
	all.Notes = []string{fmt.Sprintf("%s windows of each length, of %s documents; a length is tokens of context.",
		between(t.Windows[0], t.Windows[1]), between(t.Documents[0], t.Documents[1]))}
	out := Section{Task: t.Task, Title: t.Name + ": " + t.trainedAt(), Tables: []Table{sliding, all}, Summary: t.summarize()}
	if t.Longest >= 0 {
		out.Tables = append(out.Tables, t.byPlace(best, heads))
	}
	return out
}

// byResult lists the series by bits per byte in sliding windows of the greatest length that all have, the best first.
func (t *Text) byResult() []textSeries {
	out := slices.Clone(t.Series)
	for i := range slices.Backward(t.Lengths) {
		if !slices.ContainsFunc(out, func(s textSeries) bool { return !s.Points[i].Sliding.Median.Known() }) {
			slices.SortStableFunc(out, func(a, b textSeries) int { return cmp.Compare(a.Points[i].Sliding.Median, b.Points[i].Sliding.Median) })
			break
		}
	}
	return out
}

func bitsCell(s Spread) Cell { return Cell{Text: s.Median.rank(), Value: &s} }

// byPlace is bits per byte by place, in the longest windows that were measured.
func (t *Text) byPlace(of []textSeries, heads []string) Table {
	places := each(of, func(s textSeries) []positionPoint { return s.Points[t.Longest].Positions })
	names := each(slices.MaxFunc(places, func(a, b []positionPoint) int { return len(a) - len(b) }), func(p positionPoint) string {
		return strings.Join(slices.Compact([]string{strconv.Itoa(p.From), strconv.Itoa(p.To)}), "–")
	})
	title := fmt.Sprintf("bits per byte by the tokens before, in windows of %s, median over runs", t.Lengths[t.Longest].Label())
	return grid(title, "tokens before", names, heads, func(i, k int) Cell {
		if i >= len(places[k]) {
			return Cell{Text: "n/a"}
		}
		return bitsCell(places[k][i].Bits)
	})
}

// trainedAt says which lengths and runs series have.
func (t *Text) trainedAt() string {
	var lengths []string
	runs := 0
	for _, s := range t.Series {
		text := "not trained on text"
		if s.Trained[1] > 0 {
			text = fmt.Sprintf("trained at %s tokens", between(s.Trained[0], s.Trained[1]))
		}
		if !slices.Contains(lengths, text) {
			lengths = append(lengths, text)
		}
		runs = max(runs, s.Runs)
	}
	return strings.Join(lengths, " and ") + ", " + human.Plural(runs, "run", "runs at most") + " of an encoding"
}

// summarize says in one sentence who has the fewest bits per byte in windows as long as trained ones, and who stays within
// textMargin of that furthest; "" without such windows.
func (t *Text) summarize() string {
	at, further := -1, false // the longest windows that all were trained on
	for i, length := range t.Lengths {
		known := func(s textSeries) bool { return s.Points[i].Bits.Median.Known() }
		switch longer := slices.ContainsFunc(t.Series, func(s textSeries) bool { return length.Max > s.Trained[1] }); {
		case !slices.ContainsFunc(t.Series, known):
		case longer:
			further = at >= 0
		default:
			at = i
		}
	}
	if at < 0 {
		return ""
	}
	bits := func(s textSeries) Number { return s.Points[at].Bits.Median }
	of := slices.DeleteFunc(slices.Clone(t.Series), func(s textSeries) bool { return !bits(s).Known() })
	best := slices.MinFunc(of, func(a, b textSeries) int { return cmp.Compare(bits(a), bits(b)) })
	furthest, stays := at, []string(nil)
	for _, s := range of {
		to := s.staysTo(at, bits(best))
		if to > furthest {
			furthest, stays = to, nil
		}
		if to > at && to == furthest {
			stays = append(stays, s.Name)
		}
	}
	text := fmt.Sprintf("On %s, %s has the fewest bits per byte in windows as long as trained ones: %s at %s tokens", t.Name, best.Name,
		bits(best).rank(), t.Lengths[at].Label())
	switch margin := fmt.Sprintf("within %.0f %% of that", 100*textMargin); {
	case !further:
	case len(stays) == 0:
		text += "; in longer ones none stays " + margin
	case len(stays) == 1:
		text += fmt.Sprintf("; %s stays %s furthest, to %s", stays[0], margin, t.Lengths[furthest].Label())
	default:
		text += fmt.Sprintf("; %s stay %s furthest, to %s", few(stays), margin, t.Lengths[furthest].Label())
	}
	return text + "."
}

// staysTo is the index of the last length, from one on, up to which bits per byte pass the best by textMargin at most.
func (s textSeries) staysTo(at int, best Number) int {
	to := at
	for i := at; i < len(s.Points); i++ {
		switch bits := s.Points[i].Bits.Median; {
		case !bits.Known():
		case bits > best*(1+textMargin):
			return to
		default:
			to = i
		}
	}
	return to
}
