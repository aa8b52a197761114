package sweep

import (
	"slices"
	"strings"
)

// Foremost returns the n runs that matter most, in their order: those in progress,
// then those that failed or stopped, then those that wait, and finished ones last.
func Foremost(all []Status, n int) []Status {
	rank := map[string]int{Running: 0, Failed: 1, Stopped: 1, Waiting: 2, Finished: 3, Skipped: 3}
	first := make([]int, len(all))
	for i := range all {
		first[i] = i
	}
	slices.SortStableFunc(first, func(i, j int) int { return rank[all[i].State] - rank[all[j].State] })
	first = first[:min(max(n, 0), len(all))]
	slices.Sort(first)
	var out []Status
	for _, i := range first {
		out = append(out, all[i])
	}
	return out
}

// ShortNames returns the runs with names without the parts that all of them have,
// unless some names would then be the same or empty.
func ShortNames(all []Status) []Status {
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
