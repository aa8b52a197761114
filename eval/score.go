package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/tokenizer"
)

// scoreAll fills in the log-probabilities of every example's target; done samples were
// generated before.
func (s *accuracy) scoreAll(ctx context.Context, done int, examples []example) error {
	for group := range slices.Chunk(examples, s.cfg.Batch) {
		if err := s.score(ctx, group); err != nil {
			return err
		}
		done += len(group)
		s.progress(done, len(examples))
	}
	return nil
}

func (s *accuracy) score(ctx context.Context, group []example) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ids, from := make([][]int64, len(group)), make([]int, len(group))
	for i, e := range group {
		ids[i], from[i] = e.sequence(), len(e.prompt)
	}
	scores, err := s.model.Score(ctx, ids, from)
	if err != nil {
		return err
	}
	if len(scores) != len(group) {
		return fmt.Errorf("the model scored %d sequences of %d", len(scores), len(group))
	}
	for i := range group {
		if len(scores[i]) != len(group[i].target) {
			return fmt.Errorf("the model scored %d tokens of sequence %d, %d were asked for",
				len(scores[i]), i, len(group[i].target))
		}
		group[i].logProbs = scores[i]
	}
	return nil
}

// tally adds the examples up.
func (s *accuracy) tally(span task.Span, examples []example) Score {
	t := Score{N: len(examples), Chance: s.chance(span)}
	prompts := map[string]bool{}
	var loss, distance float64
	for _, e := range examples {
		prompts[e.sample.Prompt] = true
		text := s.text(e.output)
		if s.cfg.Task.Correct(e.sample.Target, text) {
			t.Correct++
		}
		if s.stop == NoStop { // what stands behind an answer does not count
			e.output = e.output[:min(len(e.output), len(e.target))]
		}
		if slices.Equal(e.output, e.target) {
			t.SequenceCorrect++
		}
		t.Tokens += len(e.target)
		t.TokensCorrect += samePositions(e.output, e.target)
		distance += s.editDistance(e.output, e.target)
		t.addParts(s.cfg.Task, e.sample.Target, text)
		for _, p := range e.logProbs {
			if math.IsNaN(p) || math.IsInf(p, 0) {
				t.NonfiniteTokens++
			}
			loss -= p
		}
	}
	t.Distinct = len(prompts)
	t.Accuracy = ratio(t.Correct, t.N)
	t.AccuracyLow, t.AccuracyHigh = Wilson(t.Accuracy, float64(t.N))
	t.SequenceAccuracy = ratio(t.SequenceCorrect, t.N)
	t.TokenAccuracy = ratio(t.TokensCorrect, t.Tokens)
	t.EditDistance = distance / float64(t.N)
	if t.NonfiniteTokens == 0 {
		loss /= float64(t.Tokens)
		t.Loss = &loss
	}
	return t
}

// chance is the accuracy of a guesser: of a bin the mean over its lengths.
func (s *accuracy) chance(span task.Span) float64 {
	lengths := s.cfg.Task.LengthsIn(task.Range(span))
	sum := 0.0
	for _, n := range lengths {
		sum += s.cfg.Task.Chance(n)
	}
	return sum / float64(len(lengths))
}

// addParts adds one sample's share to the means.
func (t *Score) addParts(k task.Task, target, generated string) {
	if k.Parts == nil {
		return
	}
	if t.Parts == nil {
		t.Parts = map[string]float64{}
	}
	for part, share := range k.Parts(target, generated) {
		t.Parts[part] += share / float64(t.N)
	}
}

// text decodes an output without its end token and padding. An id outside the
// vocabulary leaves nothing that could be parsed, hence no text.
func (s *accuracy) text(output []int64) string {
	if s.stop != NoStop {
		output = slices.DeleteFunc(slices.Clone(output), func(id int64) bool { return id == tokenizer.EOS || id == tokenizer.Pad })
	}
	text, err := s.words.Decode(output)
	if err != nil {
		return ""
	}
	return text
}

// samePositions counts the positions at which both hold the same token.
func samePositions(output, target []int64) int {
	n := 0
	for i := range min(len(output), len(target)) {
		if output[i] == target[i] {
			n++
		}
	}
	return n
}

// editDistance is the distance in tokens over the longer length, in 0..1; end
// tokens do not count.
func (s *accuracy) editDistance(output, target []int64) float64 {
	if s.stop == NoStop {
		return ratio(suggest.EditDistance(output, target), max(len(output), len(target)))
	}
	target = target[:len(target)-1]
	if n := len(output); n > 0 && output[n-1] == tokenizer.EOS {
		output = output[:n-1]
	}
	return ratio(suggest.EditDistance(output, target), max(len(output), len(target)))
}
