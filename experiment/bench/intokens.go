package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// once is measured by reading each sequence once: a window of running text, or a sample of a task in tokens.
type once struct {
	task    task.Task
	n       int  // sequences
	most    int  // of them that fit into memory together
	keep    bool // what was read of a prompt (see keeps)
	measure func(context.Context, reader) (eval.Row, error)
}

// reader is what reads sequences, so many at a time. Without a model it tells no more than whether there are any.
type reader struct {
	model    eval.Model
	describe func(*eval.Environment)
	batch    int
	keep     bool // what was read of a prompt until its answer is known
	progress func(done, total int)
}

// addOnce gives a group a cell. What would not fit is refused.
func (p *Plan) addOnce(ctx context.Context, g *group, k eval.Key, x once) (*Cell, error) {
	row, err := x.measure(ctx, reader{describe: func(*eval.Environment) {}, batch: g.batch})
	if err != nil {
		return nil, err
	}
	if !row.NA {
		if x.most, err = p.most(g, k.Length, min(g.batch, x.n)); err != nil {
			return nil, fmt.Errorf("task %s: %w", x.task.Name, err)
		}
		if x.task.Hides != nil {
			if x.keep, err = p.keeps(g, k.Length, x.most); err != nil {
				return nil, fmt.Errorf("task %s: %w", x.task.Name, err)
			}
		}
	}
	return g.addCell(k, task.At(k.Length), x, row), nil
}

func (x once) batch(most int) int { return min(most, x.most) }

func (x once) tokens(c *Cell) float64 { return float64(x.n) * float64(c.Length) }

// seconds counts reading alone, as where all answers are certain.
func (x once) seconds(c *Cell, p *pace) (float64, error) {
	read, err := p.reading(c.Length)
	return float64((x.n+p.batch-1)/p.batch) * read, err
}

func (x once) run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error) {
	row, err := x.measure(ctx, reader{eval.Of(s.Session), s.describe, x.most, x.keep, progress})
	row.Batch = c.Batch // as was asked for
	return row, err
}

// addInTokens gives a group the cells of a task in tokens, at each depth where it hides something at one.
func (p *Plan) addInTokens(ctx context.Context, g *group, t task.Task, seed uint64) error {
	lengths, err := p.inTokens()
	if err != nil {
		return err
	}
	depths := []*int{nil}
	if t.Hides != nil && !t.Hides.Spread {
		depths = nil
		for _, d := range p.options.Depths {
			depths = append(depths, &d)
		}
	}
	cfg := eval.Config{Task: t, N: (p.options.Samples + len(depths) - 1) / len(depths), Batch: g.batch, Seed: seed, Split: task.Test,
		Untimed: true, Words: g.words, Vocab: g.load.vocab, Environment: g.env}
	for _, n := range lengths {
		for _, cfg.Depth = range depths {
			cfg := cfg
			c, err := p.addOnce(ctx, g, eval.KeyOf(g.card, cfg, task.At(n)), once{t, cfg.N, g.batch, false, func(ctx context.Context, on reader) (eval.Row, error) {
				cfg := cfg
				cfg.Batch, cfg.Keep, cfg.OnBatch = on.batch, on.keep, on.progress
				on.describe(&cfg.Environment)
				return eval.Measure(ctx, on.model, g.card, cfg, task.At(n))
			}})
			if err != nil {
				return err
			}
			c.Depth = cfg.Depth
		}
	}
	return nil
}

// inTokens are the lengths in tokens of a model: those asked for, or the usual ones.
func (p *Plan) inTokens() ([]int, error) {
	lengths := p.options.Lengths
	if len(lengths) == 0 {
		var err error
		if lengths, err = task.ParseSpans(TextLengths); err != nil {
			return nil, err
		}
	}
	tokens := make([]int, len(lengths))
	for i, span := range lengths {
		if tokens[i] = span.Max; span.IsBin() {
			return nil, fmt.Errorf("lengths: %s is a bin, and texts are cut to one length in tokens: give %d", span, span.Max)
		}
	}
	return tokens, nil
}

// most is how many sequences of a length, at most batch, fit into memory together where each is read once. Their
// results do not depend on it. Where not even one fits, that is an error.
func (p *Plan) most(g *group, length, batch int) (int, error) {
	free := p.free(g)
	if free == 0 {
		return batch, nil
	}
	bytes := need(func(length, batch int) (int64, error) { return g.load.scoringMemory(batch, length, 0) })
	most := largest(batch, free, func(n int) (int64, error) { return bytes(length, n) })
	if most == 0 {
		return 0, bytes.checkFits(length, 1, free, "about")
	}
	size, err := bytes(length, most)
	g.need = max(g.need, size)
	return most, err
}

// leastKept is how many tokens a prompt has at least that is read by itself and kept: shorter ones are read faster together.
const leastKept = 1024

// keeps reports whether what was read of a prompt is worth keeping until its answer is known, and fits into memory beside what
// reads it. Of a model of one token a run batches are worth more, unless only one sequence fits into them.
func (p *Plan) keeps(g *group, length, batch int) (bool, error) {
	free := p.free(g)
	if free == 0 || len(g.load.states) == 0 || batch > 1 && (length < leastKept || g.load.oneStep) {
		return false, nil
	}
	bytes, err := g.load.scoringMemory(1, length, 0)
	kept, _ := g.load.state(1, length)
	bytes += int64(kept)
	if bytes > free {
		return false, err
	}
	g.need = max(g.need, bytes)
	return true, err
}

// ownWords returns the tasks that a model with a tokenizer of its own is measured on: those that have lengths in tokens with these,
// and running text. Others are refused.
func ownWords(tasks []task.Task) ([]task.Task, error) {
	var out []task.Task
	for _, t := range tasks {
		if !t.InTokens && (t.Hides != nil || t.Tokens != nil) {
			var err error
			if t, err = t.WithTokens(0); err != nil {
				return nil, err
			}
		}
		if !t.InTokens && t.Corpus == nil {
			return nil, fmt.Errorf("task %s is written with zoo's own tokenizers, and the model has another; %s", t.Name, forOwnWords())
		}
		out = append(out, t)
	}
	return out, nil
}

// forOwnWords says what a model with a tokenizer of its own can be measured on.
func forOwnWords() string {
	var names []string
	for _, t := range task.All() {
		if t.Hides != nil || t.Tokens != nil {
			names = append(names, t.Name)
		}
	}
	return fmt.Sprintf("measure it on running text, such as --task text:brown, on %s, or its speed: --measure speed", strings.Join(names, ", "))
}

var errNoWords = errors.New("tasks need a tokenizer, and none stands beside the model's file; measure its speed alone: --measure speed")
