package sweep

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train/runfile"
)

// lookFit reads from the run's directory whether it fitted.
func (s *Status) lookFit() {
	if info, err := runfile.Describe(s.Dir); err == nil {
		s.FittedStep = info.FittedStep
	}
}

// fit is the status's cell in a table where some runs were evaluated.
func (s Status) fit() string {
	switch {
	case s.FittedStep == nil:
		return "–"
	case *s.FittedStep == 0:
		return "not fitted"
	}
	return fmt.Sprintf("fitted at %d", *s.FittedStep)
}

// evaluated reports whether the fit of any run is known.
func evaluated(all []Status) bool {
	for _, s := range all {
		if s.FittedStep != nil {
			return true
		}
	}
	return false
}

// Fits says how many runs have fitted their data, of all and, where some have not, by
// encoding: "3 of 4 runs fitted: nope 2 of 2, rope 1 of 2". It is "" where nothing was
// evaluated.
func Fits(all []Status) string {
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
	var parts []string
	for _, e := range encodings {
		parts = append(parts, fmt.Sprintf("%s %d of %d", e, fitted[e], runs[e]))
	}
	return text + ": " + strings.Join(parts, ", ")
}
