// Package analysis looks into models: what their heads attend to at every length, inside and beyond
// the trained ones (Heads), and how far the attention of two models is apart (Diverge). It
// reads the attention weights that the model's own graph gives, of sequences that hold the
// right answer, so that what is seen at a token does not depend on mistakes before it.
//
//	m, err := analysis.NewModel("copy-nope", model)
//	findings, err := analysis.Heads(ctx, m, request, nil)
package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/suggest"
)

// Request says which sequences to read.
type Request struct {
	Task    task.Task
	Length  int // the task's measure
	Samples int // at least 2: roles by content are told from those by place over several sequences
	Seed    uint64
	Tokens  string // eval.TaskTokens or eval.RandomTokens
	Maps    bool   // adds eval.Attention.Map

	ToolVersion string // recorded in findings
}

// Check reports what is out of range. The error begins with the name that "zoo analyze" has
// for it.
func (r Request) Check() error {
	switch {
	case r.Samples < 2 || r.Samples > eval.MaxSamples:
		return fmt.Errorf("n is %d, expected 2 to %d: position and content are told apart over several sequences",
			r.Samples, eval.MaxSamples)
	case r.Length < 1 || r.Length > task.MaxLength:
		return fmt.Errorf("lengths: length is %d, expected 1 to %d", r.Length, task.MaxLength)
	case r.Tokens != eval.TaskTokens && r.Tokens != eval.RandomTokens:
		return fmt.Errorf("tokens: %w", suggest.Unknown("kind of tokens", r.Tokens, Tokens()))
	}
	return nil
}

// Tokens lists the kinds of sequences.
func Tokens() []string { return []string{eval.TaskTokens, eval.RandomTokens} }

func (r Request) config(label string) eval.Config {
	return eval.Config{Task: r.Task, N: r.Samples, Seed: r.Seed, Split: task.Test,
		Environment: eval.Environment{Model: label, ToolVersion: r.ToolVersion}}
}

// finding begins the findings of a request.
func (r Request) finding(m *Model, measure string) eval.Finding {
	f := eval.NewFinding(m.Card, r.config(m.Label), task.At(r.Length))
	f.Measure, f.Tokens = measure, r.Tokens
	return f
}

// sequences draws what to read. The last token of a prompt is the first query, and the last token
// of all is not read.
func (r Request) sequences(ctx context.Context, m *Model) ([]eval.Sequence, error) {
	return r.sequencesOf(ctx, m, math.MaxInt)
}

// sequencesOf is sequences, of so many kinds of tokens at most where these are random.
func (r Request) sequencesOf(ctx context.Context, m *Model, kinds int) ([]eval.Sequence, error) {
	drawn, err := eval.Sequences(ctx, m.Card, r.config(m.Label), task.At(r.Length))
	if err != nil || r.Tokens == eval.TaskTokens {
		return drawn, err
	}
	return r.random(m, drawn, kinds), nil
}

// random draws sequences of the tokens of others, but for the last of these, as many as there and after the
// same first one; of a model that has tokens of its own, of those. At most so many kinds are drawn from.
func (r Request) random(m *Model, drawn []eval.Sequence, kinds int) []eval.Sequence {
	pool, first := slices.Clone(m.words), m.first
	if pool == nil {
		first = drawn[0].IDs[0]
		for _, s := range drawn {
			pool = append(pool, s.IDs[:len(s.IDs)-1]...)
		}
		slices.Sort(pool)
		pool = slices.Compact(pool)
	}
	rng := rand.New(rand.NewPCG(r.Seed, uint64(r.Length)))
	if len(pool) > kinds {
		pool = slices.DeleteFunc(pool, func(id int64) bool { return id == first })
		rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		pool = pool[:min(kinds, len(pool))]
	}
	out := make([]eval.Sequence, r.Samples)
	for i := range out {
		ids := []int64{first}
		for len(ids) < len(drawn[0].IDs) {
			ids = append(ids, pool[rng.IntN(len(pool))])
		}
		out[i] = eval.Sequence{IDs: ids, Prompt: 2} // the first token can attend to itself alone
	}
	return out
}

// read runs a sequence but for its last token.
func (r Request) read(ctx context.Context, m *Model, s eval.Sequence) (inside, error) {
	return m.read(ctx, s.IDs[:len(s.IDs)-1], readOptions{})
}

// unavailable reports whether an error says that there is nothing at a length.
func unavailable(err error) bool {
	return errors.Is(err, eval.ErrTooLong) || errors.Is(err, task.ErrNoSplit) || errors.Is(err, task.ErrNoLength) ||
		errors.Is(err, ErrTooManyTokens)
}

// Heads returns a finding for each head of a model, by layer. A length that the model
// or the task does not have gives one finding with NA set. onSequence, when not nil, is called
// after each sequence.
func Heads(ctx context.Context, m *Model, r Request, onSequence func()) ([]eval.Finding, error) {
	return r.findings(m, eval.FindAttention, func() ([]eval.Finding, error) { return heads(ctx, m, r, onSequence) })
}

// findings checks the request, and gives what find finds: where there is nothing at the length one finding that
// says so.
func (r Request) findings(m *Model, measure string, find func() ([]eval.Finding, error)) ([]eval.Finding, error) {
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	found, err := find()
	if unavailable(err) {
		f := r.finding(m, measure)
		f.NA, f.Reason = true, err.Error()
		return []eval.Finding{f}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("analysis: model %s: task %s: length %d: %w", m.Label, r.Task.Name, r.Length, err)
	}
	return found, nil
}

func heads(ctx context.Context, m *Model, r Request, onSequence func()) ([]eval.Finding, error) {
	sequences, err := r.sequences(ctx, m)
	if err != nil {
		return nil, err
	}
	return look(ctx, m, r, sequences, onSequence)
}

// look reads sequences, which it sorts.
func look(ctx context.Context, m *Model, r Request, sequences []eval.Sequence, onSequence func()) ([]eval.Finding, error) {
	all := make([]head, len(m.Layers)*m.Heads)
	for i := range all {
		all[i].rng = rand.New(rand.NewPCG(r.Seed, uint64(i)))
	}
	var maps [][][]float64
	correct, longest := 0, 0
	// Sequences with their queries at the same places are one group, and only the groups' sums are
	// kept: they come one after the other.
	slices.SortStableFunc(sequences, compareShapes)
	for sequences := range chunksBy(sequences, compareShapes) {
		tokens := len(sequences[0].IDs) - 1
		longest = max(longest, tokens)
		groups := make([]*group, len(all))
		for i := range groups {
			groups[i] = newGroup(sequences[0].Prompt-1, tokens)
		}
		for _, s := range sequences {
			in, err := r.read(ctx, m, s)
			if err != nil {
				return nil, err
			}
			mistake := -1
			if r.Tokens == eval.TaskTokens {
				if mistake = firstMistake(&in, s); mistake < 0 {
					correct++
				}
			}
			match := newMatches(in.ids)
			for i := range all {
				all[i].add(groups[i], &in, i/m.Heads, i%m.Heads, match, mistake)
				if r.Maps && len(maps) <= i {
					maps = append(maps, shrink(&in, i/m.Heads, i%m.Heads))
				}
			}
			if onSequence != nil {
				onSequence()
			}
		}
		for i := range all {
			all[i].end(groups[i])
		}
	}
	var out []eval.Finding
	for i := range all {
		f := r.finding(m, eval.FindAttention)
		f.N, f.SequenceTokens = len(sequences), longest
		if r.Tokens == eval.TaskTokens {
			f.Correct = &correct
		}
		f.Layer, f.Attention = m.Layers[i/m.Heads], all[i].result()
		f.Attention.Head, f.Attention.Heads = i%m.Heads, m.Heads
		if r.Maps {
			f.Attention.Map = maps[i]
		}
		out = append(out, f)
	}
	return out, nil
}

// firstMistake is the first query with the greatest logit for another token than the right
// one, −1 for none.
func firstMistake(in *inside, s eval.Sequence) int {
	for t := s.Prompt - 1; t < len(in.ids); t++ {
		if in.predicts(t) != s.IDs[t+1] {
			return t
		}
	}
	return -1
}
