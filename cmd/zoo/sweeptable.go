package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/sweep"
)

// reportSweep writes what happens in a sweep, in lines.
func (a *app) reportSweep(e sweep.Event) {
	switch {
	case e.Err != nil:
		a.note("%v", withRemedy(e.Err))
	case e.Text != "":
		a.note("%s", e.Text)
	default:
		for _, s := range e.Runs {
			if s.State == sweep.Running && s.Step > 0 {
				a.note("%s", s)
			}
		}
	}
}

// drawSweep draws the table of a sweep again as time passes, below what is wrong.
func (a *app) drawSweep(live *screen, e sweep.Event, saving bool) {
	if e.Text != "" {
		return // the next drawing has it
	}
	if e.Err != nil {
		live.erase()
		a.note("%v", withRemedy(e.Err))
	}
	width, height := live.size()
	live.draw(sweepTable(e.Runs, saving, width-1, height-2), width)
}

// Between columns are some spaces; a name has leastName characters at least.
const (
	tableColumns = 6
	tableGap     = 2
	leastName    = 12
)

// sweepTable lays states out in at most so many columns and lines. Where they do
// not fit, runs that are in progress or failed come before those that wait, and
// finished ones last; names go without what all of them say, then the last columns
// are left out, and then names are shortened.
func sweepTable(states []sweep.Status, saving bool, width, height int) []string {
	shown := chosen(states, height-1)
	widths := columnWidths(shown, width)
	if len(widths) < tableColumns {
		shown = chosen(withShortNames(states), height-1) // names do not change as runs come and go
		widths = columnWidths(shown, width)
	}
	var out []string
	for _, s := range shown {
		cells := s.Cells()
		var b strings.Builder
		for i, w := range widths {
			if s.Error == "" || i < 3 {
				fmt.Fprintf(&b, "%-*s", w+tableGap, elide(cells[i], w))
			}
		}
		b.WriteString(s.Error)
		out = append(out, oneLine(b.String(), width))
	}
	sum := sweep.Count(states)
	if n := len(states) - len(shown); n > 0 {
		sum += fmt.Sprintf("; %d not shown", n)
	}
	if saving {
		sum = "saving; " + sum
	}
	return append(out, oneLine(sum, width))
}

// chosen returns the n states that matter most, in their order.
func chosen(states []sweep.Status, n int) []sweep.Status {
	shown := map[string]bool{}
	for _, group := range [][]string{
		{sweep.Running}, {sweep.Failed, sweep.Stopped}, {sweep.Waiting}, {sweep.Finished, sweep.Skipped},
	} {
		for _, s := range states {
			if slices.Contains(group, s.State) && len(shown) < n {
				shown[s.Name] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(states), func(s sweep.Status) bool { return !shown[s.Name] })
}

// columnWidths returns the widths of the columns that have room. What an error
// says is no column: it ends its line, however long.
func columnWidths(states []sweep.Status, width int) []int {
	var widths [tableColumns]int
	for _, s := range states {
		for i, cell := range s.Cells() {
			if s.Error == "" || i < 3 {
				widths[i] = max(widths[i], len([]rune(cell)))
			}
		}
	}
	rest := widths[1] + widths[2] + 2*tableGap // what makes a line worth reading
	widths[0] = min(widths[0], max(width-rest, leastName))
	n, used := 3, widths[0]+rest
	for n < tableColumns && used+tableGap+widths[n] <= width {
		used += tableGap + widths[n]
		n++
	}
	return widths[:n]
}

// withShortNames drops from names the parts that all of them have, unless some
// would then be the same or empty.
func withShortNames(states []sweep.Status) []sweep.Status {
	count := map[string]int{} // of the names that have a part
	for _, s := range states {
		parts := strings.Split(s.Name, "-")
		slices.Sort(parts)
		for _, part := range slices.Compact(parts) {
			count[part]++
		}
	}
	out, seen := slices.Clone(states), map[string]bool{"": true}
	for i, s := range states {
		own := slices.DeleteFunc(strings.Split(s.Name, "-"), func(part string) bool { return count[part] == len(states) })
		out[i].Name = strings.Join(own, "-")
		if seen[out[i].Name] {
			return states
		}
		seen[out[i].Name] = true
	}
	return out
}

// elide shortens a text to n characters in its middle: what tells names apart is
// often at their end.
func elide(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 3 {
		return s
	}
	return string(r[:(n-1)/2]) + "…" + string(r[len(r)-n/2:])
}

// oneLine makes a text one line of at most n characters.
func oneLine(s string, n int) string {
	r := []rune(strings.TrimRight(s, " "))
	for i := range r {
		if unicode.IsControl(r[i]) {
			r[i] = ' ' // that would move the cursor
		}
	}
	if len(r) > n {
		r = append(r[:max(n-1, 0)], '…')
	}
	return string(r)
}
