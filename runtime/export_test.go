package runtime

import (
	"context"
	"slices"

	"github.com/nopezoo/zoo/runtime/engine"
)

// Loaded returns what runs a session's model.
func Loaded(s *Session) engine.Model { return s.model }

// Reader runs rows chunk by chunk, and can run a chunk again that failed.
type Reader struct{ b *batch }

func NewReader(ctx context.Context, s *Session, rows [][]int64) (Reader, error) {
	b, err := newBatch(ctx, s, rows, 0, nil)
	return Reader{b}, err
}

// Read runs the next n slots and returns the logits of the last one, for each row.
func (r Reader) Read(n int) ([][]float32, error) {
	if err := r.b.run(n, 1, r.b.token); err != nil {
		return nil, err
	}
	var out [][]float32
	for row := range r.b.pads {
		out = append(out, slices.Clone(r.b.last(row, 0)))
	}
	return out, nil
}

func (r Reader) Close() error { return r.b.close() }
