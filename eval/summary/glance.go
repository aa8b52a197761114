package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// inTokens reports whether lengths are tokens of the model.
func (t *Task) inTokens() bool { return strings.Contains(t.Task, task.InTokens) }

// glimpse is one measure of one series by length.
type glimpse struct {
	series  Series      // with the measure, from 0 to 1, for exact match
	what    string      // that is measured
	to      task.Span   // up to where it holds; zero for nowhere
	longest task.Span   // that was measured
	bits    []bitsPoint // of running text, else nil; by all lengths
}

// bitsPerByte is what is measured of the only text.
const bitsPerByte = "bits per byte"

func (g glimpse) isText() bool { return g.bits != nil }

// glance puts tasks in tokens and running text together, which have lengths in the same unit: a sentence, a picture and a table. It
// has none where nothing was measured in tokens.
func (s *Study) glance(width int) []Section {
	parts := slices.DeleteFunc(slices.Clone(s.Scored), func(t *Task) bool { return !t.inTokens() })
	if len(parts) == 0 {
		return nil
	}
	together := &Task{}
	for _, t := range parts {
		together.Lengths = append(together.Lengths, t.Lengths...)
		together.Trained[1] = max(together.Trained[1], t.Trained[1])
	}
	for _, t := range s.Texts {
		together.Lengths = append(together.Lengths, t.Lengths...)
	}
	together.Lengths = task.SortSpans(together.Lengths)
	var all []glimpse
	var sentences []string
	for _, name := range s.namesOf(s.Encodings) {
		lines := s.glimpses(name, together.Lengths, parts)
		if len(lines) > 0 {
			sentences = append(sentences, sayGlimpses(lines, all))
		}
		all = append(all, lines...)
	}
	picture := together.strips(lists.Map(all, func(g glimpse) Series { return g.series }), width)
	if slices.ContainsFunc(all, glimpse.isText) {
		picture.Title = "by length, fewest bits over its bits, and " + picture.Title
	}
	picture.Head[2] = "holds to"
	return []Section{{Title: strings.Join(sentences, "; ") + ".", Tables: []Table{picture, together.glanceTable(all, width)}}}
}

// glimpses are the measures of one series.
func (s *Study) glimpses(name string, lengths []task.Span, parts []*Task) []glimpse {
	var out []glimpse
	glimpsed := func(what string, value func(length task.Span) Spread) glimpse {
		g := glimpse{what: what, series: Series{Name: name + ", " + what}}
		g.series.Points = lists.Map(lengths, func(n task.Span) point { return point{Length: n, Exact: value(n)} })
		return g
	}
	for _, t := range s.Texts {
		i := slices.IndexFunc(t.Series, func(s Series) bool { return s.Name == name })
		if i < 0 {
			continue
		}
		at := func(length task.Span) bitsPoint {
			if k := slices.Index(t.Lengths, length); k >= 0 {
				return t.Series[i].Bits[k]
			}
			return bitsPoint{Every: unknownSpread, Sliding: unknownSpread}
		}
		what := bitsPerByte
		if len(s.Texts) > 1 {
			what = t.Name
		}
		best := Unknown
		for _, p := range t.Series[i].Bits {
			if bits := p.Sliding.Median; bits.Known() && !(bits >= best) {
				best = bits
			}
		}
		g := glimpsed(what, func(length task.Span) Spread { return single(best / at(length).Sliding.Median) })
		g.bits = lists.Map(lengths, at)
		for k, p := range g.bits {
			g.series.Points[k].NA = p.NA
		}
		to, tried := readsTo(g.bits)
		if to >= 0 {
			g.to = lengths[to]
		}
		if tried >= 0 {
			g.longest = lengths[tried]
		}
		out = append(out, g)
	}
	for _, t := range parts {
		i := slices.IndexFunc(t.Series, func(s Series) bool { return s.Name == name })
		if i < 0 {
			continue
		}
		from := t.Series[i]
		g := glimpsed(strings.Replace(t.Name, task.InTokens, "", 1), func(length task.Span) Spread {
			if k := slices.Index(t.Lengths, length); k >= 0 {
				return from.Points[k].Exact
			}
			return unknownSpread
		})
		for k, length := range lengths {
			if at := slices.Index(t.Lengths, length); at >= 0 {
				g.series.Points[k].NA, g.series.Points[k].N, g.longest = from.Points[at].NA, from.Points[at].N, length
			}
		}
		g.to, g.series.Rows, g.series.Unfit = from.Effective.Length, from.Rows, from.Unfit
		out = append(out, g)
	}
	for i := range out {
		out[i].series.Effective.Length = out[i].to
	}
	return out
}

// sayGlimpses says how far a series reads on and answers. before are those of earlier series, of which the first may be what
// this one was changed from.
func sayGlimpses(lines, before []glimpse) string {
	name, _, _ := strings.Cut(lines[0].series.Name, ", "+lines[0].what)
	for _, g := range lines {
		if len(g.series.Rows) > 0 && g.series.Rows[0].Intervention != "" && len(before) > 0 {
			name = "with " + g.series.Rows[0].Intervention
		}
	}
	var parts []string
	for _, g := range lines {
		verb := "is right on " + g.what
		if g.isText() {
			verb = "reads on"
			if strings.HasPrefix(g.what, "text-") {
				verb += " in " + g.what
			}
		}
		switch {
		case !slices.ContainsFunc(g.series.Points, func(p point) bool { return p.Exact.Median.Known() }):
			verb = "is not measured on " + strings.Replace(g.what, bitsPerByte, "the text", 1)
		case g.to == (task.Span{}) && !g.isText():
			verb = "is not " + strings.TrimPrefix(verb, "is ")
		case g.to == (task.Span{}):
			verb = "reads no length"
		case g.to == g.longest:
			verb += fmt.Sprintf(" to %s (the longest)", human.Thousands(g.to.Max))
		default:
			verb += fmt.Sprintf(" to %s and no further", human.Thousands(g.to.Max))
		}
		parts = append(parts, verb+g.cost(before))
	}
	return name + " " + join(parts)
}

// cost is by how many bits per byte more a changed model reads the lengths that the first one reads.
func (g glimpse) cost(before []glimpse) string {
	i := slices.IndexFunc(before, func(o glimpse) bool { return o.what == g.what })
	if !g.isText() || i < 0 {
		return ""
	}
	var more []float64
	for k, p := range before[i].bits {
		if a, b := p.Sliding.Median, g.bits[k].Sliding.Median; a.Known() && b.Known() && g.series.Points[k].Length.Max <= before[i].to.Max {
			more = append(more, float64(b-a))
		}
	}
	if len(more) == 0 {
		return ""
	}
	return fmt.Sprintf(", at %s bits", mean(more).signed(2, "+"))
}

// glanceTable is bits per byte of the last tokens and exact match in %, of as many lengths as there is room for.
func (t *Task) glanceTable(all []glimpse, width int) Table {
	series := lists.Map(all, func(g glimpse) Series { return g.series })
	column := columnGap + max(len("0.000"), longest(lists.Map(t.Lengths, task.Span.Label)))
	shown := spaced(len(t.Lengths), (width-longest(lists.Map(series, Series.marked))-columnGap)/column)
	title := fmt.Sprintf("exact match in %%, %s prompts", promptsOf(series, t.Lengths...))
	if slices.ContainsFunc(all, glimpse.isText) {
		title += fmt.Sprintf("; bits per byte of the last %d tokens", eval.TextStride)
	}
	return t.lines(title, series, shown, func(k, i int) Cell {
		if all[k].isText() {
			return bitsCell(all[k].bits[i].Sliding)
		}
		p := &series[k].Points[i]
		return Cell{Text: p.Exact.Median.percentTo(0), Value: &p.Exact}
	})
}
