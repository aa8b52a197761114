package eval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// slack is how many tokens beyond the target a model may write before it is cut
// off. It lets the edit distance see an answer that runs on; such an answer is
// wrong however long it is.
const slack = 8

// example is one sample, its tokens, and what the model made of it.
type example struct {
	sample   task.Sample
	prompt   []int64
	target   []int64 // with the end token
	limit    int     // most new tokens
	output   []int64 // generated, with the end token if reached
	logProbs []float64
}

// examples draws the samples of one length or bin, as many different ones as asked for
// or as there are. prompts is how many the split has there: exact if these are all,
// else an estimate; 0 when past counting.
func (s *accuracy) examples(ctx context.Context, span task.Span) (out []example, prompts int, err error) {
	if err := s.cfg.Task.CheckLength(span); err != nil {
		return nil, 0, err
	}
	from, err := s.source(span)
	if err != nil {
		return nil, 0, err
	}
	all := true
	for sample, err := range from.different(ctx) {
		if err != nil {
			return nil, 0, err
		}
		if len(out) == s.cfg.N {
			all = false // there is one more
			break
		}
		e, err := s.encode(sample)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, 0, fmt.Errorf("%w: nothing that was drawn is in %q; choose another length, or the split %q",
			task.ErrNoSplit, from.split, task.Whole)
	}
	prompts = len(out)
	if !all {
		prompts = countable(max(from.prompts(), float64(len(out)+1)))
	}
	return out, prompts, nil
}

// sortByPrompt puts prompts of like length together, since those of a batch are padded to the longest.
func sortByPrompt(examples []example) {
	slices.SortStableFunc(examples, func(a, b example) int { return len(a.prompt) - len(b.prompt) })
}

// countable is n as a whole number, 0 when it is past counting.
func countable(n float64) int {
	if n >= mostPrompts {
		return 0
	}
	return int(n)
}

// mostPrompts is past counting: more than could ever be measured.
const mostPrompts = 1e9

// sampleSource gives every (task, split, seed, length or bin) its own stream.
func sampleSource(name string, split task.Split, seed uint64, span task.Span) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d/%s", name, split, seed, span))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:])))
}

func (s *accuracy) encode(sample task.Sample) (example, error) {
	ids, start, err := s.tok.EncodePair(sample.Prompt, sample.Target)
	if err != nil {
		return example{}, err
	}
	if start == 0 {
		return example{}, fmt.Errorf("sample %q has no prompt to continue", sample.Target)
	}
	ids = append(ids, tokenizer.EOS)
	e := example{sample: sample, prompt: ids[:start:start], target: ids[start:]}
	room := slack
	if s.maxLength > 0 {
		room = min(slack, max(s.maxLength-(len(ids)-1), 0)) // the last token is predicted, not read
	}
	e.limit = len(e.target) + room
	return e, nil
}

// sequence returns prompt and target as one sequence.
func (e *example) sequence() []int64 { return append(e.prompt, e.target...) }
