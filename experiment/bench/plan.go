package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Plan is the cells to measure, in a fixed order.
type Plan struct {
	Cells []*Cell

	options Options
	lengths []task.Span // of tasks and speed: asked for, or the usual ones
	timed   task.Span   // the one length of a task that has times (Options.OneTimed); the zero Span for none
	machine machine.Machine
	groups  []*group
	keys    map[eval.Key]bool // of all cells
}

// NewPlan checks the options. The error begins with the name that zoo bench has for
// the option that is out of range, unknown or missing.
func NewPlan(o Options) (*Plan, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p := &Plan{options: o, lengths: o.Lengths, machine: machine.This(), keys: map[eval.Key]bool{}}
	if len(o.Lengths) > 0 {
		return p, nil
	}
	usual := SpeedLengths
	if slices.Contains(o.Measures, eval.MeasureAccuracy) {
		usual = TaskLengths
	}
	var err error
	p.lengths, err = task.ParseSpans(usual)
	return p, err
}

// Add adds the cells of models. It reads and validates every model, but runs none. A task that a
// model cannot write is an error, and so are lengths that no task has, and cells that would
// not fit into memory.
func (p *Plan) Add(ctx context.Context, models ...Model) error {
	var all []group
	for _, m := range models {
		g, err := p.read(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.From, err)
		}
		all = append(all, g)
	}
	p.timed = p.seenByAll(all)
	for _, g := range all {
		if err := p.add(ctx, g); err != nil {
			return fmt.Errorf("%s: %w", g.model.Label, err)
		}
	}
	return nil
}

// seenByAll is the longest length that no model was trained on less than; of those that were never trained the shortest.
func (p *Plan) seenByAll(models []group) task.Span {
	single := slices.DeleteFunc(task.SortSpans(slices.Clone(p.lengths)), task.Span.IsBin)
	if len(single) == 0 {
		return task.Span{}
	}
	out := single[0]
	for _, length := range single {
		if !slices.ContainsFunc(models, func(g group) bool { return g.card.Trained.Max < length.Max }) {
			out = length
		}
	}
	return out
}

// add makes groups of a model for each combination of provider, threads and batch.
func (p *Plan) add(ctx context.Context, model group) error {
	var tasks []task.Task
	var err error
	if slices.Contains(p.options.Measures, eval.MeasureAccuracy) {
		if tasks, err = p.tasks(model); err != nil {
			return err
		}
	}
	for _, provider := range p.options.Providers {
		for _, threads := range p.options.Threads {
			for _, batch := range p.options.Batches {
				g := model
				g.batch, g.runtime.Provider, g.runtime.Threads = batch, provider, threads
				g.runtime.AllowCPUNodes = g.runtime.AllowCPUNodes && engine.OnDevice(provider)
				if !engine.OnDevice(provider) {
					g.runtime.ProviderOptions = nil // which say what device it is
				}
				g.env.Provider, g.env.Threads = provider, threads
				g.env.Spinning = !g.runtime.NoSpinning
				for _, measure := range p.options.Measures {
					if err := p.measure(ctx, measure, g, tasks); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// measure adds the cells of one measure. Each length of speed is a group, so that it has a
// session, and thus memory, of its own.
func (p *Plan) measure(ctx context.Context, measure string, g group, tasks []task.Task) error {
	if measure == eval.MeasureSpeed {
		for _, span := range p.lengths {
			alone := g
			if err := p.addSpeed(ctx, &alone, span.Max); err != nil {
				return err
			}
			p.keep(&alone)
		}
		return nil
	}
	for _, t := range tasks {
		add := p.addAccuracy
		if t.Corpus != nil {
			add = p.addText
		} else if t.InTokens {
			add = p.addInTokens
		}
		for _, seed := range p.options.Seeds {
			if err := add(ctx, &g, t, seed); err != nil {
				return err
			}
		}
	}
	// cells that are timed run alone, in a session of their own
	alone := g
	alone.cells = slices.DeleteFunc(slices.Clone(g.cells), func(c *Cell) bool { return !c.timed() })
	g.cells = slices.DeleteFunc(g.cells, (*Cell).timed)
	for _, part := range []*group{&g, &alone} {
		for _, c := range part.cells {
			c.group = part
		}
		p.keep(part)
	}
	g.rest, alone.rest = alone.cells, g.cells
	return nil
}

// tasks lists the tasks to measure a model on: asked for, or its own.
func (p *Plan) tasks(g group) ([]task.Task, error) {
	c := g.card
	others := c.Profile == card.Foreign || c.Pretrained != nil
	tasks := slices.Clone(p.options.Tasks)
	var err error
	switch {
	case others && g.words == nil:
		return nil, errNoWords
	case others && len(tasks) == 0 && c.Task == "":
		return nil, errors.New("the model was trained on no task of zoo's; " + forOwnWords())
	case len(tasks) == 0:
		tasks, err = task.LookupList(c.Task)
	}
	if err == nil && others {
		tasks, err = ownWords(tasks)
	}
	if err != nil {
		return nil, err
	}
	tasks = slices.DeleteFunc(tasks, func(t task.Task) bool {
		return g.model.Trained && !task.Related(t.Name, c.Task) || g.model.Kind != "" && !task.Related(t.Name, g.model.Kind)
	})
	for _, t := range tasks {
		if t.Corpus != nil || t.InTokens {
			continue // the rows say what cannot be
		}
		if err := eval.CheckLengths(t, c, p.lengths); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// keep adds a group's cells, without cells that others have.
func (p *Plan) keep(g *group) {
	g.cells = slices.DeleteFunc(g.cells, func(c *Cell) bool {
		twice := p.keys[c.key]
		p.keys[c.key] = true
		return twice
	})
	if len(g.cells) > 0 {
		p.groups, p.Cells = append(p.groups, g), append(p.Cells, g.cells...)
	}
}

// resume gives the cells the rows that were measured before, and returns how many have one.
func (p *Plan) resume(rows []eval.Row) int {
	find, found := eval.Finder(rows), 0
	for _, c := range p.Cells {
		row := find(c.key)
		if a, is := c.measurement.(accuracy); row == nil && is && a.Halve {
			half := c.key
			half.N /= 2
			if row = find(half); row != nil && row.Correct > 0 {
				row = nil // the other half is measured too
			}
		}
		if row != nil {
			c.keep(row)
			found++
		}
	}
	return found
}

// rows returns the rows of the cells measured so far, in the order of the plan.
func (p *Plan) rows() []eval.Row { return rowsOf(p.Cells) }

// rowsOf lists the rows of those cells that have one.
func rowsOf(cells []*Cell) []eval.Row {
	out := []eval.Row{}
	for _, c := range cells {
		if c.row != nil {
			out = append(out, *c.row)
		}
	}
	return out
}

// ready checks that this machine has the providers of the cells without a row.
func (p *Plan) ready(ctx context.Context) error {
	seen := map[string]bool{}
	for _, g := range p.groups {
		if provider := g.runtime.Provider; g.toRun() && !seen[provider] {
			seen[provider] = true
			if p.options.Ready != nil {
				if err := p.options.Ready(ctx, provider); err != nil {
					return err
				}
			}
			if err := runtime.Check(g.runtime); err != nil {
				return fmt.Errorf("bench: %w", err)
			}
		}
	}
	return nil
}
