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
	table := func(title string, cell func(bitsPoint) Cell) Table {
		return grid(title, "length", each(t.Lengths, task.Span.Label), namesOf(best), func(i, k int) Cell {
			if best[k].Bits[i].NA {
				return Cell{Text: "n/a"}
			}
			return cell(best[k].Bits[i])
		})
	}
	sliding := table(fmt.Sprintf("bits per byte of the last %d tokens of each window (sliding), median over runs ± standard error over windows",
		t.Stride), func(p bitsPoint) Cell {
		c := bitsCell(p.Sliding)
		if p.SlidingSE.Known() {
			c.Text += " ± " + p.SlidingSE.rank()
		}
		return c
	})
	every := table("bits per byte of every token of each window (nonoverlapping), median over runs",
		func(p bitsPoint) Cell { return bitsCell(p.Every) })
	every.Notes = []string{fmt.Sprintf("%s windows of each length, of %s documents; a length is tokens of context.",
		between(t.Windows[0], t.Windows[1]), between(t.Documents[0], t.Documents[1]))}
	out := Section{Task: t.Task, Title: t.Name + ": " + t.trainedAt(), Tables: append([]Table{sliding, every}, t.paired(best)...), Summary: t.summarize()}
	if t.Longest >= 0 {
		out.Tables = append(out.Tables, t.byPlace(best))
	}
	return out
}

// byResult lists the series by bits per byte in sliding windows of the greatest length that all have, the best first.
func (t *Text) byResult() []Series {
	out := slices.Clone(t.Series)
	for i := range slices.Backward(t.Lengths) {
		bits := func(s Series) Number { return s.Bits[i].Sliding.Median }
		if !slices.ContainsFunc(out, func(s Series) bool { return !bits(s).Known() }) {
			slices.SortStableFunc(out, func(a, b Series) int { return cmp.Compare(bits(a), bits(b)) })
			break
		}
	}
	return out
}

// byPlace is bits per byte by place, in the longest windows that were measured.
func (t *Text) byPlace(series []Series) Table {
	places := each(series, func(s Series) []positionPoint { return s.Bits[t.Longest].Positions })
	names := each(slices.MaxFunc(places, func(a, b []positionPoint) int { return len(a) - len(b) }), func(p positionPoint) string {
		return strings.Join(slices.Compact([]string{strconv.Itoa(p.From), strconv.Itoa(p.To)}), "–")
	})
	title := fmt.Sprintf("bits per byte by the tokens before, in windows of %s, median over runs", t.Lengths[t.Longest].Label())
	return grid(title, "tokens before", names, namesOf(series), func(i, k int) Cell {
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
		runs = max(runs, s.Fit.Runs)
	}
	return strings.Join(lengths, " and ") + ", " + human.Plural(runs, "run", "runs at most") + " of an encoding"
}

// summarize says in one sentence who has the fewest bits per byte in windows as long as trained ones, and who stays within
// textMargin of that furthest; "" without such windows.
func (t *Text) summarize() string {
	start, further := t.longestTrained()
	if start < 0 {
		return ""
	}
	bits := func(s Series) Number { return s.Bits[start].Every.Median }
	measured := slices.DeleteFunc(slices.Clone(t.Series), func(s Series) bool { return !bits(s).Known() })
	best := slices.MinFunc(measured, func(a, b Series) int { return cmp.Compare(bits(a), bits(b)) })
	furthest, stays := start, []string(nil)
	for _, s := range measured {
		to := s.staysTo(start, bits(best))
		if to > furthest {
			furthest, stays = to, nil
		}
		if to > start && to == furthest {
			stays = append(stays, s.Name)
		}
	}
	text := fmt.Sprintf("On %s, %s has the fewest bits per byte in windows as long as trained ones: %s at %s tokens", t.Name, best.Name,
		bits(best).rank(), t.Lengths[start].Label())
	switch margin := fmt.Sprintf("within %.0f %% of that", 100*textMargin); {
	case !further:
	case len(stays) == 0:
		text += "; in longer ones none stays " + margin
	case len(stays) == 1:
		text += fmt.Sprintf("; %s stays %s furthest, to %s", stays[0], margin, t.Lengths[furthest].Label())
	default:
		text += fmt.Sprintf("; %s stay %s furthest, to %s", few(stays), margin, t.Lengths[furthest].Label())
	}
	return text + "." + t.apart(best, measured, start)
}

// longestTrained is the index of the longest windows that all were trained on, -1 for none, and whether there are longer ones.
func (t *Text) longestTrained() (start int, further bool) {
	start = -1
	for i, length := range t.Lengths {
		known := func(s Series) bool { return s.Bits[i].Every.Median.Known() }
		switch longer := slices.ContainsFunc(t.Series, func(s Series) bool { return length.Max > s.Trained[1] }); {
		case !slices.ContainsFunc(t.Series, known):
		case longer:
			further = start >= 0
		default:
			start = i
		}
	}
	return start, further
}

// staysTo is the index of the last length, from start on, up to which bits per byte pass the best by textMargin at most.
func (s Series) staysTo(start int, best Number) int {
	to := start
	for i := start; i < len(s.Bits); i++ {
		bits := s.Bits[i].Every.Median
		if bits > best*(1+textMargin) {
			break
		}
		if bits.Known() {
			to = i
		}
	}
	return to
}
