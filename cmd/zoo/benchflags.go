package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/eval"
)

// measures reports whether a measure was asked for.
func (o *benchOptions) measures(measure string) bool { return slices.Contains(o.Measures, measure) }

// defaultLengths are task lengths, or for speed alone tokens.
func (o *benchOptions) defaultLengths() string {
	if o.measures(eval.MeasureAccuracy) {
		return "20..40+4,60..200+20"
	}
	return "512..4096*2"
}

// check refuses flags that are out of range or that do not go together. named says
// that the models are arguments.
func (o *benchOptions) check(flags *pflag.FlagSet, named bool) error {
	for _, f := range []struct{ name, value string }{{"pe", strings.Join(o.encodings, "")}, {"task", o.task}, {"lengths", o.lengths}} {
		if flags.Changed(f.name) && f.value == "" { // an unset variable of a script, not a wish for the default
			return fmt.Errorf("--%s is empty; give it a value, or leave it out for the default", f.name)
		}
	}
	for _, m := range o.Measures {
		if err := oneOf("measure", m, eval.MeasureAccuracy, eval.MeasureSpeed); err != nil {
			return err
		}
	}
	if err := o.checkHeeded(flags, named); err != nil {
		return err
	}
	for _, p := range o.Providers {
		if err := oneOf("provider", p, providers...); err != nil {
			return err
		}
	}
	for _, p := range o.Profiles {
		if err := checkProfile(p); err != nil {
			return err
		}
	}
	if err := o.Options.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := oneOf("ranks", o.ranks, ranksBy...); err != nil {
		return err
	}
	if o.dryRun {
		return oneOf("format of --dry-run", o.format, "table", "json", "jsonl")
	}
	return oneOf("format", o.format, benchFormats...)
}

// checkHeeded wants no flag that none of the measures heeds.
func (o *benchOptions) checkHeeded(flags *pflag.FlagSet, named bool) error {
	unheeded := map[string][]string{eval.MeasureAccuracy: {"n", "seeds"}, eval.MeasureSpeed: {"new-tokens"}}
	if named { // otherwise it chooses models
		unheeded[eval.MeasureAccuracy] = append(unheeded[eval.MeasureAccuracy], "task")
	}
	for _, m := range []string{eval.MeasureAccuracy, eval.MeasureSpeed} {
		for _, name := range unheeded[m] {
			if flags.Changed(name) && !o.measures(m) {
				return fmt.Errorf("--%s is for --measure %s; drop one of the two", name, m)
			}
		}
	}
	if len(o.Measures) == 0 {
		return errors.New("--measure is empty, expected accuracy or speed")
	}
	return nil
}
