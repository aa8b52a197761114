package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/study"
	"github.com/nopezoo/zoo/runtime/ort"
)

type benchOptions struct {
	encodings []string
	task      string
	only      string // the plain form of the one task chosen where none is named, "" for no such choice
	named     bool   // the models, as arguments
	lengths   string
	measure   []string
	providers []string
	profiles  []string
	threads   []int
	batches   []int
	seeds     []uint
	n, repeat int
	newTokens int
	dryRun    bool
	runs      string
	format    string
	ranks     string
	output    string
	allow     []string
}

// ranksBy are the ways to rank, in bench and report.
var ranksBy = []string{string(study.ByLengths), string(study.ByExamples)}

const ranksHelp = "means that are ranked weigh lengths alike (lengths), or by their test examples as the paper does (examples)"

// benchFormats are the forms of the results.
var benchFormats = []string{"table", "md", "csv", "json", "jsonl", "benchstat"}

func benchVerb(a *app) *cobra.Command {
	var o benchOptions
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
			o.named = len(args) > 0
			if err := o.keepNowhere(c.Flags()); err != nil {
				return err
			}
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return a.bench(c.Context(), o, args)
		},
	}
	addAllow(c, &o.allow)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(encodingNames(), ", "))
	f.StringVar(&o.task, "task", "", "task, or several with commas; without a MODEL it also chooses those trained on it (default: what a MODEL was trained on, else one task), or all")
	f.StringVar(&o.lengths, "lengths", "", "lengths to measure (default 20..200; for speed alone 512..4096*2)")
	f.StringSliceVar(&o.measure, "measure", []string{eval.MeasureAccuracy}, "accuracy (and speed, on a task), speed (without a task)")
	f.StringSliceVar(&o.providers, "provider", []string{"cpu"}, "what runs the models: cpu, cuda, go (pure Go, needs no library, slow)")
	f.StringSliceVar(&o.profiles, "profile", nil, card.Portable+", "+card.Fused+": the forms of models that are no files yet (default portable)")
	f.IntSliceVar(&o.threads, "threads", []int{0}, "threads of ONNX Runtime; 0: one per physical core")
	f.IntSliceVar(&o.batches, "batch", []int{32}, "most sequences at a time")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1}, "seeds of the samples")
	f.IntVar(&o.n, "n", 100, "different samples at each length, or all if there are fewer")
	f.IntVar(&o.repeat, "repeat", 0, "times that each cell is timed (default 1; for speed 3)")
	f.IntVar(&o.newTokens, "new-tokens", 32, "with --measure speed: tokens generated after the length")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.format, "format", "table", strings.Join(benchFormats, ", "))
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVarP(&o.output, "output", "o", "", "`file` of JSON lines to keep the results in, and to go on from")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the cells, and about how long they would take")
	return c
}

func (o *benchOptions) check(flags *pflag.FlagSet) error {
	if err := o.checkMeasure(flags); err != nil {
		return err
	}
	if len(o.providers) == 0 {
		return errors.New("--provider is empty, expected cpu, cuda or go")
	}
	for _, p := range o.providers {
		if err := oneOf("provider", p, "cpu", "cuda", "go"); err != nil {
			return err
		}
	}
	for _, p := range o.profiles {
		if err := checkProfile(p); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		flag        string
		n           []int
		least, most int
	}{
		{"batch", o.batches, 1, eval.MaxBatch}, {"n", []int{o.n}, 1, eval.MaxSamples},
		{"repeat", []int{o.repeat}, 0, eval.MaxRepeats}, {"new-tokens", []int{o.newTokens}, 2, eval.MaxNewTokens},
	} {
		for _, n := range list.n {
			if n < list.least || n > list.most {
				return fmt.Errorf("--%s is %d, expected %d to %d", list.flag, n, list.least, list.most)
			}
		}
	}
	for _, n := range o.threads {
		if err := ort.CheckThreads(n); err != nil {
			return fmt.Errorf("--threads: %w", err)
		}
	}
	if err := oneOf("ranks", o.ranks, ranksBy...); err != nil {
		return err
	}
	if o.dryRun {
		return oneOf("format of --dry-run", o.format, "table", "json", "jsonl")
	}
	return oneOf("format", o.format, benchFormats...)
}

func (a *app) bench(ctx context.Context, o benchOptions, args []string) error {
	p, err := a.planBench(ctx, o, args)
	if err != nil {
		return err
	}
	if o.dryRun {
		return a.dryBench(ctx, p)
	}
	log, err := openBenchLog(o.output)
	if err != nil {
		return err
	}
	defer log.Close()
	if log.torn != "" {
		a.note("%s", log.torn)
	}
	if found := p.find(log.rows); found > 0 {
		a.note("%d of %d cells are in %s and are not measured again", found, len(p.cells()), o.output)
	}
	out, err := a.startPrinting(p)
	if err != nil {
		return err
	}
	err = a.measureAll(ctx, p, log, out)
	return cmp.Or(err, out.rest()) // what was measured is shown, come what may
}

// benched lists the models to measure, and settles on one task where none is named.
func (a *app) benched(o *benchOptions, args []string) ([]source, error) {
	f, err := a.newFinder(o.runs)
	if err != nil {
		return nil, err
	}
	every := o.task == allTasks
	if every {
		o.task = ""
	}
	var out []source
	if len(args) > 0 {
		if len(o.encodings) > 0 {
			return nil, fmt.Errorf("--pe chooses among runs and catalogue, but %s is named; drop one of the two", args[0])
		}
		for _, arg := range args {
			s, err := f.named(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	}
	encodings := o.encodings
	if slices.Contains(encodings, "all") {
		encodings = nil
	}
	if err := checkEncodings(encodings); err != nil {
		return nil, err
	}
	if o.task == "" && !every {
		o.only = a.chooseTask(f, encodings)
	}
	if f, err = f.on(cmp.Or(o.task, o.only)); err != nil {
		return nil, err
	}
	if len(encodings) == 0 {
		return f.all()
	}
	for _, name := range encodings {
		found, err := f.of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// describeMachine names the computer in result rows.
func describeMachine() string {
	m := thisMachine()
	return fmt.Sprintf("%s, %d cores", m.Processor, m.Cores)
}

// memoryMeter measures peak memory, nil where the system does not tell.
func memoryMeter() eval.MemoryMeter {
	m, err := eval.ProcessMemory()
	if err != nil {
		return nil
	}
	return trimmed{m}
}

// trimmed starts without what earlier cells left with the C allocator.
type trimmed struct{ eval.MemoryMeter }

func (t trimmed) Reset() {
	ort.TrimMemory()
	t.MemoryMeter.Reset()
}
