// Package analysis looks into models by the graph that they were trained as: what heads attend to, how far the attention of two models
// is apart, what hidden states tell of positions, what attention logits are made of, and what becomes of the task without
// the position. It reads sequences that hold the right answer, so that no mistake before a token changes what is seen at it.
//
//	m, err := analysis.NewModel("copy-nope", model)
//	p, err := analysis.NewPlan([]*analysis.Model{m}, analysis.Defaults())
//	err = p.Run(ctx, log, progress)
package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/rowlog"
	"github.com/nopezoo/zoo/internal/suggest"
)

// Options say what to look into. Lists multiply out.
type Options struct {
	Lengths []int // of the tasks; none are defaultLengths of each model
	Samples int   // sequences at each length, at least 2
	Seed    uint64
	Tokens  []string // eval.TaskTokens, eval.RandomTokens or both
	Maps    bool     // adds maps of attention weights
	// Probe adds what hidden states tell of positions, fitted on the greatest of the lengths that the
	// model was trained on, or else the least one.
	Probe bool
	// Constructed adds the model of theorem 1 to the probes, on random tokens of its own.
	Constructed bool
	// Logits adds how far logits are content and distance, on random tokens.
	Logits bool
	// Causal adds what becomes of the task without the position that a probe reads, on the task's tokens. It is fitted
	// as Probe is.
	Causal bool
	// Tasks to read; none stands for those that each model was trained on.
	Tasks []task.Task
	// Divergence adds how far the attention of each other model of a task is apart from that of
	// models with this encoding, on TaskTokens: of other encodings with the same training seed, and
	// of this one with others. "" leaves it out.
	Divergence string

	ToolVersion string // recorded in observations
}

// Defaults are options that are ready to use.
func Defaults() Options {
	return Options{Samples: 20, Seed: 1, Tokens: []string{eval.TaskTokens, eval.RandomTokens}}
}

// Plan is all that is to be observed, in a fixed order.
type Plan struct {
	Cells, Done     int   // how many there are, and how many have their observations
	Sequences, Read int64 // that they read in all, as far as lengths have as many, and were read

	cells []cell
}

// cell is a request, and its observations once they are made.
type cell struct {
	request
	observations []eval.Observation // nil until then
}

// sequences is how many of them are read.
func (c cell) work() int64 {
	n := int64(c.samples)
	if c.fitLength > 0 {
		n *= 2
	}
	return n
}

// NewPlan multiplies the options out. What cannot be looked into is an error.
func NewPlan(models []*Model, o Options) (*Plan, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	p := &Plan{}
	for _, m := range models {
		tasks, err := o.tasksOf(m)
		if err != nil {
			return nil, fmt.Errorf("analysis: %s: %w", m.Label, err)
		}
		for _, t := range tasks {
			if err := p.add(m, t, o); err != nil {
				return nil, fmt.Errorf("analysis: %s: task %s: %w", m.Label, t.Name, err)
			}
		}
	}
	if o.Constructed {
		if err := p.construct(); err != nil {
			return nil, fmt.Errorf("analysis: constructed: %w", err)
		}
	}
	if o.Divergence != "" {
		if err := p.pair(o.Divergence); err != nil {
			return nil, fmt.Errorf("analysis: divergence: %w", err)
		}
	}
	p.Cells = len(p.cells)
	for _, c := range p.cells {
		p.Sequences += c.work()
	}
	return p, nil
}

// check begins an error with the name that "zoo analyze" has for what is wrong.
func (o Options) check() error {
	if o.Samples < 2 || o.Samples > eval.MaxSamples {
		return fmt.Errorf("n is %d, expected 2 to %d: position and content are told apart over several sequences", o.Samples, eval.MaxSamples)
	}
	if len(o.Tokens) == 0 {
		return errors.New("tokens is empty; give one or more")
	}
	for _, tokens := range o.Tokens {
		if all := Defaults().Tokens; !slices.Contains(all, tokens) {
			return fmt.Errorf("tokens: %w", suggest.Unknown("kind of tokens", tokens, all))
		}
	}
	return nil
}

func (o Options) tasksOf(m *Model) ([]task.Task, error) {
	if len(o.Tasks) > 0 {
		return o.Tasks, nil
	}
	if m.Card.Task == "" {
		return nil, errors.New("the model names no task; name one")
	}
	return task.LookupList(m.Card.Task)
}

func (p *Plan) add(m *Model, t task.Task, o Options) error {
	lengths := o.Lengths
	if len(lengths) == 0 {
		if lengths = defaultLengths(t, task.Range(m.Card.Trained)); len(lengths) == 0 {
			return errors.New("the model says of no lengths that it was trained on them; name some")
		}
	}
	spans := task.Spans(lengths...)
	if err := cmp.Or(eval.CheckLengths(t, spans), eval.CheckVocabulary(t, m.Card, spans)); err != nil {
		return err
	}
	for _, measure := range o.measures() {
		for _, tokens := range o.tokensOf(measure) {
			for _, length := range lengths {
				r := request{measure: measure, model: m, task: t, length: length, samples: o.Samples, seed: o.Seed,
					tokens: tokens, maps: o.Maps, toolVersion: o.ToolVersion}
				if measure == eval.MeasureProbe || measure == eval.MeasureCausal {
					r.fitLength = fitLength(lengths, m.Card.Trained.Max)
				}
				p.cells = append(p.cells, cell{request: r})
			}
		}
	}
	return nil
}

// measures are those of single models.
func (o Options) measures() []string {
	out := []string{eval.MeasureAttention}
	for _, m := range []struct {
		name  string
		asked bool
	}{{eval.MeasureProbe, o.Probe}, {eval.MeasureLogits, o.Logits}, {eval.MeasureCausal, o.Causal}} {
		if m.asked {
			out = append(out, m.name)
		}
	}
	return out
}

// tokensOf are the kinds of tokens of a measure: some have but one.
func (o Options) tokensOf(measure string) []string {
	switch measure {
	case eval.MeasureLogits:
		return []string{eval.RandomTokens}
	case eval.MeasureCausal:
		return []string{eval.TaskTokens}
	}
	return o.Tokens
}

// construct adds the constructed model to the probes: once for each task and length, beside the first of its models.
func (p *Plan) construct() error {
	type place struct {
		task              string
		length, fitLength int
	}
	seen, made := map[place]bool{}, map[string]*Model{}
	for _, c := range p.cells {
		at := place{c.task.Name, c.length, c.fitLength}
		if c.measure != eval.MeasureProbe || seen[at] {
			continue
		}
		seen[at] = true
		if made[at.task] == nil {
			var err error
			if made[at.task], err = newConstructed(c.model); err != nil {
				return err
			}
		}
		c.model, c.tokens = made[at.task], eval.RandomTokens
		p.cells = append(p.cells, c)
	}
	if len(seen) == 0 {
		return errors.New("the constructed model stands beside others in probes, and none are asked for")
	}
	return nil
}

// pair adds the divergences from models of an encoding.
func (p *Plan) pair(encoding string) error {
	var pairs []cell
	for _, a := range p.cells {
		if a.measure != eval.MeasureAttention || a.model.Card.Name() != encoding || a.tokens != eval.TaskTokens {
			continue
		}
		for _, b := range p.cells {
			same := b.task.Name == a.task.Name && b.length == a.length && b.tokens == a.tokens && b.model != a.model && b.measure == eval.MeasureAttention
			otherSeed := b.model.Card.Name() == encoding && b.model.Card.Seeds().Compare(a.model.Card.Seeds()) > 0 // each pair once
			otherEncoding := b.model.Card.Name() != encoding && b.model.Card.Seeds() == a.model.Card.Seeds()
			if !same || !otherSeed && !otherEncoding {
				continue
			}
			if err := sameShape(a.model, b.model); err != nil {
				return err
			}
			r := a.request
			r.measure, r.other = eval.MeasureDivergence, b.model
			pairs = append(pairs, cell{request: r})
		}
	}
	if len(pairs) == 0 {
		return fmt.Errorf("no model with the encoding %s stands beside another one of its task, of the same training seed "+
			"or of the same encoding; name both, and tokens %s", encoding, eval.TaskTokens)
	}
	p.cells = append(p.cells, pairs...)
	return nil
}

// defaultLengths are half of the greatest trained length, that length, and one and a half times and twice
// as long, as far as the task has them.
func defaultLengths(t task.Task, trained task.Range) []int {
	var out []int
	for _, factor := range []float64{0.5, 1, 1.5, 2} {
		length := int(math.Round(factor * float64(trained.Max)))
		if t.CheckLength(task.At(length)) == nil && !slices.Contains(out, length) {
			out = append(out, length)
		}
	}
	return out
}

// fitLength is the greatest length that a model was trained on, or else the least one.
func fitLength(lengths []int, trained int) int {
	best := slices.Min(lengths)
	for _, length := range lengths {
		if length <= trained {
			best = max(best, length)
		}
	}
	return best
}

// Observations are those that were made so far, in the plan's order.
func (p *Plan) Observations() (all []eval.Observation) {
	for _, c := range p.cells {
		all = append(all, c.observations...)
	}
	return all
}

// take gives a cell its observations.
func (p *Plan) take(c *cell, all []eval.Observation) {
	c.observations = all
	p.Done++
	p.Read += c.work()
}

// Run makes the observations of one cell after the other that has none, and keeps them in the log at once. progress is told of the
// sequences read so far and of what is being read.
func (p *Plan) Run(ctx context.Context, log *rowlog.Log[eval.Observation], progress func(sequences int64, now func() string)) error {
	for i := range p.cells {
		c := &p.cells[i]
		if c.observations != nil {
			continue
		}
		read := p.Read
		all, err := c.observe(ctx, func() {
			read++
			progress(read, c.String)
		})
		if err != nil {
			return err
		}
		for i := range all {
			all[i].Cell, all[i].Together = c.key(), len(all)
		}
		if err := log.Add(all...); err != nil {
			return err
		}
		p.take(c, all)
	}
	return nil
}

func (c cell) String() string {
	what := c.model.Label
	if c.other != nil {
		what += " and " + c.other.Label
	}
	return fmt.Sprintf("%s, length %d, %s tokens", what, c.length, c.tokens)
}
