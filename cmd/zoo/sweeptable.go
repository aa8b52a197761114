package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// cells are the state's line in a table; an error ends it.
func (s sweepState) cells() []string {
	out := []string{s.Name, s.State, fmt.Sprintf("%d/%d", s.Step, s.Steps), "", "", ""}
	if s.Loss != nil {
		out[3] = fmt.Sprintf("loss %.4g", *s.Loss)
	}
	if s.Pace > 0 {
		out[4] = short(s.Pace) + " tokens/s"
		out[5] = duration(time.Duration(s.Left*float64(time.Second))) + " left"
	}
	if s.Slurm != "" {
		out[1] += ", " + s.Slurm
	}
	if s.Error != "" {
		out = append(out[:3], s.Error)
	}
	return out
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
func sweepTable(states []sweepState, saving bool, width, height int) []string {
	shown := chosen(states, height-1)
	widths := columnWidths(shown, width)
	if len(widths) < tableColumns {
		shown = chosen(withShortNames(states), height-1) // names do not change as runs come and go
		widths = columnWidths(shown, width)
	}
	var out []string
	for _, s := range shown {
		cells := s.cells()
		var b strings.Builder
		for i, w := range widths {
			if s.Error == "" || i < 3 {
				fmt.Fprintf(&b, "%-*s", w+tableGap, elide(cells[i], w))
			}
		}
		b.WriteString(s.Error)
		out = append(out, oneLine(b.String(), width))
	}
	sum := countStates(states)
	if n := len(states) - len(shown); n > 0 {
		sum += fmt.Sprintf("; %d not shown", n)
	}
	if saving {
		sum = "saving; " + sum
	}
	return append(out, oneLine(sum, width))
}

// chosen returns the n states that matter most, in their order.
func chosen(states []sweepState, n int) []sweepState {
	shown := map[string]bool{}
	for _, group := range [][]string{{sweepRunning}, {sweepFailed, sweepStopped}, {sweepWaiting}, {sweepFinished, sweepSkipped}} {
		for _, s := range states {
			if slices.Contains(group, s.State) && len(shown) < n {
				shown[s.Name] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(states), func(s sweepState) bool { return !shown[s.Name] })
}

// columnWidths returns the widths of the columns that have room. What an error
// says is no column: it ends its line, however long.
func columnWidths(states []sweepState, width int) []int {
	var widths [tableColumns]int
	for _, s := range states {
		for i, cell := range s.cells() {
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
func withShortNames(states []sweepState) []sweepState {
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

// countStates sums up: "3 finished, 1 failed".
func countStates(states []sweepState) string {
	var parts []string
	for _, state := range []string{sweepFinished, sweepSkipped, sweepRunning, sweepStopped, sweepWaiting, sweepFailed} {
		n := 0
		for _, s := range states {
			if s.State == state {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}
