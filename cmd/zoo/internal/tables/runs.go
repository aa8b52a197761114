package tables

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Lines lays runs out in at most so many lines, the last of which sums them up. Where they do not fit,
// only the foremost are shown, and where a line is wider than width columns, names go without what all of them
// say. That may not be enough: whoever shows the lines cuts them. An error takes what room there is.
func Lines(all []sweep.Status, width, height int) []string {
	shown := foremost(all, height-1)
	lines := laidOut(shown)
	for i, s := range shown {
		if s.Error == "" && utf8.RuneCountInString(lines[i]) > width {
			lines = laidOut(foremost(shortNames(all), height-1))
			break
		}
	}
	sum, _, _ := sweep.Sum(all)
	if n := len(all) - len(shown); n > 0 {
		sum += fmt.Sprintf("; %d not shown", n)
	}
	return append(lines, sum)
}

// laidOut returns a line for each run.
func laidOut(all []sweep.Status) []string {
	return strings.FieldsFunc(human.Table(sweep.Table(all)), func(r rune) bool { return r == '\n' })
}

// foremost returns the n runs that matter most, in their order: those in progress,
// then those that failed or stopped, then those that wait, and finished ones last.
func foremost(all []sweep.Status, n int) []sweep.Status {
	rank := map[string]int{sweep.Running: 0, sweep.Failed: 1, sweep.Stopped: 1, sweep.Waiting: 2, sweep.Finished: 3, sweep.Skipped: 3}
	first := make([]int, len(all))
	for i := range all {
		first[i] = i
	}
	slices.SortStableFunc(first, func(i, j int) int { return rank[all[i].State] - rank[all[j].State] })
	first = first[:min(max(n, 0), len(all))]
	slices.Sort(first)
	return lists.Map(first, func(i int) sweep.Status { return all[i] })
}

// shortNames returns the runs with names without the parts that all of them have,
// unless some names would then be the same or empty.
func shortNames(all []sweep.Status) []sweep.Status {
	count := map[string]int{} // of the names that have a part
	for _, s := range all {
		parts := strings.Split(s.Name, "-")
		slices.Sort(parts)
		for _, part := range slices.Compact(parts) {
			count[part]++
		}
	}
	out, seen := slices.Clone(all), map[string]bool{"": true}
	for i, s := range all {
		own := slices.DeleteFunc(strings.Split(s.Name, "-"), func(part string) bool { return count[part] == len(all) })
		out[i].Name = strings.Join(own, "-")
		if seen[out[i].Name] {
			return all
		}
		seen[out[i].Name] = true
	}
	return out
}
