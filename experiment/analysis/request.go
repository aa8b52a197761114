package analysis

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/wrap"
)

// request is a measure of a model on sequences of one length. NewPlan has checked its options.
type request struct {
	measure string // eval.MeasureAttention or another
	model   *Model
	other   *Model // of eval.MeasureDivergence
	task    task.Task
	length  int // the task's measure
	samples int // two at least, to tell roles by content from roles by place
	seed    uint64
	tokens  string // eval.TaskTokens or eval.RandomTokens
	maps    bool   // of attention: the weights of one sequence

	fitLength   int // of probes; 0 for measures without
	toolVersion string
}

// measures make the observations of a request, and call onSequence after each sequence.
var measures = map[string]func(r request, ctx context.Context, onSequence func()) ([]eval.Observation, error){
	eval.MeasureAttention: request.heads, eval.MeasureDivergence: request.diverge, eval.MeasureProbe: request.probe,
	eval.MeasureLogits: request.logits, eval.MeasureCausal: request.causal,
}

// absent reports whether an error is of a length that a model or a task does not have.
func absent(err error) bool {
	return slices.ContainsFunc([]error{eval.ErrTooLong, task.ErrNoSplit, task.ErrNoLength, errTooManyTokens},
		func(absence error) bool { return errors.Is(err, absence) })
}

// observe makes the observations of the request; at a length that a model or the task does not have, one with NA set.
func (r request) observe(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	all, err := measures[r.measure](r, ctx, onSequence)
	if absent(err) {
		o := r.observation(0, 0, 0)
		o.NA, o.Reason, o.Values, o.Control = true, err.Error(), nil, nil
		return []eval.Observation{o}, nil
	}
	return wrap.Value(all, err, "analysis: %s: task %s: length %d", r.label(), r.task.Name, r.length)
}

func (r request) label() string {
	if r.other != nil {
		return "models " + r.model.Label + " and " + r.other.Label
	}
	return "model " + r.model.Label
}

// observation is an observation of a layer without numbers, on n sequences of at most so many tokens.
func (r request) observation(layer, n, tokens int) eval.Observation {
	o := eval.NewObservation(r.model.Card, r.config(), task.At(r.length))
	o.Measure, o.Tokens, o.Layer, o.N, o.SequenceTokens = r.measure, r.tokens, layer, n, tokens
	o.Values, o.Control = map[string]float64{}, map[string]float64{}
	if r.other != nil {
		o.With, o.WithEncoding = r.other.Label, r.other.Card.Name()
		o.WithSeed, o.WithDataSeed = r.other.Card.Seed, r.other.Card.DataSeed
	}
	if r.fitLength > 0 {
		o.Values["fit_length"] = float64(r.fitLength)
	}
	return o
}

func (r request) config() eval.Config {
	return eval.Config{Task: r.task, N: r.samples, Seed: r.seed, Split: task.Test,
		Environment: eval.Environment{Model: r.model.Label, ToolVersion: r.toolVersion}}
}

// rng draws random tokens, and controls.
func (r request) rng() *rand.Rand { return rand.New(rand.NewPCG(r.seed, uint64(r.length))) }

// sequences draws sequences. The last token of a prompt is the first query; the last token of all is not read.
func (r request) sequences(ctx context.Context) ([]eval.Sequence, error) {
	return r.sequencesOf(ctx, math.MaxInt)
}

// sequencesOf draws sequences, of so many kinds of tokens at most where these are random.
func (r request) sequencesOf(ctx context.Context, kinds int) ([]eval.Sequence, error) {
	drawn, err := eval.Sequences(ctx, r.model.Card, r.config(), task.At(r.length))
	if err != nil || r.tokens == eval.TaskTokens {
		return drawn, err
	}
	return r.random(drawn, kinds), nil
}

// random draws sequences as long as the first of the given ones, after the same first token, from the tokens that all of these have
// before their last; for a model with words of its own, from its words.
func (r request) random(drawn []eval.Sequence, kinds int) []eval.Sequence {
	pool, first := slices.Clone(r.model.words), r.model.first
	if pool == nil {
		first = drawn[0].IDs[0]
		for _, s := range drawn {
			pool = append(pool, s.IDs[:len(s.IDs)-1]...)
		}
		slices.Sort(pool)
		pool = slices.Compact(pool)
	}
	rng := r.rng()
	if len(pool) > kinds {
		pool = slices.DeleteFunc(pool, func(id int64) bool { return id == first })
		rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		pool = pool[:min(kinds, len(pool))]
	}
	out := make([]eval.Sequence, r.samples)
	for i := range out {
		ids := []int64{first}
		for len(ids) < len(drawn[0].IDs) {
			ids = append(ids, pool[rng.IntN(len(pool))])
		}
		out[i] = eval.Sequence{IDs: ids, Prompt: 2} // the first token can attend to itself alone
	}
	return out
}

// compareShapes orders sequences by their tokens and their prompts' tokens.
func compareShapes(a, b eval.Sequence) int {
	return cmp.Or(len(a.IDs)-len(b.IDs), a.Prompt-b.Prompt)
}

// longest is the length of the longest sequence, in tokens that are read.
func longest(sequences []eval.Sequence) int {
	out := 0
	for _, s := range sequences {
		out = max(out, len(s.IDs)-1)
	}
	return out
}

// read runs a sequence without its last token.
func (r request) read(ctx context.Context, s eval.Sequence, o readOptions) (inside, error) {
	return r.model.read(ctx, s.IDs[:len(s.IDs)-1], o)
}

// readAll runs sequences and keeps their hidden states alone.
func (r request) readAll(ctx context.Context, sequences []eval.Sequence, onSequence func()) ([]inside, error) {
	var out []inside
	for _, s := range sequences {
		in, err := r.read(ctx, s, readOptions{})
		if err != nil {
			return nil, err
		}
		out = append(out, inside{ids: in.ids, hidden: in.hidden})
		onSequence()
	}
	return out, nil
}
