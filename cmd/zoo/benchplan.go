package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/zoo/find"
)

// benchPlan is all that one command measures, in a fixed order.
type benchPlan struct {
	o      benchOptions
	free   int64 // bytes of memory, 0 for unknown
	groups []*benchGroup
	keys   map[eval.Key]bool // of all cells
}

// benchGroup is the cells that one session measures: memory left over from
// larger batches or other threads would count into theirs.
type benchGroup struct {
	find.Model
	engine engineFlags
	batch  int
	card   card.Card
	load   workload // for speed
	env    eval.Environment
	cells  []*benchCell
}

// benchCell is one measurement.
type benchCell struct {
	group    *benchGroup
	length   int
	accuracy eval.Config       // of its task and seed
	speed    *eval.SpeedConfig // for a measurement of speed, else nil
	na       *eval.Row         // known beforehand: the model or the task has no such length; else nil
	row      *eval.Row         // nil until it is measured
}

// planBench multiplies the lists out. It reads every model, but runs none.
func (a *app) planBench(ctx context.Context, o benchOptions, args []string) (*benchPlan, error) {
	lengths, err := task.ParseLengths(cmp.Or(o.lengths, defaultLengths(o)))
	if err != nil {
		return nil, err
	}
	sources, err := a.benched(&o, args)
	if err != nil {
		return nil, err
	}
	p := &benchPlan{o: o, free: thisMachine().MemoryFree, keys: map[eval.Key]bool{}}
	for _, s := range sources {
		for _, profile := range orDefault(o.profiles, "") {
			g, data, err := newBenchGroup(s, engineFlags{profile: profile, allow: o.allow})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.From, err)
			}
			if g.load, err = newWorkload(data, g.card); err != nil {
				if o.measures(eval.MeasureSpeed) {
					return nil, fmt.Errorf("%s: %w", s.From, err)
				}
				g.load = workload{} // what ONNX Runtime alone can read can still be measured on a task
			}
			if err := p.add(ctx, g, lengths); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Label, err)
			}
		}
	}
	return p, nil
}

func orDefault[T any](list []T, missing T) []T {
	if len(list) == 0 {
		return []T{missing}
	}
	return list
}

// newBenchGroup reads a model's file in one profile, and validates it.
func newBenchGroup(s find.Model, engine engineFlags) (benchGroup, []byte, error) {
	data, err := s.ONNX(cmp.Or(engine.profile, card.Portable))
	if err != nil {
		return benchGroup{}, nil, err
	}
	if _, err := safety.Check(data, engine.options().Safety()); err != nil {
		return benchGroup{}, nil, err
	}
	info, err := export.ReadInfo(data)
	if err != nil {
		return benchGroup{}, nil, err
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		return benchGroup{}, nil, err
	}
	if err := checkFileProfile(engine.profile, c); err != nil {
		return benchGroup{}, nil, err
	}
	return benchGroup{Model: s, engine: engine, card: c,
		env: eval.Environment{Model: s.Label, ModelSHA256: hash(data), Machine: describeMachine(), ToolVersion: version()}}, data, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// add makes groups for each combination of provider, threads and batch.
func (p *benchPlan) add(ctx context.Context, model benchGroup, lengths []int) error {
	var tasks []task.Task
	var err error
	if p.o.measures(eval.MeasureAccuracy) {
		if tasks, err = p.tasks(model.card, lengths); err != nil {
			return err
		}
	}
	for _, provider := range p.o.providers {
		threads := p.o.threads
		if provider == "go" {
			threads = []int{0} // it does not heed them
		}
		for _, n := range threads {
			for _, batch := range p.o.batches {
				g := model
				g.engine.provider, g.engine.threads, g.batch = provider, n, batch
				g.env.Provider, g.env.Threads, g.env.Spinning = provider, n, provider != "go"
				for _, measure := range p.o.measure {
					add := func() error { return p.addAccuracy(ctx, g, tasks, lengths) }
					if measure == eval.MeasureSpeed {
						add = func() error { return p.addSpeed(ctx, g, lengths) }
					}
					if err := add(); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// tasks lists the tasks to measure a model on: those asked for, or its own, of which
// the one chosen where none is named. A model that was not named but found for its
// task is measured on that one alone.
func (p *benchPlan) tasks(c card.Card, lengths []int) ([]task.Task, error) {
	tasks, err := task.LookupList(cmp.Or(p.o.task, c.Task))
	if err != nil {
		return nil, err
	}
	if !p.o.named {
		tasks = slices.DeleteFunc(tasks, func(t task.Task) bool { return !task.Related(t.Name, c.Task) })
	}
	if p.o.only != "" {
		tasks = slices.DeleteFunc(tasks, func(t task.Task) bool { return task.Base(t.Name) != p.o.only })
	}
	for _, t := range tasks {
		if err := cmp.Or(eval.CheckLengths(t, lengths), eval.CheckVocabulary(t, c, lengths)); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// addAccuracy makes the group of a model on its tasks. What would not fit is refused.
func (p *benchPlan) addAccuracy(ctx context.Context, g benchGroup, tasks []task.Task, lengths []int) error {
	for _, t := range tasks {
		for _, seed := range p.o.seeds {
			cfg := eval.Config{Task: t, N: p.o.n, Batch: g.batch, Seed: uint64(seed), Split: task.Test,
				Warmup: 1, Repeat: max(p.o.repeat, 1), Environment: g.env, Memory: memoryMeter()}
			longest := 0
			for _, length := range lengths {
				na, err := eval.Unavailable(ctx, g.card, cfg, length)
				if err != nil {
					return err
				}
				if na == nil {
					longest = length
				}
				g.cells = append(g.cells, &benchCell{accuracy: cfg, length: length, na: na})
			}
			if longest == 0 {
				continue
			}
			if err := p.checkSamples(&g, cfg, longest); err != nil {
				return err
			}
		}
	}
	p.addGroup(&g)
	return nil
}

// addGroup adds a group's cells, but those that others have.
func (p *benchPlan) addGroup(g *benchGroup) {
	var cells []*benchCell
	for _, c := range g.cells {
		c.group = g
		if key := c.key(); !p.keys[key] {
			p.keys[key] = true
			cells = append(cells, c)
		}
	}
	if g.cells = cells; len(cells) > 0 {
		p.groups = append(p.groups, g)
	}
}

func (c *benchCell) key() eval.Key {
	if c.speed != nil {
		return c.speed.KeyOf(c.group.card.Profile, c.length)
	}
	return c.accuracy.KeyOf(c.group.card.Profile, c.length)
}

func (p *benchPlan) cells() []*benchCell {
	var out []*benchCell
	for _, g := range p.groups {
		out = append(out, g.cells...)
	}
	return out
}

// find gives the cells what was measured before, and returns how many have
// something.
func (p *benchPlan) find(rows []eval.Row) int {
	index, found := eval.NewIndex(rows), 0
	for _, c := range p.cells() {
		if c.row = index.Find(c.key()); c.row != nil {
			found++
		}
	}
	return found
}

// rows returns what is measured, in the order of the plan.
func (p *benchPlan) rows() []eval.Row {
	out := []eval.Row{}
	for _, c := range p.cells() {
		if c.row != nil {
			out = append(out, *c.row)
		}
	}
	return out
}

// work estimates the cost of a cell in tokens. Without a task they are weighed by
// what reading them costs beyond the weights; with one, generating a token and
// scoring it both go with the length.
func (c *benchCell) work() int64 {
	if c.na != nil {
		return 0
	}
	if s := c.speed; s != nil {
		perToken := c.group.load.weights / 2 // a multiply-add for each weight of 4 bytes
		return int64(float64(s.Warmup+s.Repeat)*(s.Work.PrefillFLOPs/max(perToken, 1)+float64(s.Batch*s.NewTokens))) + 1
	}
	return int64((max(c.accuracy.Repeat, 1) + 1) * c.accuracy.N * c.length)
}
