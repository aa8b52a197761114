package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Plan is all that is to be measured, in a fixed order.
type Plan struct {
	options Options
	asked   bool // whether lengths are asked for
	machine machine.Machine
	groups  []*group
	keys    map[eval.Key]bool // of all cells
}

// group is the cells that one session measures: memory left over from larger
// batches or other threads would count into theirs.
type group struct {
	model   Model
	profile string // asked for, "" for none
	runtime runtime.Options
	batch   int
	card    card.Card
	load    workload // for speed and estimates
	loadErr error    // why load is not known
	env     eval.Environment
	cells   []*Cell
}

// NewPlan multiplies the options out. It reads and validates every model, but
// runs none. What cannot be measured is an error: a task that a model cannot
// write, lengths that none of a task's are, and what would not fit into memory.
func NewPlan(ctx context.Context, models []Model, o Options) (*Plan, error) {
	err, asked := o.Check(), len(o.Lengths) > 0
	if err == nil {
		o.Lengths, err = o.lengths()
	}
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p := &Plan{options: o, asked: asked, machine: machine.This(), keys: map[eval.Key]bool{}}
	profiles := o.Profiles
	if len(profiles) == 0 {
		profiles = []string{""}
	}
	for _, m := range models {
		for _, profile := range profiles {
			g, err := p.read(m, profile)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.From, err)
			}
			if err := p.add(ctx, g); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Label, err)
			}
		}
	}
	return p, nil
}

// read reads a model's file in one profile, and validates it.
func (p *Plan) read(m Model, profile string) (group, error) {
	g := group{model: m, profile: profile, runtime: p.options.Runtime}
	g.runtime.Beside = m.Beside
	data, err := g.file()
	if err != nil {
		return g, err
	}
	file, err := safety.Check(data, g.runtime.Safety())
	if err != nil {
		return g, err
	}
	var contract card.Contract
	if g.card, contract, err = foreign.Contract(file, m.Beside); err != nil {
		return g, err
	}
	if g.card.Form == card.Answers {
		return g, errors.New("the file gives whole answers, of which neither scores nor single tokens can be measured; " +
			"name the model that it was made from, or the file that zoo export writes without --generate")
	}
	if profile != "" && g.card.Profile != profile {
		return g, fmt.Errorf("profile %s: the file's profile is %s; ask for none, or measure what it was made from",
			profile, g.card.Profile)
	}
	g.env = eval.Environment{Model: m.Label, ModelSHA256: hash(data), ModelBytes: int64(len(data)),
		Machine: p.machine.String(), ToolVersion: p.options.ToolVersion}
	g.load, g.loadErr = newWorkload(data, g.card, contract)
	// The times of a file that another program wrote are measured all the same, without counts of its work.
	if g.loadErr != nil && g.card.Profile != card.Foreign && p.options.measures(eval.MeasureSpeed) {
		return g, g.loadErr
	}
	return g, nil // what ONNX Runtime alone can read can still be measured on a task
}

func (g *group) file() ([]byte, error) { return g.model.ONNX(cmp.Or(g.profile, card.Portable)) }

// open loads the file that was planned with.
func (g *group) open() (*runtime.Session, error) {
	data, err := g.file()
	if err == nil && hash(data) != g.env.ModelSHA256 {
		return nil, fmt.Errorf("%s has changed since it was planned: start again", g.model.From)
	}
	var s *runtime.Session
	if err == nil {
		s, err = runtime.OpenBytes(data, g.runtime)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.model.From, err)
	}
	return s, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// add makes groups for each combination of provider, threads and batch.
func (p *Plan) add(ctx context.Context, model group) error {
	var tasks []task.Task
	var err error
	if p.options.measures(eval.MeasureAccuracy) {
		if tasks, err = p.tasks(model.card); err != nil {
			return err
		}
	}
	for _, provider := range p.options.Providers {
		for _, n := range p.options.Threads {
			for _, batch := range p.options.Batches {
				g := model
				g.runtime = p.options.on(provider)
				g.runtime.Threads, g.batch = n, batch
				g.env.Provider, g.env.Threads, g.env.Spinning = provider, n, provider != "go" && !g.runtime.NoSpinning
				for _, measure := range p.options.Measures {
					add := func() error { return p.addAccuracy(ctx, g, tasks) }
					if measure == eval.MeasureSpeed {
						add = func() error { return p.addSpeed(ctx, g) }
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

// tasks lists the tasks to measure a model on: those asked for, or its own.
func (p *Plan) tasks(c card.Card) ([]task.Task, error) {
	if c.Profile == card.Foreign {
		return nil, errors.New("tasks are written with zoo's own tokenizers, and the file is another program's; " +
			"measure its speed alone: --measure speed")
	}
	tasks := slices.Clone(p.options.Tasks)
	if len(tasks) == 0 {
		var err error
		if tasks, err = task.LookupList(c.Task); err != nil {
			return nil, err
		}
	}
	if p.options.Wants != nil {
		tasks = slices.DeleteFunc(tasks, func(t task.Task) bool { return !p.options.Wants(c, t) })
	}
	lengths := p.options.Lengths
	for _, t := range tasks {
		if t.Corpus != nil {
			continue // of windows the rows say what cannot be
		}
		if err := cmp.Or(eval.CheckLengths(t, lengths), eval.CheckVocabulary(t, c, lengths)); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// addAccuracy makes the group of a model on its tasks. What would not fit is refused.
func (p *Plan) addAccuracy(ctx context.Context, g group, tasks []task.Task) error {
	for _, t := range tasks {
		for _, seed := range p.options.Seeds {
			if t.Corpus != nil {
				if err := p.addText(ctx, &g, t, seed); err != nil {
					return err
				}
				continue
			}
			cfg := eval.Config{Task: t, N: p.options.Samples, Batch: g.batch, Seed: seed, Split: task.Test,
				Warmup: 1, Repeat: max(p.options.Repeat, 1), Environment: g.env, Memory: memoryMeter()}
			longest := 0
			for _, at := range p.options.Lengths {
				cfg := cfg
				cfg.Untimed = p.options.Untimed || at.IsBin()
				na, err := eval.Unavailable(ctx, g.card, cfg, at)
				if err != nil {
					return err
				}
				if na == nil {
					longest = max(longest, t.Longest(at))
				}
				g.cells = append(g.cells, newCell(cfg.KeyOf(g.card, at), at, &Cell{accuracy: cfg, na: na}))
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

// addSpeed makes a group for each length, so that each has a session, and thus
// memory, of its own. What would not fit is refused.
func (p *Plan) addSpeed(ctx context.Context, model group) error {
	for _, at := range p.options.Lengths {
		g, length := model, at.Max
		g.runtime.ChunkSize = g.load.chunk(g.batch)
		cfg := eval.SpeedConfig{
			Batch: g.batch, NewTokens: p.options.NewTokens, Chunk: g.runtime.ChunkSize, Vocab: g.load.vocab,
			Warmup: 1, Repeat: cmp.Or(p.options.Repeat, speedRepeats), Environment: g.env, Memory: memoryMeter(),
		}
		cell := &Cell{speed: &cfg}
		if m := g.card.MaxLength; m > 0 && length+cfg.NewTokens-1 > m {
			row, err := eval.MeasureSpeedAt(ctx, nil, g.card, cfg, length) // asks no model
			if err != nil {
				return err
			}
			cell.na = &row
		} else if err := p.count(&g, &cfg, length); err != nil {
			return err
		}
		g.cells = []*Cell{newCell(cfg.KeyOf(g.card, length), at, cell)}
		p.addGroup(&g)
	}
	return nil
}

// addGroup adds a group's cells, but those that others have.
func (p *Plan) addGroup(g *group) {
	g.cells = slices.DeleteFunc(g.cells, func(c *Cell) bool {
		c.group, c.Model = g, g.model.Label
		twice := p.keys[c.key]
		p.keys[c.key] = true
		return twice
	})
	if len(g.cells) > 0 {
		p.groups = append(p.groups, g)
	}
}

// Cells lists all that is to be measured, in order.
func (p *Plan) Cells() []*Cell {
	var out []*Cell
	for _, g := range p.groups {
		out = append(out, g.cells...)
	}
	return out
}

// Resume gives the cells what was measured before, and returns how many have
// something.
func (p *Plan) Resume(rows []eval.Row) int {
	index, found := eval.NewIndex(rows), 0
	for _, c := range p.Cells() {
		if row := index.Find(c.key); row != nil {
			c.keep(row)
			found++
		}
	}
	return found
}

// Rows returns what is measured by now, in the order of the plan.
func (p *Plan) Rows() []eval.Row {
	out := []eval.Row{}
	for _, c := range p.Cells() {
		if c.row != nil {
			out = append(out, *c.row)
		}
	}
	return out
}

// Work returns how much there is to do in all, and how much of it is done, in
// units that go with the time.
func (p *Plan) Work() (done, total int64) {
	for _, c := range p.Cells() {
		total += c.work()
		if c.Measured {
			done += c.work()
		}
	}
	return done, total
}

// Providers lists those that cells without a row need.
func (p *Plan) Providers() []string {
	var out []string
	for _, g := range p.groups {
		if g.toRun() && !slices.Contains(out, g.runtime.Provider) {
			out = append(out, g.runtime.Provider)
		}
	}
	return out
}

// on is how the runtime is to open files with a provider: that nodes may go to the CPU is
// said for those of the providers that compute elsewhere.
func (o Options) on(provider string) runtime.Options {
	opt := o.Runtime
	opt.Provider = provider
	opt.AllowCPUNodes = opt.AllowCPUNodes && engine.OnDevice(provider)
	return opt
}

// check wants what the cells without a row need of this machine, before anything runs.
func (p *Plan) check() error {
	for _, provider := range p.Providers() {
		if err := runtime.Check(p.options.on(provider)); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	return nil
}

// toRun reports whether a cell needs a session.
func (g *group) toRun() bool {
	return slices.ContainsFunc(g.cells, func(c *Cell) bool { return !c.Measured && c.na == nil })
}
