package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
		LengthMin: r.LengthMin,
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

// lineStart is how every line begins that WriteJSONL wrote.
const lineStart = `{"schema":`

// ReadPartialJSONL is ReadJSONL for a file whose writer may have been stopped in
// the middle of a line: a last line that breaks off is left out. whole is the
// length in bytes of what is complete, to which the file is to be cut before
// more is appended. A last line that only lacks its end is complete; closed
// tells whether it has one. What does not look like the start of a row is an
// error, as in ReadJSONL.
func ReadPartialJSONL(r io.Reader) (rows []Row, whole int64, closed bool, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, false, fmt.Errorf("eval: results: %w", err)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	last := data[end:]
	rows, err = ReadJSONL(bytes.NewReader(data[:end]))
	if err != nil || len(bytes.TrimSpace(last)) == 0 {
		return rows, int64(len(data)), end == len(data), err
	}
	tail, broken := ReadJSONL(bytes.NewReader(last))
	switch {
	case broken == nil:
		return append(rows, tail...), int64(len(data)), false, nil
	case tornRow(last):
		return rows, int64(end), true, nil
	}
	return rows, int64(end), true, fmt.Errorf("eval: the last line of the results is no row: %w", broken)
}

// tornRow reports whether line is a row that breaks off.
func tornRow(line []byte) bool {
	n := min(len(line), len(lineStart))
	var v json.RawMessage
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&v)
	return string(line[:n]) == lineStart[:n] && errors.Is(err, io.ErrUnexpectedEOF)
}
