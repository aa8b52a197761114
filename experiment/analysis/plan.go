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
)

// Options say what to look into. Lists multiply out.
type Options struct {
	Lengths []int // of the tasks; none are DefaultLengths of each model
	Samples int   // sequences at each length, at least 2
	Seed    uint64
	Tokens  []string // of Tokens
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

	ToolVersion string // recorded in findings
}

// Defaults are options that are ready to use.
func Defaults() Options { return Options{Samples: 20, Seed: 1, Tokens: Tokens()} }

// Plan is all that is to be looked into, in a fixed order.
type Plan struct {
	cells []cell
}

// cell is one call of Heads, or of another function by its measure.
type cell struct {
	measure      string // of eval.FindAttention and its like
	model, other *Model // other for eval.FindDivergence
	request      Request
	fitLength    int // for eval.FindProbe and eval.FindCausal

	findings []eval.Finding // nil until they are made
}

// sequences is how many of them are read.
func (c cell) sequences() int64 {
	n := int64(c.request.Samples)
	if c.fitLength > 0 {
		n *= 2
	}
	return n
}

func (c cell) find(ctx context.Context, onSequence func()) ([]eval.Finding, error) {
	switch c.measure {
	case eval.FindDivergence:
		return Diverge(ctx, c.model, c.other, c.request, onSequence)
	case eval.FindProbe:
		return Probe(ctx, c.model, c.request, c.fitLength, onSequence)
	case eval.FindLogits:
		return Logits(ctx, c.model, c.request, onSequence)
	case eval.FindCausal:
		return Causal(ctx, c.model, c.request, c.fitLength, onSequence)
	}
	return Heads(ctx, c.model, c.request, onSequence)
}

// NewPlan multiplies the options out. What cannot be looked into is an error.
func NewPlan(models []*Model, o Options) (*Plan, error) {
	p := &Plan{}
	if len(o.Tokens) == 0 {
		return nil, errors.New("analysis: tokens is empty; give one or more")
	}
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
	return p, nil
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
		if lengths = DefaultLengths(t, task.Range(m.Card.Trained)); len(lengths) == 0 {
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
				c := cell{measure: measure, model: m, request: Request{Task: t, Length: length, Samples: o.Samples, Seed: o.Seed,
					Tokens: tokens, Maps: o.Maps, ToolVersion: o.ToolVersion}}
				if measure == eval.FindProbe || measure == eval.FindCausal {
					c.fitLength = fitLength(lengths, m.Card.Trained.Max)
				}
				if err := c.request.Check(); err != nil {
					return err
				}
				p.cells = append(p.cells, c)
			}
		}
	}
	return nil
}

// measures are those of single models.
func (o Options) measures() []string {
	out := []string{eval.FindAttention}
	for _, m := range []struct {
		name  string
		asked bool
	}{{eval.FindProbe, o.Probe}, {eval.FindLogits, o.Logits}, {eval.FindCausal, o.Causal}} {
		if m.asked {
			out = append(out, m.name)
		}
	}
	return out
}

// tokensOf are the kinds of tokens of a measure: some have but one.
func (o Options) tokensOf(measure string) []string {
	switch measure {
	case eval.FindLogits:
		return []string{eval.RandomTokens}
	case eval.FindCausal:
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
		at := place{c.request.Task.Name, c.request.Length, c.fitLength}
		if c.measure != eval.FindProbe || seen[at] {
			continue
		}
		seen[at] = true
		if made[at.task] == nil {
			var err error
			if made[at.task], err = NewConstructed(c.model); err != nil {
				return err
			}
		}
		c.model, c.request.Tokens = made[at.task], eval.RandomTokens
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
		if a.measure != eval.FindAttention || a.model.Card.Name() != encoding || a.request.Tokens != eval.TaskTokens {
			continue
		}
		for _, b := range p.cells {
			same := b.request.Task.Name == a.request.Task.Name && b.request.Length == a.request.Length &&
				b.request.Tokens == a.request.Tokens && b.model != a.model && b.measure == eval.FindAttention
			otherSeed := b.model.Card.Name() == encoding && b.model.Card.Seeds().Compare(a.model.Card.Seeds()) > 0 // each pair once
			otherEncoding := b.model.Card.Name() != encoding && b.model.Card.Seeds() == a.model.Card.Seeds()
			if !same || !otherSeed && !otherEncoding {
				continue
			}
			if err := sameShape(a.model, b.model); err != nil {
				return err
			}
			pairs = append(pairs, cell{measure: eval.FindDivergence, model: a.model, other: b.model, request: a.request})
		}
	}
	if len(pairs) == 0 {
		return fmt.Errorf("no model with the encoding %s stands beside another one of its task, of the same training seed "+
			"or of the same encoding; name both, and tokens %s", encoding, eval.TaskTokens)
	}
	p.cells = append(p.cells, pairs...)
	return nil
}

// DefaultLengths are half of the greatest trained length, that length, and one and a half times and twice
// as long, as far as the task has them.
func DefaultLengths(t task.Task, trained task.Range) []int {
	var out []int
	for _, factor := range []float64{0.5, 1, 1.5, 2} {
		length := int(math.Round(factor * float64(trained.Max)))
		if t.CheckLength(length) == nil && !slices.Contains(out, length) {
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

// Work is how many sequences are read in all, as far as lengths have as many, and how many of them were.
func (p *Plan) Work() (done, all int64) {
	for _, c := range p.cells {
		all += c.sequences()
		if c.findings != nil {
			done += c.sequences()
		}
	}
	return done, all
}

// Cells is how many there are, and how many of them are looked into.
func (p *Plan) Cells() (done, all int) {
	for _, c := range p.cells {
		if c.findings != nil {
			done++
		}
	}
	return done, len(p.cells)
}

// Findings are those that were made so far, in the plan's order.
func (p *Plan) Findings() (all []eval.Finding) {
	for _, c := range p.cells {
		all = append(all, c.findings...)
	}
	return all
}

// Run looks into one cell after the other, but for those that are there, and keeps the findings of each in the log at
// once; a nil log keeps them in the plan alone. progress is told of the sequences read so far and of what is being read.
func (p *Plan) Run(ctx context.Context, log *Log, progress func(sequences int64, now func() string)) error {
	if log == nil {
		log = &Log{}
	}
	before, _ := p.Work()
	for i := range p.cells {
		c := &p.cells[i]
		if c.findings != nil {
			continue
		}
		read := before
		found, err := c.find(ctx, func() {
			read++
			progress(read, c.String)
		})
		if err != nil {
			return err
		}
		for i := range found {
			found[i].Cell, found[i].Together = c.key(), len(found)
		}
		if err := log.Add(found...); err != nil {
			return err
		}
		c.findings = found
		before += c.sequences()
	}
	return nil
}

func (c cell) String() string {
	what := c.model.Label
	if c.other != nil {
		what += " and " + c.other.Label
	}
	return fmt.Sprintf("%s, length %d, %s tokens", what, c.request.Length, c.request.Tokens)
}
