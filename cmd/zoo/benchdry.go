package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/nopezoo/zoo/eval"
)

// plannedCell is one line of a dry run.
type plannedCell struct {
	Measure     string   `json:"measure"`
	Model       string   `json:"model"`
	ModelSHA256 string   `json:"model_sha256"`
	Profile     string   `json:"profile"`
	Provider    string   `json:"provider"`
	Threads     int      `json:"threads"`
	Batch       int      `json:"batch"`
	Task        string   `json:"task,omitempty"`
	Seed        uint64   `json:"seed,omitempty"`
	Length      int      `json:"length"`
	Measured    bool     `json:"measured"`          // the results file holds it
	Reason      string   `json:"reason,omitempty"`  // why the length is not available
	Seconds     *float64 `json:"seconds,omitempty"` // estimated, of what is not measured
	Memory      int64    `json:"memory_estimate_bytes,omitempty"`
}

// restsOn says what an estimate of time is made of.
const restsOn = "from a probe of each session, which reads at most 2048 tokens and generates 4, scaled by the work counted at every length; answers that end early take less"

// dryBench prints the cells and how long they may take; it writes no file.
func (a *app) dryBench(ctx context.Context, p *benchPlan) error {
	rows, err := peekBenchLog(p.o.output)
	if err != nil {
		return fmt.Errorf("%s holds something else than results: %w", p.o.output, err)
	}
	found := p.find(rows)
	var cells []plannedCell
	total := 0.0
	if err := a.checkProviders(ctx, p.toRun()); err != nil {
		return err
	}
	for _, g := range p.groups {
		pace, err := g.probe(ctx)
		if err != nil {
			return err
		}
		for _, c := range g.cells {
			line := c.planned()
			if c.row == nil && c.na == nil {
				s, err := pace.estimate(c)
				if err != nil {
					return err
				}
				line.Seconds = &s
				total += s
			}
			cells = append(cells, line)
		}
	}
	return a.printPlan(cells, found, total, p.o)
}

// unmeasured lists the groups with something left to measure.
func (p *benchPlan) unmeasured() []*benchGroup {
	return slices.DeleteFunc(slices.Clone(p.groups), func(g *benchGroup) bool { return !g.unmeasured() })
}

func (g *benchGroup) unmeasured() bool {
	return slices.ContainsFunc(g.cells, func(c *benchCell) bool { return c.row == nil })
}

// toRun lists the groups with a cell that needs a session.
func (p *benchPlan) toRun() []*benchGroup {
	return slices.DeleteFunc(slices.Clone(p.groups), func(g *benchGroup) bool { return !g.toRun() })
}

func (g *benchGroup) toRun() bool {
	return slices.ContainsFunc(g.cells, func(c *benchCell) bool { return c.row == nil && c.na == nil })
}

func (c *benchCell) planned() plannedCell {
	k := c.key()
	out := plannedCell{Measure: k.Measure, Model: c.group.Label, ModelSHA256: k.ModelSHA256, Profile: k.Profile, Provider: k.Provider, Threads: k.Threads,
		Batch: k.Batch, Task: k.Task, Seed: k.Seed, Length: k.Length, Measured: c.row != nil}
	if c.na != nil {
		out.Reason = c.na.Reason
	}
	if c.speed != nil {
		out.Memory = c.speed.MemoryEstimate
	}
	return out
}

// pace is how fast a session is: it reads flops in readSeconds, and a step after
// so many tokens takes base + each·tokens, in seconds.
type pace struct {
	batch       int
	load        *workload
	flops       float64
	readSeconds float64
	base, each  float64
}

// The contexts of a probe, and the tokens generated after each. Long contexts
// are less efficient than their work tells, so that speed is probed with more.
const (
	probeShort, probeLong = 32, 256
	probeMost             = 2048 // over all rows
	probeNew              = 4
)

// probe runs a group's session for a moment.
func (g *benchGroup) probe(ctx context.Context) (pace, error) {
	if !g.toRun() {
		return pace{}, nil
	}
	session, data, err := g.engine.open(g.Model)
	if err != nil {
		return pace{}, err
	}
	defer session.Close()
	load, err := newWorkload(data, g.card)
	if err != nil {
		return pace{}, err
	}
	out := pace{batch: g.batch, load: &load}
	short, long := probeShort, probeLong
	if c := g.cells[0]; c.speed == nil {
		out.batch = min(g.batch, c.accuracy.N)
	} else {
		long = max(long, min(c.length, probeMost/g.batch))
	}
	if m := g.card.MaxLength; m > 0 {
		long = max(min(long, m-probeNew), 2)
		short = min(short, long/2)
	}
	_, early, err := out.time(ctx, measured{session}, short)
	if err != nil {
		return out, err
	}
	read, late, err := out.time(ctx, measured{session}, long)
	if err != nil {
		return out, err
	}
	work, err := load.work(out.batch, long, probeNew)
	out.flops, out.readSeconds = work.PrefillFLOPs, read
	out.each = max(late-early, 0) / float64(long-short)
	out.base = max(late-out.each*float64(long), 0)
	return out, err
}

// time returns the seconds of reading so many tokens, and of one more.
func (p *pace) time(ctx context.Context, m eval.Model, length int) (read, step float64, err error) {
	rng := rand.New(rand.NewPCG(1, uint64(length)))
	prompts := make([][]int64, p.batch)
	for i := range prompts {
		for range length {
			prompts[i] = append(prompts[i], rng.Int64N(int64(p.load.vocab)))
		}
	}
	limits := slices.Repeat([]int{probeNew + 1}, p.batch)
	for i := range 3 { // the first warms up, and the better of the others counts
		var times []time.Time
		start := time.Now()
		if _, err := m.Generate(ctx, prompts, limits, eval.NoStop, func() { times = append(times, time.Now()) }); err != nil {
			return 0, 0, err
		}
		r, s := times[0].Sub(start).Seconds(), times[len(times)-1].Sub(times[0]).Seconds()/probeNew
		if i < 2 || r < read {
			read = r
		}
		if i < 2 || s < step {
			step = s
		}
	}
	return read, step, nil
}

// estimate returns a cell's time in seconds.
func (p *pace) estimate(c *benchCell) (float64, error) {
	if s := c.speed; s != nil {
		read, err := p.reading(c.length)
		return float64(s.Warmup+s.Repeat) * (read + float64(s.NewTokens)*p.step(c.length)), err
	}
	cfg := c.accuracy
	prompt, target, err := eval.SampleTokens(cfg.Task, c.group.card, c.length)
	if err != nil {
		return 0, err
	}
	read, err := p.reading(prompt)
	if err != nil {
		return 0, err
	}
	score, err := p.reading(prompt + target)
	batches := (cfg.N + p.batch - 1) / p.batch
	generate := read + float64(target)*p.step(prompt+target/2)
	return float64(cfg.Warmup+cfg.Repeat*batches)*generate + float64(batches)*score, err
}

func (p *pace) reading(length int) (float64, error) {
	work, err := p.load.work(p.batch, length, 2)
	return p.readSeconds * work.PrefillFLOPs / max(p.flops, 1), err
}

func (p *pace) step(tokens int) float64 { return p.base + p.each*float64(tokens) }

func (a *app) printPlan(cells []plannedCell, found int, total float64, o benchOptions) error {
	switch o.format {
	case "json":
		return a.json(struct {
			Cells   []plannedCell `json:"cells"`
			Seconds float64       `json:"seconds"`
			RestsOn string        `json:"rests_on"`
		}{cells, total, restsOn})
	case "jsonl":
		e := json.NewEncoder(a.stdout)
		for _, c := range cells {
			if err := e.Encode(c); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tprofile\tprovider\tthreads\tbatch\tmeasure\ttask\tseed\tlength\ttime")
	for _, c := range cells {
		task, seed, took := c.Task, strconv.FormatUint(c.Seed, 10), "n/a"
		if task == "" {
			task, seed = "-", "-"
		}
		if c.Measured {
			took = "measured"
		}
		if c.Seconds != nil {
			took = duration(time.Duration(*c.Seconds * float64(time.Second)))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%d\t%s\n", c.Model, c.Profile, c.Provider, c.Threads, c.Batch, c.Measure, task, seed, c.Length, took)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	kept := ""
	switch {
	case found == len(cells):
		a.print("\n%s, all of them in %s: nothing is left to measure", cellsText(found), o.output)
		return nil
	case found > 0:
		kept = fmt.Sprintf(", of which %s holds %d", o.output, found)
	}
	a.print("\n%s%s; about %s: %s", cellsText(len(cells)), kept, duration(time.Duration(total*float64(time.Second))), restsOn)
	return nil
}

func cellsText(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}
