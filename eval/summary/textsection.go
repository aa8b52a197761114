package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// textMargin is how much bits per byte may pass the fewest at shorter lengths, as a share of them, of a model that reads on.
const textMargin = 0.02

// section is bits per byte by the length of windows, with a column for each encoding, and by place in the longest ones.
func (t *Text) section() Section {
	best := t.byResult()
	table := func(title string, cell func(bitsPoint) Cell) Table {
		return grid(title, "length", lists.Map(t.Lengths, task.Span.Label), namesOf(best), func(i, k int) Cell {
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
	places := lists.Map(series, func(s Series) []positionPoint { return s.Bits[t.Longest].Positions })
	names := lists.Map(slices.MaxFunc(places, func(a, b []positionPoint) int { return len(a) - len(b) }), func(p positionPoint) string {
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

// summarize says in one sentence who has the fewest bits per byte in windows as long as trained ones, and which of those
// within textMargin of that reads on furthest; "" without such windows.
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
		to, _ := readsTo(s.Bits)
		if bits(s) > bits(best)*(1+textMargin) {
			continue // it may fail alike everywhere
		}
		if to > furthest {
			furthest, stays = to, nil
		}
		if to > start && to == furthest {
			stays = append(stays, s.Name)
		}
	}
	text := fmt.Sprintf("On %s, %s has the fewest bits per byte in windows as long as trained ones: %s at %s tokens", t.Name, best.Name,
		bits(best).rank(), t.Lengths[start].Label())
	if further {
		who := "none reads on in longer ones"
		switch {
		case len(stays) == 1:
			who = fmt.Sprintf("%s reads on furthest, to %s", stays[0], t.Lengths[furthest].Label())
		case len(stays) > 1:
			who = fmt.Sprintf("%s read on furthest, to %s", few(stays), t.Lengths[furthest].Label())
		}
		text += fmt.Sprintf("; %s, with bits per byte of the last %d tokens within %.0f %% of the fewest at shorter lengths", who, t.Stride, 100*textMargin)
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

// readsTo is up to which length, by index, a series reads on: bits per byte of the last tokens pass the fewest at shorter
// lengths by textMargin at most. They are its own, since models without a trained length have no others to be compared with;
// and of the last tokens, as those of all fall with the length of any window. tried is the last length looked at; −1 for none.
func readsTo(points []bitsPoint) (to, tried int) {
	to, tried = -1, -1
	least := Unknown
	for i, p := range points {
		bits := p.Sliding.Median
		if !bits.Known() && !p.NA {
			continue // not measured
		}
		if tried = i; !bits.Known() || bits > least*(1+textMargin) {
			break
		}
		if to = i; !(bits >= least) {
			least = bits
		}
	}
	return to, tried
}
