package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Logits returns, for each row of token ids, the logits float32 [len(row), V] of
// the token that follows each of its tokens. Rows may differ in length; they run
// as one batch. Rows that the model cannot take are ErrInput; one longer than
// MaxLength is ErrTooLong too.
func (s *Session) Logits(ctx context.Context, ids [][]int64) ([]*tensor.Tensor, error) {
	out, err := s.logits(ctx, ids)
	return wrap.Value(out, err, "runtime: logits")
}

func (s *Session) logits(ctx context.Context, ids [][]int64) ([]*tensor.Tensor, error) {
	if err := s.checkRows("sequence", ids); err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	for i, row := range ids {
		if err := s.fits("sequence", i, len(row)); err != nil {
			return nil, engine.Mark(err, ErrInput)
		}
	}
	out := lists.Map(ids, func(row []int64) *tensor.Tensor { return tensor.New(tensor.Float32, len(row), s.contract.Vocab) })
	err := s.visit(ctx, ids, make([]int, len(ids)), nil, func(row, at int, logits []float32) error {
		copy(tensor.Data[float32](out[row])[at*len(logits):], logits)
		return nil
	})
	return out, err
}

// Score returns, for each row of token ids, the natural logarithms of the
// probabilities of its tokens from[i], from[i]+1, …, each given all tokens
// before it. from[i] is at least 1, since nothing predicts the first token. The
// last token of a row needs no position, so rows may have MaxLength + 1 tokens.
// A prefix that is not nil is the beginning of each row, which has been read before (see
// Prefill), and from[i] is no less than its number of tokens.
// Rows and starts out of range are ErrInput; a row that is too long is ErrTooLong
// too.
func (s *Session) Score(ctx context.Context, ids [][]int64, from []int, prefix *Prefix) ([][]float64, error) {
	out, err := s.score(ctx, ids, from, prefix)
	return wrap.Value(out, err, "runtime: score")
}

func (s *Session) score(ctx context.Context, ids [][]int64, from []int, prefix *Prefix) ([][]float64, error) {
	if err := cmp.Or(s.checkScored(ids, from), prefix.check(s, ids), prefix.checkStarts(from)); err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	out := make([][]float64, len(ids))
	var used []int // rows with something to score
	for i, row := range ids {
		out[i] = make([]float64, len(row)-from[i])
		if len(out[i]) > 0 {
			used = append(used, i)
		}
	}
	rows, starts := make([][]int64, len(used)), make([]int, len(used))
	for i, u := range used {
		rows[i], starts[i] = ids[u][:len(ids[u])-1], from[u]-1
	}
	err := s.visit(ctx, rows, starts, prefix, func(row, at int, logits []float32) error {
		u := used[row]
		p, err := logProbability(logits, ids[u][at+1])
		if err != nil {
			return fmt.Errorf("sequence %d, index %d: %w", u, at+1, err)
		}
		out[u][at+1-from[u]] = p
		return nil
	})
	return out, err
}

// checkScored checks what Score is given.
func (s *Session) checkScored(ids [][]int64, from []int) error {
	if len(from) != len(ids) {
		return fmt.Errorf("%d sequences have %d starts, expected one each", len(ids), len(from))
	}
	if err := s.checkRows("sequence", ids); err != nil {
		return err
	}
	for i, row := range ids {
		if from[i] < 1 || from[i] > len(row) {
			return fmt.Errorf("sequence %d is to be scored from index %d, expected 1 to its length %d", i, from[i],
				len(row))
		}
		if err := s.fits("sequence", i, len(row)-1); err != nil {
			return err
		}
	}
	return nil
}

// fits checks a number of positions against the model's limit.
func (s *Session) fits(kind string, row, positions int) error {
	if limit := s.card.MaxLength; limit > 0 && positions > limit {
		remedy := ""
		if s.card.Pretrained.Declares(limit) {
			remedy = ", as it declares; beyond lets a text be longer where the model computes its positions"
		}
		return fmt.Errorf("%s %d: %w: it takes %d positions, the model has %d%s", kind, row, ErrTooLong, positions, limit, remedy)
	}
	return nil
}

// visit runs the rows, which begin with a prefix unless that is nil, and shows the logits [V] at each index from from[row] on;
// see must not keep them.
func (s *Session) visit(ctx context.Context, rows [][]int64, from []int, prefix *Prefix,
	see func(row, at int, logits []float32) error) error {
	if s.looped() {
		return ErrLooped
	}
	for _, group := range s.groups(rows, prefix) {
		err := s.visitGroup(ctx, pick(rows, group), pick(from, group), prefix, func(i, at int, logits []float32) error {
			return see(group[i], at, logits)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) visitGroup(ctx context.Context, rows [][]int64, from []int, prefix *Prefix,
	see func(row, at int, logits []float32) error) error {
	b, err := newBatch(ctx, s, rows, 0, prefix)
	if err != nil {
		return err
	}
	first := b.width // slot of the first logits that anyone needs
	for i, pad := range b.pads {
		first = min(first, pad+from[i])
	}
	keep := func(lo, hi int) int { return min(max(hi-first, 1), hi-lo) }
	err = b.read(keep, func(lo, hi int) error {
		for row, pad := range b.pads {
			for slot := max(lo, pad+from[row]); slot < hi; slot++ {
				if err := see(row, slot-pad, b.last(row, hi-1-slot)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return errors.Join(err, b.close())
}

// logProbability returns the natural logarithm of softmax(logits)[id].
func logProbability(logits []float32, id int64) (float64, error) {
	top, sum, err := softmaxSum(logits)
	if err != nil {
		return 0, err
	}
	return float64(logits[id]) - top - math.Log(sum), nil
}

// softmaxSum returns the greatest logit, and the sum of exp(logit − greatest) over all.
func softmaxSum(logits []float32) (greatest, sum float64, err error) {
	most, err := largest(logits)
	if err != nil {
		return 0, 0, err
	}
	greatest = float64(logits[most])
	for _, v := range logits {
		sum += math.Exp(float64(v) - greatest)
	}
	return greatest, sum, nil
}

// largest returns the index of the largest logit, the lowest one of several.
// NaN and +∞ are errors: the model is broken, or its input beyond its range.
func largest(logits []float32) (int, error) {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
		if v != v || v > math.MaxFloat32 {
			return 0, engine.Mark(fmt.Errorf("the model gave logit %v for token id %d", v, i), ErrLogits)
		}
	}
	if logits[best] < -math.MaxFloat32 {
		return 0, engine.Mark(fmt.Errorf("the model gave logit %v for every token id", logits[best]), ErrLogits)
	}
	return best, nil
}
