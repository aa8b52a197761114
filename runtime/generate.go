package runtime

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/nopezoo/zoo/runtime/engine"
)

// GenerateOptions say how to continue prompts. The zero value chooses greedily
// and stops at the end token, after DefaultMaxNew tokens at the latest.
type GenerateOptions struct {
	Sampling

	// MaxNew is the most tokens to add to a prompt. 0 takes DefaultMaxNew, or
	// less where the model's MaxLength is reached before.
	MaxNew int

	// Limits are the most tokens to add to each prompt, in place of MaxNew.
	Limits []int

	// PerRow says how the tokens of each prompt are chosen, in place of Sampling. A row's
	// random numbers are then the same as if its prompt were alone, at any index: rows
	// with one prompt and one seed are equal.
	PerRow []Sampling

	// Stop lists the token ids that end a row. nil stands for those that the tokenizer, or what
	// is in the folder of a file of another program, says end a text; an empty list lets nothing stop a
	// row but its limit.
	Stop []int64

	// StopStrings end a row whose text has one of them, however it is cut into tokens: at the
	// token that completes it. They need a model with a tokenizer; at most 100 of 1000 bytes.
	StopStrings []string

	// Prefix is the beginning of each prompt, which has been read before, so that only the
	// rest is read: see Session.Prefill. Prompts are given whole, and may be the prefix itself:
	// several completions of one prompt then read it once. Prompts of different lengths run one group
	// after the other. Each row gets a copy of the prefix's states, which a Batcher counts; the
	// prefix's own are bounded by Options.PrefixBytes.
	Prefix *Prefix

	// LogProbs has steps tell the log-probability of each new token, and TopLogProbs the log-probabilities
	// of so many of the most probable tokens too, at most 1000. Both read all logits once more at each token.
	LogProbs    bool
	TopLogProbs int

	spaced []bool // where texts are wanted: which prompts end with a space that is left to the completion
}

// Check reports what is out of range for all models and prompts, and settings that do not go together.
func (o GenerateOptions) Check() error {
	if o.PerRow == nil {
		return cmp.Or(o.Sampling.check(), o.checkLogProbs(), checkStopStrings(o.StopStrings))
	}
	for i, s := range o.PerRow {
		if err := s.check(); err != nil {
			return fmt.Errorf("prompt %d: %w", i, err)
		}
	}
	return cmp.Or(o.checkLogProbs(), checkStopStrings(o.StopStrings))
}

// DefaultMaxNew is how many tokens Generate adds at most when not told.
const DefaultMaxNew = 256

// Generate continues prompts of any lengths as one batch. It yields a step after
// each token and ends when every row has met a stop token or its limit, or with
// an error as the last element: ctx's when ctx ends, and before anything is
// computed ErrInput when prompts or options are out of range; where a prompt and its
// new tokens need more positions than the model has (the last token needs none) it
// is ErrTooLong too. Ranging again starts anew, and breaking off is fine.
//
// A looped file (card.Looped) runs once, and the steps follow; of what
// opt says it heeds the limits, and the rest must be its zero value, else it is ErrInput and
// ErrLooped.
//
// Rows do not influence each other but through the rounding of float32 sums,
// which depends on the shape of the batch.
func (s *Session) Generate(ctx context.Context, prompts [][]int64, opt GenerateOptions) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		g, err := s.newGeneration(prompts, opt)
		if err != nil {
			yield(Step{}, fmt.Errorf("runtime: generate: %w", engine.Mark(err, ErrInput)))
			return
		}
		defer g.close()
		for len(g.groups) > 0 {
			step, err := g.next(ctx)
			if err != nil {
				yield(Step{}, fmt.Errorf("runtime: generate: %w", err))
				return
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

func (s *Session) stops(opt GenerateOptions) []int64 {
	if opt.Stop == nil {
		return s.ends
	}
	return opt.Stop
}

// generation is one pass over a Generate iterator.
type generation struct {
	s      *Session
	rows   []*row
	groups []*group // with rows that have not ended
	step   Step

	completions [][]int64 // what is left of them, in a file of the form card.Looped
}

func (s *Session) newGeneration(prompts [][]int64, opt GenerateOptions) (*generation, error) {
	rows, err := s.newRows(prompts, opt)
	if err != nil {
		return nil, err
	}
	g := &generation{s: s, rows: rows, step: newStep(len(rows), opt)}
	if s.looped() {
		if err := g.checkLooped(opt); err != nil {
			return nil, err
		}
	}
	for _, indices := range s.groups(prompts, opt.Prefix) {
		g.groups = append(g.groups, &group{rows: pick(g.rows, indices)})
	}
	return g, nil
}

// newRows returns the rows that continue prompts, or what is wrong with them.
func (s *Session) newRows(prompts [][]int64, opt GenerateOptions) ([]*row, error) {
	if err := cmp.Or(s.checkRows("prompt", prompts), opt.Check(), s.checkBias(len(prompts), opt)); err != nil {
		return nil, err
	}
	stops := s.stops(opt)
	for _, id := range stops {
		if id < 0 || id >= int64(s.contract.Vocab) {
			return nil, fmt.Errorf("stop token id is %d, the vocabulary has ids 0 to %d", id, s.contract.Vocab-1)
		}
	}
	if err := opt.Prefix.check(s, prompts); err != nil {
		return nil, err
	}
	limits, err := s.limits(prompts, opt)
	if err != nil {
		return nil, err
	}
	rows := make([]*row, len(prompts))
	for i, p := range prompts {
		sampling, stream := opt.Sampling, i
		if opt.PerRow != nil {
			sampling, stream = opt.PerRow[i], 0
		}
		rows[i] = &row{prompt: p, sampler: newSampler(sampling, stream, p), newToken: newToken{index: i}, stops: stops, left: limits[i],
			logProbs: opt.LogProbs, top: opt.TopLogProbs, prefix: opt.Prefix, unread: len(p) - opt.Prefix.read()}
		if rows[i].text, err = s.newText(i, p, opt); err != nil {
			return nil, fmt.Errorf("prompt %d: %w", i, err)
		}
	}
	return rows, nil
}

// newText returns the maker of the text that continues a prompt, nil where nothing asks for it.
func (s *Session) newText(i int, prompt []int64, opt GenerateOptions) (*completionText, error) {
	if opt.spaced == nil && len(opt.StopStrings) == 0 {
		return nil, nil
	}
	if s.words == nil {
		return nil, fmt.Errorf("stop strings: %w", s.withoutWords())
	}
	j, err := newJoiner(s.words.Decode, prompt)
	if err != nil {
		return nil, err
	}
	return &completionText{joiner: j, stopper: stopper{stops: opt.StopStrings}, spaced: opt.spaced != nil && opt.spaced[i]}, nil
}

// checkBias checks the samplings of so many prompts against the vocabulary.
func (s *Session) checkBias(prompts int, opt GenerateOptions) error {
	if opt.PerRow == nil {
		return opt.checkBias(s.contract.Vocab)
	}
	if len(opt.PerRow) != prompts {
		return fmt.Errorf("%d prompts have %d samplings in PerRow, expected one each", prompts, len(opt.PerRow))
	}
	for i, o := range opt.PerRow {
		if err := o.checkBias(s.contract.Vocab); err != nil {
			return fmt.Errorf("prompt %d: %w", i, err)
		}
	}
	return nil
}

// limits returns how many tokens each prompt may get.
func (s *Session) limits(prompts [][]int64, opt GenerateOptions) ([]int, error) {
	if opt.Limits != nil && len(opt.Limits) != len(prompts) {
		return nil, fmt.Errorf("%d prompts have %d limits, expected one each", len(prompts), len(opt.Limits))
	}
	if opt.MaxNew < 0 || opt.MaxNew > math.MaxInt32 {
		return nil, fmt.Errorf("the most new tokens is %d, expected 0 (default) to %d", opt.MaxNew, math.MaxInt32)
	}
	out := make([]int, len(prompts))
	for i, p := range prompts {
		n := opt.MaxNew
		if opt.Limits != nil {
			if n = opt.Limits[i]; n < 1 || n > math.MaxInt32 {
				return nil, fmt.Errorf("the limit of prompt %d is %d, expected 1 to %d", i, n, math.MaxInt32)
			}
		}
		if n == 0 {
			n = DefaultMaxNew
			if m := s.card.MaxLength; m > 0 {
				n = max(min(n, m-len(p)+1), 1)
			}
		}
		if err := s.fits("prompt", i, len(p)+n-1); err != nil {
			return nil, fmt.Errorf("%w (prompt of %d tokens, %d new ones)", err, len(p), n)
		}
		out[i] = n
	}
	return out, nil
}

// next runs every group once.
func (g *generation) next(ctx context.Context) (Step, error) {
	if g.s.looped() {
		return g.nextLooped(ctx)
	}
	g.step.clear()
	for _, group := range g.groups {
		if err := g.advance(ctx, group); err != nil {
			return Step{}, err
		}
	}
	g.groups = slices.DeleteFunc(g.groups, func(group *group) bool { return len(group.rows) == 0 })
	return g.step, nil
}

// advance runs the prompts of a group, or the tokens chosen last, and chooses the next ones.
func (g *generation) advance(ctx context.Context, group *group) error {
	read := group.step
	if group.batch == nil {
		more := 0
		for _, r := range group.rows {
			more = max(more, r.left-1)
		}
		if err := group.open(ctx, g.s, group.prompts(), more); err != nil {
			return err
		}
		read = func() error { return group.read(func(int, int) int { return 1 }, nil) }
	}
	if err := read(); err != nil {
		return err
	}
	group.haveRead()
	if err := group.choose(func(r *row) { g.step.add(r.newToken) }); err != nil {
		return err
	}
	if group.allDone() {
		return group.close()
	}
	return group.drop(false)
}

// close frees what a generation that was broken off still holds. Its caller is
// leaving and has no use for a failure, which costs at most some memory.
func (g *generation) close() {
	for _, group := range g.groups {
		_ = group.close()
	}
}
