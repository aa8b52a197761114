package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// answer says in sentences who has the fewest bits per byte in windows as long as trained ones, and who keeps to
// its own in longer ones. It is empty where nobody was measured in windows as long as trained ones.
func (t *Text) answer() string {
	at, further := -1, false // the longest windows that all were trained on
	for i, length := range t.Lengths {
		if !slices.ContainsFunc(t.Series, func(of TextSeries) bool { return of.Points[i].Bits.Median.Known() }) {
			continue
		}
		if slices.ContainsFunc(t.Series, func(of TextSeries) bool { return length.Max > of.Trained[1] }) {
			further = at >= 0
		} else {
			at = i
		}
	}
	if at < 0 {
		return ""
	}
	best, others := TextSeries{}, 0
	type reach struct {
		to int
		of TextSeries
	}
	var stay []reach
	for _, of := range t.Series {
		here := of.Points[at].Bits.Median
		if !here.Known() {
			continue
		}
		if best.Name == "" || here < best.Points[at].Bits.Median {
			best = of
		}
		if to := of.staysTo(at); to > at {
			stay = append(stay, reach{to, of})
		} else {
			others++
		}
	}
	text := fmt.Sprintf("On %s, in windows of %s tokens, as long as in training, %s has the fewest bits per byte: %.3f.", t.Name,
		t.Lengths[at].Label(), best.Name, best.Points[at].Bits.Median)
	if !further {
		return text
	}
	if len(stay) == 0 {
		return fmt.Sprintf("%s In longer ones none stays within %.0f %% of what it has there.", text, 100*textMargin)
	}
	slices.SortStableFunc(stay, func(a, b reach) int {
		return cmp.Or(cmp.Compare(b.to, a.to), cmp.Compare(a.of.Points[a.to].Bits.Median, b.of.Points[b.to].Bits.Median))
	})
	names := Each(stay, func(r reach) string {
		return fmt.Sprintf("%s to %s (%.3f)", r.of.Name, t.Lengths[r.to].Label(), r.of.Points[r.to].Bits.Median)
	})
	text += fmt.Sprintf(" In longer ones these stay within %.0f %% of what they have there: %s", 100*textMargin, strings.Join(names, ", "))
	if others > 0 {
		text += fmt.Sprintf("; %d of %d do not", others, others+len(stay))
	}
	return text + "."
}

// textMargin is a share of bits per byte up to which more of them are as good.
const textMargin = 0.02

// staysTo is the greatest length up to which bits per byte pass those at one length by textMargin at most, of
// the lengths that were measured.
func (s TextSeries) staysTo(at int) int {
	to := at
	for i := at + 1; i < len(s.Points); i++ {
		switch bits := s.Points[i].Bits.Median; {
		case !bits.Known():
		case bits > (1+textMargin)*s.Points[at].Bits.Median:
			return to
		default:
			to = i
		}
	}
	return to
}
