package train

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train/runfile"
)

// batch is one run of the step graph: B sequences of up to T tokens, padded on
// the right.
type batch struct {
	IDs       *tensor.Tensor // [B,T] int64
	Positions *tensor.Tensor // [B,T] int64
	Labels    *tensor.Tensor // [B,T] int64: the next token
	Weights   *tensor.Tensor // [B,T] float32: 1/(labels of the whole batch) on target tokens, else 0
	Tokens    int            // real tokens, padding excluded
	Step      int            // the step it belongs to, from 0
	First     int            // number of its first sequence among the step's
}

// source draws the batches of a run. What a step sees depends on the
// configuration and the step's number alone, so a resumed run needs no state. It
// serves one step at a time.
type source struct {
	tasks    []task.Task
	lengths  [][]int         // by task: those it trains on
	listed   [][]task.Sample // by task: the examples of its fixed set where that is a list
	tok      *tokenizer.Tokenizer
	seed     uint64
	batch    int
	pool     int // steps whose sequences are sorted together
	budget   int // tokens in a run of the step graph, 0 for no bound
	lanes    int // a step has a multiple of this many runs
	examples int // size of the fixed set, 0 for none
	grid     int // batches are padded to a multiple of this many tokens

	positions positions
	text      *text // nil for a run on samples

	epoch int // of order
	order []int

	first int       // step of ready
	ready [][]batch // by step of the pool
}

func newSource(c runfile.Config) (*source, error) {
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	if err := checkExamples(d, c.Train.Examples); err != nil {
		return nil, err
	}
	var tok *tokenizer.Tokenizer
	var from *runfile.Start
	if c.From != nil && c.From.Pretrained != nil {
		from = c.From
	} else if tok, err = tokenizer.New(d.Pieces); err != nil {
		return nil, err
	}
	r := c.Train
	s := &source{tasks: d.Tasks, tok: tok, seed: d.Seed, batch: r.Batch,
		pool: max(r.PoolSteps, 1), budget: r.MicroTokens, lanes: lanes(r), examples: r.Examples, grid: 1,
		positions: positions{kind: r.Positions, below: r.MaxPosition, seed: d.Seed}}
	a, err := models.ArchitectureOf(c.Model)
	if err != nil {
		return nil, err
	}
	if a.Unrolled {
		s.grid = runfile.UnrolledBucket
	}
	if d.Text {
		s.text = &text{corpora: d.Tasks, length: d.Lengths[0].Max, seed: d.Seed, tok: tok, vocab: c.Model.VocabSize, from: from}
	}
	for i, t := range d.Tasks {
		s.lengths = append(s.lengths, t.LengthsIn(d.Lengths[i]))
		s.listed = append(s.listed, nil)
		if r.Examples > 0 {
			s.listed[i] = listed(d, i)
		}
	}
	return s, nil
}

// draw makes a new example: each task of a mixture is as frequent as the others.
func (s *source) draw(rng *rand.Rand) (task.Sample, error) {
	i := 0
	if len(s.tasks) > 1 {
		i = rng.IntN(len(s.tasks))
	}
	return s.tasks[i].Sample(rng, drawLength(rng, s.tasks[i], s.lengths[i]), task.Train)
}

// drawLength draws one of lengths, each as often as its Weight says.
func drawLength(rng *rand.Rand, t task.Task, lengths []int) int {
	if t.Weight == nil {
		return lengths[rng.IntN(len(lengths))]
	}
	var sum float64
	for _, n := range lengths {
		sum += t.Weight(n)
	}
	left := rng.Float64() * sum
	for _, n := range lengths {
		if left -= t.Weight(n); left < 0 {
			return n
		}
	}
	return lengths[len(lengths)-1] // rounding
}

// fixedSeed is the seed of fixed training sets (the paper's). It is not the run's:
// runs that differ in their seeds train on the same examples, in another order.
const fixedSeed = 9842497

// fixed makes example i of the fixed set. Tasks, and lengths except unequal
// weight, are spread evenly over it. Of a task that lists its prompts it takes each
// once.
func (s *source) fixed(i int) (task.Sample, error) {
	rng := rand.New(rand.NewPCG(fixedSeed, uint64(i)))
	k := i % len(s.tasks)
	t, lengths := s.tasks[k], s.lengths[k]
	if list := s.listed[k]; list != nil {
		return list[i/len(s.tasks)], nil
	}
	length := lengths[i/len(s.tasks)%len(lengths)]
	if t.Weight != nil {
		length = drawLength(rng, t, lengths)
	}
	return t.Sample(rng, length, task.Train)
}

// place returns which example of the fixed set comes n-th in a run: every epoch
// is a permutation of its own.
func (s *source) place(n int) int {
	epoch := n / s.examples
	if s.order == nil || s.epoch != epoch {
		s.epoch = epoch
		s.order = rand.New(rand.NewPCG(s.seed, ^uint64(epoch))).Perm(s.examples)
	}
	return s.order[n%s.examples]
}

// sequence is one tokenized sample with the end token.
type sequence struct {
	ids   []int64
	start int // index of the first target token
}

// at returns the batches of a step, which together are one update.
func (s *source) at(step int) ([]batch, error) {
	if first := step - step%s.pool; s.ready == nil || s.first != first {
		ready, err := s.fill(first)
		if err != nil {
			return nil, err
		}
		s.first, s.ready = first, ready
	}
	return s.ready[step-s.first], nil
}

// sequences draws the sequences of a step.
func (s *source) sequences(step int) ([]sequence, error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(step)))
	all := make([]sequence, s.batch)
	for i := range all {
		if s.text != nil {
			var err error
			if all[i], err = s.text.window(step*s.batch + i); err != nil {
				return nil, err
			}
			continue
		}
		var sample task.Sample
		var err error
		if s.examples > 0 {
			sample, err = s.fixed(s.place(step*s.batch + i))
		} else {
			sample, err = s.draw(rng)
		}
		if err != nil {
			return nil, fmt.Errorf("train: step %d: %w", step, err)
		}
		ids, start, err := s.tok.EncodePair(sample.Prompt, sample.Target)
		if err != nil {
			return nil, fmt.Errorf("train: step %d: %w", step, err)
		}
		all[i] = sequence{append(ids, tokenizer.EOS), start}
	}
	return all, nil
}

// width is the number of tokens that a sequence takes in a batch of its kind. Its
// last token is only ever a label.
func (s *source) width(q sequence) int {
	n := len(q.ids) - 1
	unit := s.grid
	if unit > 1 { // for longer sequences an eighth of the next power of two
		unit = max(unit, 1<<bits.Len(uint(n-1))/8)
	}
	return (n + unit - 1) / unit * unit
}

// pad lays sequences out as one batch.
func (s *source) pad(part []sequence, labels int) batch {
	width := 0
	for _, q := range part {
		width = max(width, s.width(q))
	}
	b := batch{
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
			ids[k], lab[k], pos[k] = tokenizer.Pad, tokenizer.Pad, int64(t)
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
