package eval

import (
	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// Key is what makes a measurement the one that it is. Two rows with the same key
// repeat each other, but for the times.
type Key struct {
	Schema           int // of a row with samples; 0 for speed alone
	Measure          string
	ModelSHA256      string // the file's, so of one profile
	Profile          string
	Provider         string
	Threads          int
	Machine          string
	Batch            int
	Task             string
	TaskVersion      int
	Split            string
	Seed             uint64
	Length           int
	LengthMin        int // of a bin; 0 for a single length
	LongestWindow    int // of running text
	N                int // samples asked for
	Warmup, Repeats  int
	Chunk, NewTokens int // of a measurement of speed; 0 else
}

// Key returns the row's key. A row without measurements stands for any number of
// samples and repeats, and has zeros for them.
func (r *Row) Key() Key {
	k := Key{
		Measure: r.measure(), ModelSHA256: r.ModelSHA256, Profile: r.Profile, Provider: r.Provider,
		Threads: r.Threads, Machine: r.Machine, Batch: r.Batch, Task: r.Task,
		TaskVersion: r.TaskVersion, Split: r.Split, Seed: r.Seed, Length: r.Length,
		LengthMin: r.LengthMin, LongestWindow: r.LongestWindow,
	}
	if k.Measure == MeasureAccuracy {
		k.Schema = r.Schema
	}
	if r.Scored() {
		k.N = r.Asked
	}
	if r.Text != nil {
		k.N = r.Text.Asked
	}
	if r.Timed() {
		k.Warmup, k.Repeats = r.Warmup, max(r.Repeats, 1)
	}
	if r.Timed() && k.Measure == MeasureSpeed {
		k.Chunk, k.NewTokens = r.Chunk, r.NewTokens
	}
	return k
}

// Index finds rows by what they measured.
type Index map[Key]*Row

// NewIndex indexes rows; of several with one key the last counts.
func NewIndex(rows []Row) Index {
	index := Index{}
	for i := range rows {
		index[rows[i].Key()] = &rows[i]
	}
	return index
}

// Find returns the row that measuring k would give again, but for the times; nil
// for none.
func (x Index) Find(k Key) *Row {
	if r := x[k]; r != nil {
		return r
	}
	k.N, k.Warmup, k.Repeats, k.Chunk, k.NewTokens = 0, 0, 0, 0, 0
	return x[k] // without measurements
}

// KeyOf returns the key of the row that MeasureLength would give.
func (cfg *Config) KeyOf(c card.Card, at task.Span) Key {
	r := newRow(c, *cfg, at)
	r.Untimed = cfg.Untimed || at.IsBin()
	r.N, r.Asked, r.Warmup, r.Repeats = cfg.N, cfg.N, cfg.Warmup, cfg.Repeat
	return r.Key()
}
