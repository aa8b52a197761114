package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
)

type benchOptions struct {
	engineFlags
	encodings []string
	task      string
	lengths   string
	n, batch  int
	seed      uint64
	runs      string
	format    string
	output    string
}

func benchVerb(a *app) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "bench [MODEL…]",
		Short: "measure accuracy and speed at every length",
		Long: `bench measures models on prompts of a task that no training run sees: exact match,
and the time and memory of greedy generation, at every length asked for. A MODEL
is an ONNX file, a run directory or a model of the catalogue. Without one it
measures every run under --runs, or the catalogue when there are none; --pe
restricts that to some encodings.

Lengths: "20..200" is at most ten lengths ending at 200, "20..200+1" every length,
"20..200+20" steps of 20, "32..4096*2" doubling, "20,40,80" these.

Ctrl-C ends the measurement and shows what is done.`,
		Example: example(
			"zoo bench --lengths 20..200",
			"zoo bench copy-rope.onnx copy-alibi.onnx --n 20 -o results.jsonl",
			"zoo bench --pe rope,alibi --lengths 10,20,40 --format jsonl"),
		RunE: func(c *cobra.Command, args []string) error { return a.bench(c.Context(), o, args) },
	}
	o.engineFlags.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(encodingNames(), ", "))
	f.StringVar(&o.task, "task", "", "task, or several with commas (default: those that the model was trained on)")
	f.StringVar(&o.lengths, "lengths", "20..200", "lengths to measure")
	f.IntVar(&o.n, "n", 100, "samples at each length")
	f.IntVar(&o.batch, "batch", 32, "most sequences at a time")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the samples")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.format, "format", "table", "table, json or jsonl")
	f.StringVarP(&o.output, "output", "o", "", "`file` of JSON lines to append the results to")
	return c
}

func (o benchOptions) check() error {
	if err := o.engineFlags.check(); err != nil {
		return err
	}
	return oneOf("format", o.format, "table", "json", "jsonl")
}

func (a *app) bench(ctx context.Context, o benchOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	lengths, err := task.ParseLengths(o.lengths)
	if err != nil {
		return err
	}
	sources, err := a.benched(o, args)
	if err != nil {
		return err
	}
	b := newBenchmark(a, o, lengths, len(sources))
	if b.out, err = openResults(o.output); err != nil {
		return err
	}
	for _, s := range sources {
		a.note("measuring %s", s.from)
		if err = b.measure(ctx, s); err != nil {
			break
		}
	}
	b.meter.close()
	if b.out != nil {
		err = errors.Join(err, b.out.Close())
	}
	return errors.Join(err, a.printRows(b.rows, o.format)) // what was measured is shown, come what may
}

// openResults opens the file to append to, in a folder that it makes if need be;
// none for no path.
func openResults(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
}

// benched lists the models to measure.
func (a *app) benched(o benchOptions, args []string) ([]source, error) {
	f, err := a.newFinder(o.runs)
	if err != nil {
		return nil, err
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
	if len(o.encodings) == 0 || len(o.encodings) == 1 && o.encodings[0] == "all" {
		return f.all()
	}
	if err := checkEncodings(o.encodings); err != nil {
		return nil, err
	}
	for _, name := range o.encodings {
		found, err := f.of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// benchmark collects the results of several models.
type benchmark struct {
	o       benchOptions
	lengths []int
	machine string
	meter   *meter
	done    int64 // work of the models finished
	out     *os.File
	rows    []eval.Row
}

func newBenchmark(a *app, o benchOptions, lengths []int, count int) *benchmark {
	m := thisMachine()
	b := &benchmark{o: o, lengths: lengths, machine: fmt.Sprintf("%s, %d cores", m.Processor, m.Cores)}
	b.meter = a.newMeter("measuring", 0, int64(count)*b.work(len(lengths)))
	return b
}

// work estimates the cost of the first k lengths: generating a token and scoring
// it both go with the length.
func (b *benchmark) work(k int) int64 {
	sum := 0
	for _, length := range b.lengths[:k] {
		sum += 2 * b.o.n * length
	}
	return int64(sum)
}

// measure sweeps over the lengths with one model.
func (b *benchmark) measure(ctx context.Context, s source) error {
	session, data, err := b.o.open(s)
	if err != nil {
		return err
	}
	defer session.Close()
	tasks, err := b.tasks(session.Info())
	if err != nil {
		return fmt.Errorf("%s: %w", s.label, err)
	}
	begun := b.done
	for i, t := range tasks {
		if err := b.sweep(ctx, s, session, b.config(s, t, session.Info(), data), len(tasks)); err != nil {
			return err
		}
		b.done = begun + b.work(len(b.lengths))*int64(i+1)/int64(len(tasks))
	}
	return nil
}

// tasks lists the tasks to measure a model on: those asked for, or its own.
func (b *benchmark) tasks(info runtime.Info) ([]task.Task, error) {
	if b.o.task != "" {
		return task.LookupList(b.o.task)
	}
	return task.LookupList(info.Card.Task)
}

// sweep measures one task of several.
func (b *benchmark) sweep(ctx context.Context, s source, session *runtime.Session, cfg eval.Config, tasks int) error {
	finished := 0
	cfg.OnBatch = func(length, done, _ int) {
		part := (b.work(finished) + int64(done*length)) / int64(tasks)
		b.meter.update(b.done+part, func() string { return fmt.Sprintf("%s, %s at length %d", s.label, cfg.Task.Name, length) })
	}
	rows, err := eval.Sweep(ctx, measured{session}, session.Info().Card, cfg, func(r eval.Row) error {
		finished++
		if b.out == nil {
			return nil
		}
		return eval.WriteJSONL(b.out, r) // at once: what is measured is kept
	})
	b.rows = append(b.rows, rows...)
	return err
}

func (b *benchmark) config(s source, t task.Task, info runtime.Info, data []byte) eval.Config {
	sum := sha256.Sum256(data)
	env := eval.Environment{
		Model: s.label, ModelSHA256: hex.EncodeToString(sum[:]), Provider: info.Provider, Threads: b.o.threads,
		Spinning: info.Engine == "onnxruntime", Machine: b.machine, ToolVersion: version(),
	}
	if info.Engine == "onnxruntime" {
		env.ORTVersion = info.Version
	}
	memory, err := eval.ProcessMemory()
	if err != nil {
		memory = nil // the system does not tell: the column stays empty
	}
	return eval.Config{
		Task: t, Lengths: b.lengths, N: b.o.n, Batch: b.o.batch, Seed: b.o.seed, Split: task.Test, Warmup: 1,
		Environment: env, Memory: memory,
	}
}

func (a *app) printRows(rows []eval.Row, format string) error {
	switch {
	case format == "jsonl":
		return eval.WriteJSONL(a.stdout, rows...)
	case format == "json":
		return a.json(append([]eval.Row{}, rows...))
	case len(rows) == 0:
		return nil
	}
	e := rows[0].Environment
	engine := "pure Go"
	if e.ORTVersion != "" {
		engine = fmt.Sprintf("ONNX Runtime %s, provider %s", e.ORTVersion, e.Provider)
	}
	threads := "one thread per core"
	if e.Threads > 0 {
		threads = fmt.Sprintf("%d threads", e.Threads)
	}
	a.print("%s; %s; %s; zoo %s", e.Machine, engine, threads, e.ToolVersion)
	return eval.Table(a.stdout, rows)
}
