package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// inTokens is measured on a task whose lengths are tokens of the model.
type inTokens struct {
	eval.Config
	most int // sequences that fit into memory together
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
			row, err := eval.Measure(ctx, nil, g.card, cfg, task.At(n))
			if err != nil {
				return err
			}
			unavailable, most := &row, g.batch
			if !row.NA {
				unavailable = nil
				if most, err = p.most(g, n, min(g.batch, cfg.N)); err != nil {
					return fmt.Errorf("task %s: %w", t.Name, err)
				}
			}
			g.addCell(eval.KeyOf(g.card, cfg, task.At(n)), task.At(n), inTokens{cfg, most}, unavailable).Depth = cfg.Depth
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

func (x inTokens) batch(most int) int { return min(most, x.most) }

func (x inTokens) tokens(c *Cell) float64 { return float64(x.N) * float64(c.Length) }

// seconds counts reading once, as where all answers are certain.
func (x inTokens) seconds(c *Cell, p *pace) (float64, error) {
	read, err := p.reading(c.Length)
	return float64((x.N+p.batch-1)/p.batch) * read, err
}

func (x inTokens) run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error) {
	s.describe(&x.Environment)
	x.OnBatch = func(_ task.Span, done, total int) { progress(done, total) }
	asked := x.Batch
	x.Batch = x.most
	row, err := eval.Measure(ctx, eval.Of(s.Session), c.group.card, x.Config, c.span)
	row.Batch = asked
	return row, err
}
