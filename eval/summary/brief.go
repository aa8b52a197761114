package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// Brief lays the study by exact match out in few lines of at most width characters: of each task a sentence, a picture, one
// table of accuracy, and one of costs for each place. Sections have the rest.
func (s *Study) Brief(width int) []Section {
	glance := s.glance(width)
	others := slices.DeleteFunc(slices.Clone(s.Scored), (*Task).inTokens)
	out := lists.Map(others, func(t *Task) Section {
		series := t.byResult()
		tables := []Table{t.strips(series, width), t.percents(series, width)}
		for _, p := range t.Places {
			tables = append(tables, s.briefCosts(t, p))
		}
		return Section{Task: t.Task, Title: t.Summary, Tables: tables}
	})
	for _, t := range s.Texts {
		if len(glance) > 0 {
			break // it has their bits per byte
		}
		out = append(out, Section{Task: t.Task, Title: t.Section.Summary, Tables: t.Section.Tables[:1]})
	}
	for _, t := range s.Tasks {
		if !t.Scored {
			out = append(out, speedSection(t, func(c costTables) []Table { return []Table{c.firstToken(), c.step()} }))
		}
	}
	return append(out, glance...)
}

// levels are the heights of a strip, from 0 to 1.
const levels = "▁▂▃▄▅▆▇█"

// level is the height of a ratio: the lowest and the highest are 0 and 1 alone.
func level(n Number) string {
	heights := []rune(levels)
	switch top := len(heights) - 1; {
	case !n.Known():
		return "·"
	case n <= 0:
		return string(heights[0])
	case n >= 1:
		return string(heights[top])
	default:
		return string(heights[1+int(float64(n)*float64(top-1))])
	}
}

// mostWidth is how many characters of a strip a length has at most.
const mostWidth = 5

// strips draw exact match by length as a line of blocks for each series, with a stroke where the trained lengths end.
func (t *Task) strips(series []Series, width int) Table {
	const carries = "right to"
	names, label := longest(lists.Map(series, Series.marked)), longest(lists.Map(t.Lengths, task.Span.Label))
	room := width - 3*columnGap - names - max(len(carries), label) - 1
	shown := spaced(len(t.Lengths), room)
	wide := max(1, min(mostWidth, room/len(shown)))
	out := Table{Title: "exact match by length: ▁ 0 %, █ 100 %"}
	ends := -1 // index into shown of the first length beyond the trained ones
	if t.Trained[1] > 0 {
		out.Title += fmt.Sprintf("; │ training ends at %d", t.Trained[1])
		ends = slices.IndexFunc(shown, func(i int) bool { return t.Lengths[i].Max > t.Trained[1] })
	}
	strip := func(s Series) string {
		var b strings.Builder
		for k, i := range shown {
			if k == ends && k > 0 {
				b.WriteString("│")
			}
			b.WriteString(strings.Repeat(level(s.Points[i].Exact.Median), wide))
		}
		return b.String()
	}
	out.Head = []string{"", t.ruler(shown, wide, ends), carries}
	for _, s := range series {
		end := s.Effective.Length.Label()
		if s.Effective.Length == (task.Span{}) {
			end = "–"
		}
		out.add(words(s.marked(), strip(s), end)...)
	}
	return out
}

// ruler has the labels of the lengths of a strip where they stand, as many as have room.
func (t *Task) ruler(shown []int, wide, ends int) string {
	var b strings.Builder
	total := len(shown) * wide
	for k, i := range shown {
		start, label := k*wide, t.Lengths[i].Label()
		if ends > 0 {
			total = len(shown)*wide + 1
			if k >= ends {
				start++
			}
		}
		have := utf8.RuneCountInString(b.String())
		if size := utf8.RuneCountInString(label); (have == 0 || start > have) && start+size <= total {
			b.WriteString(strings.Repeat(" ", start-have) + label)
		}
	}
	return b.String() + strings.Repeat(" ", max(0, total-utf8.RuneCountInString(b.String())))
}

// longest is how many characters the longest text has.
func longest(texts []string) int {
	return slices.Max(append(lists.Map(texts, utf8.RuneCountInString), 0))
}

// spaced lists at most so many of n, evenly, the last among them.
func spaced(n, most int) []int {
	most = min(n, max(most, 1))
	return lists.Make(most, func(k int) int { return (k+1)*n/most - 1 })
}

// telling lists at most so many of n, the last and the given ones among them, and of the others evenly.
func telling(n, most int, given []int) []int {
	given = slices.Compact(slices.Sorted(slices.Values(append(given, n-1))))
	if most >= n || most <= len(given) {
		return spaced(n, most)
	}
	var others []int
	for i := range n {
		if !slices.Contains(given, i) {
			others = append(others, i)
		}
	}
	for _, k := range spaced(len(others), most-len(given)) {
		given = append(given, others[k])
	}
	slices.Sort(given)
	return given
}

// ends are the places of the lengths up to which models were trained, and up to which each series is right.
func (t *Task) ends(series []Series) []int {
	var out []int
	for i, length := range t.Lengths {
		trained := length.Max <= t.Trained[1] && (i+1 == len(t.Lengths) || t.Lengths[i+1].Max > t.Trained[1])
		if trained || slices.ContainsFunc(series, func(s Series) bool { return s.Effective.Length == length }) {
			out = append(out, i)
		}
	}
	return out
}

// percents is exact match by length, a line for each series, of as many lengths as there is room for.
func (t *Task) percents(series []Series, width int) Table {
	names := longest(lists.Map(series, Series.marked))
	column := columnGap + max(len("100"), len(seenMark)+longest(lists.Map(t.Lengths, task.Span.Label)))
	shown := telling(len(t.Lengths), (width-names-columnGap)/column, t.ends(series))
	title := fmt.Sprintf("exact match in %%, %s prompts; %s trained", promptsOf(series, t.Lengths...), seenMark)
	if slices.ContainsFunc(series, func(s Series) bool { return len(s.runs) > 1 }) {
		title += "; medians over runs"
	}
	if len(shown) < len(t.Lengths) {
		title += fmt.Sprintf("; %d of %d lengths", len(shown), len(t.Lengths))
	}
	out := t.lines(title, series, shown, func(k, i int) Cell {
		p := &series[k].Points[i]
		return Cell{Text: p.Exact.Median.percentTo(0), Value: &p.Exact, N: p.N}
	})
	for k, i := range shown {
		if t.Lengths[i].Max <= t.Trained[1] {
			out.Head[1+k] += seenMark
		}
	}
	return out
}

// lines has a line for each series, with a column for each of the shown lengths.
func (t *Task) lines(title string, series []Series, shown []int, cell func(line, length int) Cell) Table {
	heads := lists.Map(shown, func(i int) string { return t.Lengths[i].Label() })
	out := grid(title, "", lists.Map(series, Series.marked), heads, func(k, column int) Cell {
		c := cell(k, shown[column])
		if series[k].Points[shown[column]].NA {
			c.Text = "n/a"
		}
		return c
	})
	for _, s := range series {
		out.Notes = append(out.Notes, causes(s.Name, s.Rows)...)
	}
	return out
}

// briefCosts has the time to the first token and that of one more token of each series, at the place's common length.
func (s *Study) briefCosts(t *Task, p Place) Table {
	out := Table{}
	kinds := slices.DeleteFunc(metrics(), func(m metric) bool { return m.Key != "prefill" && m.Key != "decode" })
	slices.Reverse(kinds)
	out.Head = append([]string{""}, lists.Map(kinds, func(m metric) string {
		return map[string]string{"prefill": "first token", "decode": "each more"}[m.Key] + s.relativeTo(t, p, m)
	})...)
	batch := 0
	for _, series := range t.byResult() {
		common := p.costsOf(t, series.Name).Common
		if common.Length == (task.Span{}) {
			continue
		}
		batch = max(batch, common.Rows[0].TimedBatch)
		cells := lists.Map(kinds, func(m metric) Cell { return s.costCell(t, p, series.Name, m) })
		out.add(append(words(series.marked()), cells...)...)
	}
	out.Title = fmt.Sprintf("ms per batch of %d at length %s, %s", batch, p.Common.Label(), p.Name)
	return out
}
