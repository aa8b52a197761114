package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/tokenizer"
)

// Batch is one run of the step graph: B sequences of up to T tokens, padded on
// the right.
type Batch struct {
	IDs       *tensor.Tensor // [B,T] int64
	Positions *tensor.Tensor // [B,T] int64
	Labels    *tensor.Tensor // [B,T] int64: the next token
	Weights   *tensor.Tensor // [B,T] float32: 1/(labels of the whole batch) on target tokens, else 0
	Tokens    int            // real tokens, padding excluded
	Step      int            // the step it belongs to, from 0
	First     int            // number of its first sequence among those of the step
}

// source draws the batches of a run. What a step sees depends on the seed and
// the step's number alone, so a resumed run needs no generator state.
type source struct {
	task    task.Task
	tok     *tokenizer.Tokenizer
	lengths task.Range
	seed    uint64
	batch   int
	micro   int
}

func newSource(c Config) (*source, error) {
	t, lengths, err := c.task()
	if err != nil {
		return nil, err
	}
	tok, err := tokenizer.New(t.Vocabulary())
	if err != nil {
		return nil, err
	}
	micro := c.Train.MicroBatch
	if micro == 0 {
		micro = c.Train.Batch
	}
	return &source{t, tok, lengths, c.Train.Seed, c.Train.Batch, micro}, nil
}

// sequence is one tokenized sample with the end token.
type sequence struct {
	ids   []int64
	start int // index of the first target token
}

// at returns the batches of a step, which together are one update. Sequences are
// sorted by length first, so that each micro-batch holds little padding.
func (s *source) at(step int) ([]Batch, error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(step)))
	all := make([]sequence, s.batch)
	labels := 0
	for i := range all {
		length := s.lengths.Min + rng.IntN(s.lengths.Max-s.lengths.Min+1)
		sample, err := task.SampleSplit(s.task, rng, length, task.Train)
		if err != nil {
			return nil, fmt.Errorf("train: step %d: %w", step, err)
		}
		ids, start, err := s.tok.EncodePair(sample.Prompt, sample.Target)
		if err != nil {
			return nil, fmt.Errorf("train: step %d: %w", step, err)
		}
		all[i] = sequence{append(ids, s.tok.EOS()), start}
		labels += len(all[i].ids) - start
	}
	slices.SortStableFunc(all, func(a, b sequence) int { return len(a.ids) - len(b.ids) })
	var out []Batch
	for part := range slices.Chunk(all, s.micro) {
		b := s.pad(part, labels)
		b.Step, b.First = step, len(out)*s.micro
		out = append(out, b)
	}
	return out, nil
}

// pad lays sequences out as one batch. The last token of a sequence is only ever
// a label.
func (s *source) pad(part []sequence, labels int) Batch {
	width := 0
	for _, q := range part {
		width = max(width, len(q.ids)-1)
	}
	b := Batch{
		IDs:       tensor.New(tensor.Int64, len(part), width),
		Positions: tensor.New(tensor.Int64, len(part), width),
		Labels:    tensor.New(tensor.Int64, len(part), width),
		Weights:   tensor.New(tensor.Float32, len(part), width),
	}
	ids, pos, lab := tensor.Data[int64](b.IDs), tensor.Data[int64](b.Positions), tensor.Data[int64](b.Labels)
	weights := tensor.Data[float32](b.Weights)
	for i, q := range part {
		for t := range width {
			k := i*width + t
			ids[k], lab[k], pos[k] = s.tok.Pad(), s.tok.Pad(), int64(t)
			if t+1 >= len(q.ids) {
				continue
			}
			ids[k], lab[k] = q.ids[t], q.ids[t+1]
			if t+1 >= q.start {
				weights[k] = 1 / float32(labels)
			}
		}
		b.Tokens += len(q.ids) - 1
	}
	return b
}
