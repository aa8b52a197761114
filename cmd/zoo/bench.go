package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
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
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/zoo"
)

// benchFlags are the flags of bench; lists of numbers and words are parsed into its options.
type benchFlags struct {
	bench.Options
	modelFlags
	task    string
	lengths string
	seeds   []uint
	shots   int
	engine  engineFlags
	device  string
	benchOutput
}

// benchOutput says what becomes of the rows.
type benchOutput struct {
	file   string // that keeps them; "" for none
	format string
	ranks  string
	dryRun bool
	// details are tables with intervals, percentiles, memory and ranks.
	details bool
}

// ranksBy are the ways to rank, in bench and report.
var ranksBy = []string{summary.ByLengths, summary.ByExamples}

const ranksHelp = "what weighs alike in the means that are ranked: lengths, or examples as in the paper"

func benchVerb(a *app) *cobra.Command {
	o := benchFlags{Options: bench.Defaults()}
	c := &cobra.Command{
		Use:   "bench [MODEL…]",
		Short: "measure accuracy and speed at every length",
		RunE: func(c *cobra.Command, args []string) error {
			plan, models, out, err := a.readBench(c.Flags(), o, args)
			if err != nil {
				return err
			}
			return a.bench(c.Context(), plan, models, out)
		},
	}
	o.engine.addFiles(c)
	a.addLinks(c)
	o.interventions.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task, or several with commas; without a MODEL it "+
		"also chooses those trained on it "+
		"(default: what a MODEL was trained on, else one task), or all")
	f.StringVar(&o.lengths, "lengths", "",
		"lengths to measure, or bins of them (default "+bench.TaskLengths+"; for speed alone "+bench.SpeedLengths+")")
	f.IntSliceVar(&o.Depths, "depths", o.Depths, "of tasks in tokens: where the fact that is asked for stands, in % of the text")
	f.StringVar((*string)(&o.Split), "split", string(task.Test), "of running text: documents that windows are of, test or whole "+
		"(all, for models that zoo did not train)")
	f.IntVar(&o.shots, "shots", 0, "of tasks in tokens: examples before the text")
	f.StringSliceVar(&o.Measures, "measure", o.Measures, "accuracy (and speed, on a task), speed (without a task)")
	f.StringSliceVar(&o.Providers, "provider", []string{defaultProvider()}, providersHelp)
	f.StringVar(&o.device, "device", "", deviceHelp)
	f.BoolVar(&o.engine.allowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
	f.StringSliceVar(&o.profiles, "profile", nil,
		card.Portable+", "+card.Fused+": the forms of models that are no files yet (default portable)")
	f.IntSliceVar(&o.Threads, "threads", o.Threads, "threads; 0: one per physical core, in pure Go one per logical one")
	f.IntSliceVar(&o.Batches, "batch", o.Batches, "most sequences at a time")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1}, "seeds of the samples")
	f.IntVar(&o.Samples, "n", o.Samples, "different samples at each length, or all if there are fewer; "+
		"without it the first 32 where none of these is right")
	f.IntVar(&o.Repeat, "repeat", o.Repeat, "times that each cell is timed (default: once, at one length; for speed 3)")
	f.BoolVar(&o.Untimed, "untimed", false, "no times: what a model is certain to answer is not generated")
	f.IntVar(&o.NewTokens, "new-tokens", o.NewTokens, "with --measure speed: tokens generated after the length")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.shard, "shard", "", "one `I/N` of N shares of the models, from 1/N on; /N: the one that a scheduler's array says")
	f.BoolVar(&o.catalogue, "catalogue", false, "the catalogue's models, where there are runs too")
	f.StringSliceVar(&o.checkpoints, "checkpoint", []string{zoo.Last},
		"checkpoints of each run: last, best, steps such as 1000, or all that are there")
	f.StringSliceVar(&o.dtypes, "dtype", []string{card.Float32}, strings.Join(precision.Types, ", ")+
		": the precisions of models that are no files yet")
	f.StringVar(&o.format, "format", "table", strings.Join(report.Formats(), ", "))
	f.BoolVar(&o.details, "details", false, "tables with intervals, percentiles, memory and ranks")
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVarP(&o.file, "output", "o", "", "`file` of JSON lines to keep the results in, and to go on from (default: a new one, results/DATE-NAME.jsonl)")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the cells, and about how long they would take")
	return c
}

// readBench turns flags and arguments into a plan, the models to measure by it, and what becomes of the rows.
func (a *app) readBench(flags *pflag.FlagSet, o benchFlags, args []string) (*bench.Plan, []bench.Model, benchOutput, error) {
	out, err := o.benchOutput.check(flags)
	if err == nil && out.file != "" {
		err = a.Check(terminal.Output{Path: out.file})
	}
	if err != nil {
		return nil, nil, out, err
	}
	if err := o.check(flags, len(args) > 0); err != nil {
		return nil, nil, out, err
	}
	options, err := o.options()
	if err == nil {
		options.Runtime.ProviderOptions, err = o.onDevice(ort.Devices)
	}
	if err != nil {
		return nil, nil, out, err
	}
	options.Ready = a.needProvider
	options.Halve = !flags.Changed("n")
	options.OneTimed = !options.Untimed && !flags.Changed("repeat") && out.format != "benchstat"
	plan, err := bench.NewPlan(options)
	if err != nil {
		return nil, nil, out, fmt.Errorf("--%w", err) // begins with the flag's name
	}
	models, err := a.benchModels(o.modelFlags, o.task, args)
	return plan, models, out, err
}

// options are the flags with what stands in them as text parsed.
func (o benchFlags) options() (bench.Options, error) {
	out := o.Options
	out.Runtime, out.ToolVersion = o.engine.options(), version()
	out.Seeds = lists.Map(o.seeds, func(n uint) uint64 { return uint64(n) })
	var err error
	if o.lengths != "" {
		if out.Lengths, err = task.ParseSpans(o.lengths); err != nil {
			return out, err
		}
	}
	if o.task != "" && o.task != allTasks {
		out.Tasks, err = task.LookupList(o.task)
	}
	if o.shots != 0 {
		err = cmp.Or(err, withShots(out.Tasks, o.shots))
	}
	return out, err
}

// withShots has the tasks that can take examples before their texts take some.
func withShots(tasks []task.Task, shots int) (err error) {
	taken := false
	for i, t := range tasks {
		if t.Hides == nil {
			continue
		}
		taken = true
		if tasks[i], err = t.WithTokens(shots); err != nil {
			return fmt.Errorf("--shots: %w", err)
		}
	}
	if !taken {
		return errors.New("--shots is for tasks that hide something in a text, such as --task passkey; name one, or leave it out")
	}
	return nil
}

// check refuses flags that do not go together, and models that no file has. named says
// that the models are arguments.
func (o benchFlags) check(flags *pflag.FlagSet, named bool) error {
	if err := givenEmpty(flags, "pe", "task", "lengths", "provider", "device", "output"); err != nil {
		return err
	}
	if o.catalogue && flags.Changed("runs") {
		return errors.New("--catalogue chooses the models that zoo carries, --runs those of a folder; drop one of the two")
	}
	if err := arguments.OneOf("split", string(o.Split), string(task.Test), string(task.Whole)); err != nil {
		return err
	}
	for _, name := range o.Providers {
		if err := oneProvider(name, engine.Providers()...); err != nil {
			return err
		}
	}
	if err := cmp.Or(o.modelFlags.check(o.Providers), checkCPUNodes(o.engine.allowCPUNodes, o.Providers...)); err != nil {
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
	return nil
}

// check refuses formats that are none. "-o -" means rows on standard output, none of which
// is kept.
func (o benchOutput) check(flags *pflag.FlagSet) (benchOutput, error) {
	if o.file == terminal.Stdout {
		if flags.Changed("format") && o.format != "jsonl" {
			return o, fmt.Errorf("--output - writes JSON lines to standard output, and --format %s something else; "+
				"leave one of the two out", o.format)
		}
		o.file, o.format = "", "jsonl"
	}
	switch format := strings.TrimPrefix(filepath.Ext(o.file), "."); format {
	case "html", "md", "csv", "tex":
		return o, fmt.Errorf("--output %s keeps rows as JSON lines; name a .jsonl file, and make the other of it: zoo report FILE.jsonl --format %s -o %[1]s",
			o.file, strings.Replace(format, "tex", "latex", 1))
	}
	what, formats := "format", report.Formats()
	if o.dryRun {
		what, formats = "format of --dry-run", []string{"table", "json", "jsonl"}
	}
	return o, cmp.Or(arguments.OneOf("ranks", o.ranks, ranksBy...), arguments.OneOf(what, o.format, formats...))
}
