package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
)

// benchPlan is all that one command measures, in a fixed order.
type benchPlan struct {
	o      benchOptions
	groups []*benchGroup
}

// benchGroup is the cells that one session measures: memory left over from
// larger batches or other threads would count into theirs.
type benchGroup struct {
	source
	engine engineFlags
	batch  int
	card   card.Card
	env    eval.Environment
	cells  []*benchCell
}

// benchCell is one measurement.
type benchCell struct {
	group *benchGroup
	cfg   eval.Config // of its task and seed
	len   int
	row   *eval.Row // nil until it is measured
}

// planBench multiplies the lists out. It reads every model, but runs none.
func (a *app) planBench(o benchOptions, args []string) (*benchPlan, error) {
	lengths, err := task.ParseLengths(o.lengths)
	if err != nil {
		return nil, err
	}
	sources, err := a.benched(o, args)
	if err != nil {
		return nil, err
	}
	p := &benchPlan{o: o}
	for _, s := range sources {
		for _, profile := range orDefault(o.profiles, "") {
			g, err := newBenchGroup(s, profile)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.from, err)
			}
			if err := p.add(g, lengths); err != nil {
				return nil, fmt.Errorf("%s: %w", s.label, err)
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

// newBenchGroup reads a model's file in one profile.
func newBenchGroup(s source, profile string) (benchGroup, error) {
	data, err := s.onnx(cmp.Or(profile, card.Portable))
	if err != nil {
		return benchGroup{}, err
	}
	info, err := export.ReadInfo(data)
	if err != nil {
		return benchGroup{}, err
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		return benchGroup{}, err
	}
	if err := checkFileProfile(profile, c); err != nil {
		return benchGroup{}, err
	}
	return benchGroup{source: s, engine: engineFlags{profile: profile}, card: c,
		env: eval.Environment{Model: s.label, ModelSHA256: hash(data), Machine: describeMachine(), ToolVersion: version()}}, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// add makes a group for each combination of provider, threads and batch.
func (p *benchPlan) add(model benchGroup, lengths []int) error {
	tasks, err := task.LookupList(cmp.Or(p.o.task, model.card.Task))
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if err := cmp.Or(eval.CheckLengths(t, lengths), eval.CheckVocabulary(t, model.card, lengths)); err != nil {
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
				p.fill(&g, tasks, lengths)
			}
		}
	}
	return nil
}

// fill makes the group's cells, unless an equal group has them.
func (p *benchPlan) fill(g *benchGroup, tasks []task.Task, lengths []int) {
	for _, t := range tasks {
		for _, seed := range p.o.seeds {
			cfg := eval.Config{Task: t, N: p.o.n, Batch: g.batch, Seed: uint64(seed), Split: task.Test,
				Warmup: 1, Repeat: p.o.repeat, Environment: g.env, Memory: memoryMeter()}
			for _, length := range lengths {
				g.cells = append(g.cells, &benchCell{group: g, cfg: cfg, len: length})
			}
		}
	}
	g.cells = slices.DeleteFunc(g.cells, func(c *benchCell) bool { return slices.ContainsFunc(p.cells(), c.equals) })
	if len(g.cells) > 0 {
		p.groups = append(p.groups, g)
	}
}

func (c *benchCell) equals(o *benchCell) bool { return c.key() == o.key() }

func (c *benchCell) key() eval.Key { return c.cfg.KeyOf(c.group.card.Profile, c.len) }

func (p *benchPlan) cells() []*benchCell {
	var out []*benchCell
	for _, g := range p.groups {
		out = append(out, g.cells...)
	}
	return out
}

// find gives the cells what was measured before, of several rows the last, and
// returns how many have something.
func (p *benchPlan) find(rows []eval.Row) int {
	found := 0
	for _, c := range p.cells() {
		key := c.key()
		for i := len(rows) - 1; i >= 0 && c.row == nil; i-- {
			if rows[i].Answers(key) {
				c.row = &rows[i]
				found++
			}
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

// work estimates the cost of a cell: generating a token and scoring it both go
// with the length.
func (c *benchCell) work() int64 {
	return int64((max(c.cfg.Repeat, 1) + 1) * c.cfg.N * c.len)
}
