// Package eval measures how accurate and how fast a model is at every length of
// a task, and turns the records into tables.
//
// It sees a model only through the Model interface: token ids in, token ids and
// log-probabilities out. Of makes one of an open session of package runtime. It
// opens no files and prints nothing; package experiment/bench opens models and measures
// many.
package eval

import (
	"context"
	"errors"
)

// Model is what eval needs of a model. Sequences are in the tokenizer's ids, of
// different lengths, and without padding. Both methods stop early with
// ctx.Err() when ctx ends.
type Model interface {
	// Generate continues each prompt greedily until the stop token or limits[i]
	// new tokens, and returns the new tokens: the stop token is the last of them
	// when it was reached; NoStop ends no row. onStep, when not nil, is called after each step of the
	// batch: first when all prompts have been read and each has its first token,
	// then after every further token. The last token is never read back, so a
	// sequence needs len(prompt)+len(new)−1 positions.
	Generate(ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func()) ([][]int64, error)

	// Score returns the natural log-probability of each token of ids[i][from[i]:]
	// given all tokens before it; from[i] is at least 1. The last token is only
	// predicted, so a sequence needs len(ids[i])−1 positions.
	Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error)
}

// NoStop is given for a stop token when nothing is to end a sequence early.
const NoStop int64 = -1

// ErrTooLong is returned (wrapped) by a Model asked for more positions than it
// declares. Measure records the length as not available; it never clamps.
var ErrTooLong = errors.New("sequence is longer than the model's declared maximum")
