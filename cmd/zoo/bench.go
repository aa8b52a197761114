package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/zoo/find"
)

type benchOptions struct {
	bench.Options
	interventionFlags
	encodings     []string
	task          string
	lengths       string
	seeds         []uint
	allow         []string
	allowCPUNodes bool
	dryRun        bool
	runs          string
	checkpoints   []string
	dtypes        []string
	format        string
	ranks         string
	output        string
}

// ranksBy are the ways to rank, in bench and report.
var ranksBy = []string{string(summary.ByLengths), string(summary.ByExamples)}

const ranksHelp = "means that are ranked weigh lengths alike (lengths), " +
	"or by their test examples as the paper does (examples)"

func benchVerb(a *app) *cobra.Command {
	o := benchOptions{Options: bench.Defaults()}
	c := &cobra.Command{
		Use:   "bench [MODEL…]",
		Short: "measure accuracy and speed at every length",
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(o.keepNowhere(c.Flags()), o.check(c.Flags(), len(args) > 0)); err != nil {
				return err
			}
			return a.bench(c.Context(), o, args)
		},
	}
	addAllow(c, &o.allow)
	a.addLinks(c)
	o.interventionFlags.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task, or several with commas; without a MODEL it "+
		"also chooses those trained on it "+
		"(default: what a MODEL was trained on, else one task), or all")
	f.StringVar(&o.lengths, "lengths", "",
		"lengths to measure, or bins of them (default "+bench.TaskLengths+"; for speed alone "+bench.SpeedLengths+")")
	f.StringSliceVar(&o.Measures, "measure", o.Measures, "accuracy (and speed, on a task), speed (without a task)")
	f.StringSliceVar(&o.Providers, "provider", o.Providers, providersHelp)
	f.BoolVar(&o.allowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
	f.StringSliceVar(&o.Profiles, "profile", nil,
		card.Portable+", "+card.Fused+": the forms of models that are no files yet (default portable)")
	f.IntSliceVar(&o.Threads, "threads", o.Threads, "threads; 0: one per physical core, in pure Go one per logical one")
	f.IntSliceVar(&o.Batches, "batch", o.Batches, "most sequences at a time")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1}, "seeds of the samples")
	f.IntVar(&o.Samples, "n", o.Samples, "different samples at each length, or all if there are fewer")
	f.IntVar(&o.Repeat, "repeat", o.Repeat, "times that each cell is timed (default 1; for speed 3)")
	f.BoolVar(&o.Untimed, "untimed", false, "no times: what a model is certain to answer is not generated")
	f.IntVar(&o.NewTokens, "new-tokens", o.NewTokens, "with --measure speed: tokens generated after the length")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringSliceVar(&o.checkpoints, "checkpoint", []string{find.Last},
		"checkpoints of each run: last, best, steps such as 1000, or all that are there")
	f.StringSliceVar(&o.dtypes, "dtype", []string{card.Float32}, strings.Join(precision.Types(), ", ")+
		": the precisions of models that are no files yet")
	f.StringVar(&o.format, "format", "table", strings.Join(report.Formats(), ", "))
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVarP(&o.output, "output", "o", "", "`file` of JSON lines to keep the results in, and to go on from")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the cells, and about how long they would take")
	return c
}

// check refuses flags that are out of range or that do not go together. named says
// that the models are arguments.
func (o *benchOptions) check(flags *pflag.FlagSet, named bool) error {
	for _, name := range []string{"pe", "task", "lengths"} {
		// an unset variable of a script is not a wish for the default
		if flags.Changed(name) && strings.Trim(flags.Lookup(name).Value.String(), "[]") == "" {
			return fmt.Errorf("--%s is empty; give it a value, or leave it out for the default", name)
		}
	}
	if len(o.checkpoints) == 0 {
		return errors.New("--checkpoint is empty; give it a value, or leave it out for the default")
	}
	for _, word := range o.checkpoints {
		if err := find.CheckCheckpoint(word, find.Last, find.Best, find.All); err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
	}
	if len(o.dtypes) == 0 {
		return errors.New("--dtype is empty; give it a value, or leave it out for the default")
	}
	o.Seeds = nil
	for _, n := range o.seeds {
		o.Seeds = append(o.Seeds, uint64(n))
	}
	for _, name := range o.Providers {
		if err := oneProvider(name, engine.Providers()...); err != nil {
			return err
		}
	}
	for _, dtype := range o.dtypes {
		if err := checkDType(dtype, o.Providers...); err != nil {
			return err
		}
	}
	if err := o.Options.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := checkCPUNodes(o.allowCPUNodes, o.Providers...); err != nil {
		return err
	}
	for _, f := range []struct{ name, measure string }{
		{"n", eval.MeasureAccuracy}, {"seeds", eval.MeasureAccuracy}, {"task", eval.MeasureAccuracy},
		{"new-tokens", eval.MeasureSpeed},
	} {
		choosesModels := f.name == "task" && !named
		if flags.Changed(f.name) && !slices.Contains(o.Measures, f.measure) && !choosesModels {
			return fmt.Errorf("--%s is for --measure %s; drop one of the two", f.name, f.measure)
		}
	}
	what, formats := "format", report.Formats()
	if o.dryRun {
		what, formats = "format of --dry-run", bench.EstimateFormats()
	}
	return cmp.Or(arguments.OneOf("ranks", o.ranks, ranksBy...), arguments.OneOf(what, o.format, formats...))
}

// keepNowhere takes "-o -" of bench for what it means: rows on standard output, none
// of them kept.
func (o *benchOptions) keepNowhere(flags *pflag.FlagSet) error {
	if o.output != terminal.Stdout {
		return nil
	}
	if flags.Changed("format") && o.format != "jsonl" {
		return fmt.Errorf("--output - writes JSON lines to standard output, and --format %s something else; "+
			"leave one of the two out", o.format)
	}
	o.output, o.format = "", "jsonl"
	return nil
}
