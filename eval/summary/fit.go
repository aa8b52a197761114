package summary

import (
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
)

// fit counts training runs, and fitted ones: with a perfect evaluation in training at the trained lengths
// (eval.Row.FittedStep).
type fit struct {
	Runs    int `json:"runs"`
	Fitted  int `json:"fitted"`
	Unknown int `json:"unknown"`
}

// count adds a run.
func (f *fit) count(fitted *bool) {
	f.Runs++
	switch {
	case fitted == nil:
		f.Unknown++
	case *fitted:
		f.Fitted++
	}
}

// none reports whether it is known that no run fitted.
func (f fit) none() bool { return f.Runs > 0 && f.Fitted == 0 && f.Unknown == 0 }

// String says it in words: "3 runs, 2 fitted", or "did not fit (0 of 3)".
func (f fit) String() string {
	runs := human.Plural(f.Runs, "run", "runs")
	switch {
	case f.Unknown == f.Runs:
		return runs
	case f.none():
		return fmt.Sprintf("did not fit (0 of %d)", f.Runs)
	case f.Unknown > 0:
		return fmt.Sprintf("%s, %d fitted, %d not known", runs, f.Fitted, f.Unknown)
	}
	return fmt.Sprintf("%s, %d fitted", runs, f.Fitted)
}

// fittedRun tells whether a run fitted, by its rows; nil where none of them says.
func fittedRun(rows []eval.Row) *bool {
	var fitted *bool
	for _, r := range rows {
		if r.FittedStep != nil {
			fitted = new(*r.FittedStep > 0)
		}
	}
	return fitted
}
