package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// Counts says how many answers of one length are right.
type Counts struct {
	Length          int
	N               int // samples; 0 where the model or the split has nothing at this length
	Correct         int // answers that match
	SequenceCorrect int // all tokens of the target, and the end
}

// Count is Sweep for who asks only how many answers are right: it draws the same samples
// and counts the same, and has neither times nor losses. It generates only what scoring the
// targets leaves open, which with a model that is right takes a third of the time
// (BenchmarkCount).
// Of cfg it needs task, lengths, N, batch, seed and split.
func Count(ctx context.Context, m Model, c card.Card, cfg Config) ([]Counts, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if err := cmp.Or(cfg.check(), cfg.checkLengths()); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	tok, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		return nil, err
	}
	s := sweep{model: m, tok: tok, maxLength: c.MaxLength, trained: task.Range(c.Trained), cfg: cfg}
	var out []Counts
	for _, length := range cfg.Lengths {
		score, err := s.count(ctx, length)
		if err != nil && !absent(err) {
			return out, fmt.Errorf("eval: task %s: length %d: %w", cfg.Task.Name, length, err)
		}
		out = append(out, Counts{length, score.N, score.Correct, score.SequenceCorrect})
	}
	return out, nil
}

// count is measure without times; the score has no loss.
func (s *sweep) count(ctx context.Context, length int) (Score, error) {
	examples, _, err := s.examples(ctx, length)
	if err != nil {
		return Score{}, err
	}
	if err := s.checkPositions(examples); err != nil {
		return Score{}, err
	}
	if err := s.answer(ctx, examples); err != nil {
		return Score{}, err
	}
	return s.tally(length, examples), nil
}

// probe is how many samples are scored to learn whether scoring the others pays.
const probe = 8

// answer fills in what the model writes to every example.
func (s *sweep) answer(ctx context.Context, examples []example) error {
	var open []int
	pays := true
	for from, to := 0, min(probe, s.cfg.Batch); from < len(examples); from, to = to, to+s.cfg.Batch {
		to = min(to, len(examples))
		if pays {
			if err := s.score(ctx, examples[from:to]); err != nil {
				return err
			}
		}
		before := len(open)
		for i := from; i < to; i++ {
			if pays && examples[i].foreseen() {
				examples[i].output = examples[i].target
			} else {
				open = append(open, i)
			}
		}
		pays = pays && 2*(len(open)-before) <= to-from
	}
	for from := 0; from < len(open); from += s.cfg.Batch {
		at := open[from:min(from+s.cfg.Batch, len(open))]
		group := make([]example, len(at))
		for i, n := range at {
			group[i] = examples[n]
		}
		if err := s.generate(ctx, group, new(stopwatch)); err != nil {
			return err
		}
		for i, n := range at {
			examples[n] = group[i]
		}
	}
	return nil
}

// certain is a probability that no other token can have too, whatever rounding does
// between reading a text at once, which scores it, and token by token, which writes it.
const certain = 0.51

// foreseen reports whether greedy decoding writes the target: each of its tokens is the
// likeliest after those before it.
func (e *example) foreseen() bool {
	for _, p := range e.logProbs {
		if !(p > math.Log(certain)) {
			return false
		}
	}
	return true
}
