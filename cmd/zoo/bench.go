package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/bench"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/study"
	"github.com/nopezoo/zoo/models"
)

type benchOptions struct {
	bench.Options
	encodings []string
	task      string
	lengths   string
	seeds     []uint
	allow     []string
	dryRun    bool
	runs      string
	format    string
	ranks     string
	output    string
}

// ranksBy are the ways to rank, in bench and report.
var ranksBy = []string{string(study.ByLengths), string(study.ByExamples)}

const ranksHelp = "means that are ranked weigh lengths alike (lengths), " +
	"or by their test examples as the paper does (examples)"

func benchVerb(a *app) *cobra.Command {
	o := benchOptions{Options: bench.Defaults()}
	c := &cobra.Command{
		Use:   "bench [MODEL…]",
		Short: "measure accuracy and speed at every length",
		Long: `bench measures models on prompts of a task that no training run sees: exact match,
and the time and memory of greedy generation, at every length asked for. A MODEL
is an ONNX file, a run directory or a model of the catalogue. Without one it
measures the runs under --runs, or the catalogue when there are none, on one task:
--task chooses it, and --task all measures every model on its own; --pe restricts
the models to some encodings.

Lengths: "20..200" is at most ten lengths ending at 200, "20..200+1" every length,
"20..200+20" steps of 20, "32..4096*2" doubling, "20,40,80" these.

Flags that take lists multiply out: each combination of model, profile, provider,
threads, batch, task, seed and length is a cell. The samples of a cell are
different prompts, or all there are if that is fewer than --n. With -o every finished
cell is kept in the file at once, and cells that the file holds already are not measured again: after Ctrl-C
the same command goes on.

--measure speed takes no task: it reads arbitrary tokens, as many as the length
says, in chunks, so that memory grows linearly, and generates --new-tokens more.
What would not fit into memory is refused with an estimate. The table relates
the work, counted from the model's graph, to what this machine does at most: the
roofline of a large matrix product and of main memory, measured first.

Times are of full batches after one that warms up. ± is the standard deviation
over --repeat, or without it over the batches. Peak memory is that of the whole
process while a cell generates.`,
		Example: example(
			"zoo bench --lengths 20..200",
			"zoo bench copy-rope.onnx copy-alibi.onnx --n 20 -o results.jsonl",
			"zoo bench --pe all --task copy --lengths 20..200 --provider cpu,go --threads 1,2 --batch 1,32 -o results.jsonl",
			"zoo bench --pe rope,alibi --lengths 10,20,40 --format csv",
			"zoo bench --task all --lengths 20..200 --dry-run",
			"zoo bench --pe all --task copy --measure speed --lengths 512..32768*2 --batch 1"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(o.keepNowhere(c.Flags()), o.check(c.Flags(), len(args) > 0)); err != nil {
				return err
			}
			return a.bench(c.Context(), o, args)
		},
	}
	addAllow(c, &o.allow)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task, or several with commas; without a MODEL it also chooses those trained on it "+
		"(default: what a MODEL was trained on, else one task), or all")
	f.StringVar(&o.lengths, "lengths", "",
		"lengths to measure (default "+bench.TaskLengths+"; for speed alone "+bench.SpeedLengths+")")
	f.StringSliceVar(&o.Measures, "measure", o.Measures, "accuracy (and speed, on a task), speed (without a task)")
	f.StringSliceVar(&o.Providers, "provider", o.Providers,
		"what runs the models: cpu, cuda, go (pure Go, needs no library, slow)")
	f.StringSliceVar(&o.Profiles, "profile", nil,
		card.Portable+", "+card.Fused+": the forms of models that are no files yet (default portable)")
	f.IntSliceVar(&o.Threads, "threads", o.Threads, "threads of ONNX Runtime; 0: one per physical core")
	f.IntSliceVar(&o.Batches, "batch", o.Batches, "most sequences at a time")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1}, "seeds of the samples")
	f.IntVar(&o.Samples, "n", o.Samples, "different samples at each length, or all if there are fewer")
	f.IntVar(&o.Repeat, "repeat", o.Repeat, "times that each cell is timed (default 1; for speed 3)")
	f.IntVar(&o.NewTokens, "new-tokens", o.NewTokens, "with --measure speed: tokens generated after the length")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
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
	o.Seeds = each(o.seeds, func(n uint) uint64 { return uint64(n) })
	if err := o.Options.Check(); err != nil {
		return fmt.Errorf("--%w", err)
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
	return cmp.Or(oneOf("ranks", o.ranks, ranksBy...), oneOf(what, o.format, formats...))
}
