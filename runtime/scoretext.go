package runtime

import (
	"cmp"
	"context"

	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// ScoreText tells the tokens of a text as Stream tells those of a completion: a step for each, with the text that
// is certain with it, where the token begins, and the log-probabilities of the token and of so many at the top,
// given the tokens before it. Nothing predicts the first token: its LogProbs is nil. Errors are those of Score.
func (s *Session) ScoreText(ctx context.Context, ids []int64, top int) ([]TextStep, error) {
	steps, err := s.scoreText(ctx, ids, top)
	return wrap.Value(steps, err, "runtime: score")
}

func (s *Session) scoreText(ctx context.Context, ids []int64, top int) ([]TextStep, error) {
	if s.words == nil {
		return nil, s.withoutWords()
	}
	rows, from := [][]int64{ids}, []int{1}
	if len(ids) == 0 {
		from = nil // which checkScored refuses
	}
	if err := cmp.Or((GenerateOptions{LogProbs: true, TopLogProbs: top}).checkLogProbs(), s.checkScored(rows, from)); err != nil {
		return nil, engine.Mark(err, ErrInput)
	}
	text := completionText{joiner: joiner{decode: s.words.Decode}}
	steps := make([]TextStep, len(ids))
	for i, id := range ids {
		piece, _, err := text.add(id)
		if err != nil {
			return nil, engine.Mark(err, ErrInput)
		}
		steps[i] = TextStep{Token: id, Text: piece, Start: text.start, PromptTokens: len(ids)}
	}
	rest, _ := text.finish()
	steps[len(ids)-1].Text += rest
	if len(ids) == 1 {
		return steps, nil
	}
	return steps, s.visit(ctx, [][]int64{ids[:len(ids)-1]}, []int{0}, nil, func(_, before int, logits []float32) error {
		probs := new(LogProbs)
		steps[before+1].LogProbs = probs
		return probs.set(logits, ids[before+1], top)
	})
}
