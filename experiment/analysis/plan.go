// Package analysis looks into models by the graph of their training: what heads attend to, how far the attention of two models is
// apart, what hidden states tell of positions, what attention logits are made of, and what becomes of answers without the position.
// Sequences hold the right answer, so that no mistake before a token changes what is seen at it.
//
//	m, err := analysis.NewModel("copy-nope", model)
//	p, err := analysis.NewPlan([]*analysis.Model{m}, analysis.Defaults())
//	log, err := p.Resume("observations.jsonl")
//	observations, err := p.Run(ctx, log, progress)
package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/rowlog"
	"github.com/nopezoo/zoo/internal/suggest"
)

// Options say what to look into. Lists multiply out.
type Options struct {
	Lengths []int // of the tasks; none: half of the greatest trained one, that one, and 1.5 and 2 times as long
	Samples int   // sequences at each length, at least 2
	Seed    uint64
	Tokens  []string // eval.TaskTokens, eval.RandomTokens or both
	Maps    bool     // adds maps of attention weights
	// Probe adds probes of positions in hidden states, fitted at the greatest trained length, or else the least length.
	Probe bool
	// Constructed adds the model of theorem 1 to the probes, on random tokens of its own.
	Constructed bool
	// Logits adds fits of attention logits by content and distance, on random tokens.
	Logits bool
	// Causal adds the answers without the position that a probe reads, and with queries and keys that have another place.
	Causal bool
	// Tasks to read; none: each model's own.
	Tasks []task.Task
	// Divergence adds the divergence of attention, on eval.TaskTokens, between models with this encoding and models of the same
	// task: with other encodings and the same training seed, or any where this encoding has no such seed, and with this encoding
	// and other seeds. "" leaves it out.
	Divergence string

	ToolVersion string // recorded in observations
}

// Defaults are options that are ready to use.
func Defaults() Options {
	return Options{Samples: 20, Seed: 1, Tokens: []string{eval.TaskTokens, eval.RandomTokens}}
}

// Plan lists observations to make, in a fixed order.
type Plan struct {
	Cells, Done     int   // all, and the cells that have their observations
	Sequences, Read int64 // of all cells, as far as lengths have as many, and of cells that are done

	cells []cell
}

// cell is a request with its observations.
type cell struct {
	request
	observations []eval.Observation // nil until they are made
}

// work is how many times the cell reads a sequence.
func (c cell) work() int64 {
	n := int64(c.samples)
	switch c.measure {
	case eval.MeasureCausal: // to fit on, the means of places, and to try as they are and after each number of layers
		states := int64(c.model.model.Config().NLayers) + 1
		return (int64(min(mixedLengths, c.fitLength))+1+states*(1+2*controls+7*mostPatched))*n + placeSamples
	case eval.MeasureProbe:
		return (2 + int64(min(mixedLengths, c.fitLength))) * n
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

// check begins an error with the name of a flag of "zoo analyze".
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
	if err := eval.CheckLengths(t, m.Card, spans); err != nil {
		return err
	}
	fit, random, prompts := fitLength(lengths, m.Card.Trained.Max), []string{eval.RandomTokens}, []string{eval.TaskTokens}
	for _, kind := range []struct {
		measure   string
		asked     bool
		tokens    []string
		fitLength int
	}{
		{eval.MeasureAttention, true, o.Tokens, 0}, {eval.MeasureProbe, o.Probe, o.Tokens, fit},
		{eval.MeasureLogits, o.Logits, random, 0}, {eval.MeasureCausal, o.Causal, prompts, fit},
	} {
		if !kind.asked {
			continue
		}
		for _, tokens := range kind.tokens {
			for _, length := range lengths {
				p.cells = append(p.cells, cell{request: request{measure: kind.measure, model: m, task: t, length: length, samples: o.Samples,
					seed: o.Seed, tokens: tokens, maps: o.Maps, fitLength: kind.fitLength, toolVersion: o.ToolVersion}})
			}
		}
	}
	return nil
}

// construct adds probes of the constructed model: once for each task and length, with the settings of its first probe.
func (p *Plan) construct() error {
	type probe struct {
		task              string
		length, fitLength int
	}
	seen, made := map[probe]bool{}, map[string]*Model{}
	for _, c := range p.cells {
		this := probe{c.task.Name, c.length, c.fitLength}
		if c.measure != eval.MeasureProbe || seen[this] {
			continue
		}
		seen[this] = true
		if made[this.task] == nil {
			model, err := newConstructed(c.model)
			if err != nil {
				return err
			}
			made[this.task] = model
		}
		c.model, c.tokens = made[this.task], eval.RandomTokens
		p.cells = append(p.cells, c)
	}
	if len(seen) == 0 {
		return errors.New("the constructed model stands beside others in probes, and none are asked for")
	}
	return nil
}

// seeds are those that a model was trained with.
func seeds(c card.Card) card.Seeds { return card.Seeds{Weights: c.Seed, Data: c.DataSeed} }

// sameSequences says whether two cells are of the same measure on the same sequences.
func sameSequences(a, b cell) bool {
	return a.measure == b.measure && a.task.Name == b.task.Name && a.length == b.length && a.tokens == b.tokens
}

// pair adds the divergences from models with an encoding.
func (p *Plan) pair(encoding string) error {
	var pairs []cell
	for _, a := range p.cells {
		if a.measure != eval.MeasureAttention || a.model.Card.Name() != encoding || a.tokens != eval.TaskTokens {
			continue
		}
		for _, b := range p.cells {
			if !sameSequences(a, b) || b.model == a.model {
				continue
			}
			pairedBySeed := func(c cell) bool {
				return c.model.Card.Name() == encoding && sameSequences(c, b) && seeds(c.model.Card) == seeds(b.model.Card)
			}
			if b.model.Card.Name() == encoding {
				if seeds(b.model.Card).Compare(seeds(a.model.Card)) <= 0 { // each pair once
					continue
				}
			} else if !pairedBySeed(a) && slices.ContainsFunc(p.cells, pairedBySeed) {
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
		return fmt.Errorf("no model with the encoding %s stands beside another one of its task; "+
			"name both, and tokens %s", encoding, eval.TaskTokens)
	}
	p.cells = append(p.cells, pairs...)
	return nil
}

// defaultLengths are Options.Lengths where none are given, as far as the task has them.
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

// fitLength is the greatest trained length, or else the least length.
func fitLength(lengths []int, trained int) int {
	best := slices.Min(lengths)
	for _, length := range lengths {
		if length <= trained {
			best = max(best, length)
		}
	}
	return best
}

// observations lists the observations made so far, in the plan's order.
func (p *Plan) observations() (all []eval.Observation) {
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

// Run makes the observations of the cells that have none, one after the other, and keeps them in the log at once. It returns all that
// there are, in the plan's order, with an error too. progress gets the sequences read so far, and a text for the current ones.
func (p *Plan) Run(
	ctx context.Context, log *rowlog.Log[eval.Observation], progress func(sequences int64, now func() string),
) ([]eval.Observation, error) {
	err := p.run(ctx, log, progress)
	return p.observations(), err
}

func (p *Plan) run(ctx context.Context, log *rowlog.Log[eval.Observation], progress func(sequences int64, now func() string)) error {
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
