package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Sum sums up how runs are: text is "3 finished, 1 failed"; fits says how many have fitted their data,
// "" where nothing was evaluated; failed is how many failed.
func Sum(all []Status) (text, fits string, failed int) {
	n := map[string]int{}
	for _, s := range all {
		n[s.State]++
	}
	var parts []string
	for _, state := range []string{Finished, Skipped, Running, Stopped, Waiting, Failed} {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
	}
	return strings.Join(parts, ", "), fitsOf(all), n[Failed]
}

// evaluated reports whether the fit of any run is known.
func evaluated(all []Status) bool {
	return slices.ContainsFunc(all, func(s Status) bool { return s.FittedStep != nil })
}

// fitsOf says how many runs have fitted their data, of all and, where some have not, by
// encoding: "3 of 4 runs fitted: nope 2 of 2, rope 1 of 2". It is "" where nothing was
// evaluated.
func fitsOf(all []Status) string {
	if !evaluated(all) {
		return ""
	}
	var encodings []string // in the sweep's order
	fitted, runs, sum := map[string]int{}, map[string]int{}, 0
	for _, s := range all {
		if runs[s.Encoding]++; runs[s.Encoding] == 1 {
			encodings = append(encodings, s.Encoding)
		}
		if s.FittedStep != nil && *s.FittedStep > 0 {
			fitted[s.Encoding]++
			sum++
		}
	}
	text := fmt.Sprintf("%d of %s fitted", sum, human.Plural(len(all), "run", "runs"))
	if sum == len(all) || len(encodings) == 1 {
		return text
	}
	parts := lists.Map(encodings, func(e string) string { return fmt.Sprintf("%s %d of %d", e, fitted[e], runs[e]) })
	return text + ": " + strings.Join(parts, ", ")
}

// Table returns the cells of a line for each run, with a column of whether it fitted where
// any was evaluated.
func Table(all []Status) [][]string {
	fit := evaluated(all)
	return lists.Map(all, func(s Status) []string { return s.cells(fit) })
}
