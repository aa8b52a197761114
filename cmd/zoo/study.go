package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/experiment/study"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

type studyOptions struct {
	sweepOptions
	only    []string
	details bool
	measure bool
}

func studyVerb(a *app) *cobra.Command {
	var o studyOptions
	c := &cobra.Command{
		Use:   "study FOLDER",
		Short: "train, measure and report what of a study is not there yet",
		Args:  arguments.Between(1, 1, "the folder of a study, such as studies/nope"),
		RunE:  func(c *cobra.Command, args []string) error { return a.study(c, o, args[0]) },
	}
	o.placed.add(c)
	o.addSpread(c)
	f := c.Flags()
	f.StringVar(&o.root, "runs", "runs", "`folder` of the runs")
	f.StringSliceVar(&o.only, "only", nil, "these `parts` of the study alone, or runs whose names match, as in '*-rope-*'")
	f.BoolVar(&o.measure, "measure", false, "train nothing: measure the runs that are finished")
	o.addExecutor(f)
	f.BoolVar(&o.status, "status", false, "show how the runs are, and stop")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the runs, and how long those take that are not measured, and stop")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	f.BoolVar(&o.details, "details", false, "all tables, with intervals, ranks and published numbers")
	return c
}

func (a *app) study(c *cobra.Command, o studyOptions, folder string) error {
	ctx := c.Context()
	if err := o.checkExecutor(c); err != nil {
		return err
	}
	if o.measure && o.executor != local {
		return fmt.Errorf("--measure trains nothing, and --executor %s says who trains; drop one of the two", o.executor)
	}
	s, err := study.Open(folder, o.root)
	if err != nil {
		return err
	}
	if o.devices, err = o.spread(c.Flags(), s.Placement, o.here(), &o.workers); err != nil {
		return err
	}
	if err := s.Only(o.only...); err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	switch {
	case o.executor != local && !o.status:
		missing := slices.DeleteFunc(slices.Clone(s.Runs), s.Measured)
		if len(missing) == 0 {
			a.Note("%s: all measured", human.Plural(len(s.Runs), "run", "runs"))
			return nil
		}
		if err := a.sweepArray(c, o.sweepOptions, s.Trains, missing, s); err != nil || o.executor == "slurm" {
			return err
		}
		a.Note("when they are over: zoo study %s --measure", human.Shell(folder))
		return nil
	case o.dryRun:
		return a.sweepPlan(ctx, o.sweepOptions, s.Runs, s.Measured)
	case o.status:
		all, err := s.Look(ctx)
		if err != nil {
			return err
		}
		a.Note("%s", studySum(all))
		a.noteForeign(s)
		return a.sweepResults(all, o.asJSON)
	}
	return a.studyRun(ctx, o, s)
}

// studyRun carries a study out, and reports it as far as it is.
func (a *app) studyRun(ctx context.Context, o studyOptions, s *study.Study) error {
	training, erase, err := a.training(ctx, o.sweepOptions)
	if err != nil {
		return err
	}
	note := func(text string) { a.Note("%s", text) }
	if o.measure {
		training.Command = nil
	}
	all, err := s.Run(ctx, training, a.lookIn(s.Trains), note)
	erase()
	if all == nil {
		return err
	}
	if o.asJSON {
		if err := a.JSON(all); err != nil {
			return err
		}
	} else if err := a.studyTables(s, all, o.details); err != nil {
		return err
	}
	a.noteForeign(s)
	sum := studySum(all)
	_, _, failed := sweep.Sum(all)
	if err != nil {
		return a.sweepInterrupted(err, sum, failed)
	}
	if failed > 0 {
		return fmt.Errorf("%s; the same command tries those again that failed", sum)
	}
	a.Note("%s; figures: zoo report %s", sum, filepath.ToSlash(filepath.Dir(s.Results)))
	return nil
}

// studySum sums up how runs are: "60 runs: 12 measured (10 of 12 fitted), 1 failed, 47 missing". Runs of
// which it is not known whether they fitted are not among those.
func studySum(all []sweep.Status) string {
	measured, known, fitted := 0, 0, 0
	_, _, failed := sweep.Sum(all)
	for _, status := range all {
		if status.State != study.Measured {
			continue
		}
		measured++
		if status.FittedStep != nil {
			known++
			fitted += min(*status.FittedStep, 1)
		}
	}
	sum := fmt.Sprintf("%s: %d measured", human.Plural(len(all), "run", "runs"), measured)
	if known > 0 {
		sum += fmt.Sprintf(" (%d of %d fitted)", fitted, known)
	}
	if failed > 0 {
		sum += fmt.Sprintf(", %d failed", failed)
	}
	if missing := len(all) - measured - failed; missing > 0 {
		sum += fmt.Sprintf(", %d missing", missing)
	}
	return sum
}

// noteForeign tells of rows that are not of the study's runs as they are now.
func (a *app) noteForeign(s *study.Study) {
	if models := s.Foreign; len(models) > 0 {
		a.Note("%s: %s of configurations that the sweep file does not have, the first is %s; tables and figures have "+
			"them, too: unpack the file and delete their lines, if they are of no use", s.Results,
			human.Plural(len(models), "model is", "models are"), models[0])
	}
}

// studyTables writes the runs that are not measured, and what those show that are.
func (a *app) studyTables(s *study.Study, all []sweep.Status, details bool) error {
	open := lists.Filter(all, func(status sweep.Status) bool { return status.State != study.Measured })
	if len(open) > 0 {
		if err := a.Table(sweep.Table(open)); err != nil {
			return err
		}
		a.Print("")
	}
	rows := s.Rows
	if len(rows) == 0 {
		return nil
	}
	published, err := summary.ReadPublished("", s.Results)
	if err != nil {
		return err
	}
	return (&report.Printer{Out: a.Out, Format: "table", Width: a.Width(), Brief: !details, Compare: details,
		Options: summary.Options{Published: published}}).Rest(rows)
}
