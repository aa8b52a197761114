package analysis

import (
	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/theory"
)

// newConstructed prepares the model of theorem 1 (see package theory), whose hidden states tell the position by construction. Its
// sequences have tokens of its own, as many as another model's.
func newConstructed(like *Model) (*Model, error) {
	made, err := theory.Theorem1(maxTokens)
	if err != nil {
		return nil, err
	}
	m, err := NewModel("theorem 1", modelfile.Model{Config: made.Config, Weights: made.Weights,
		Card: card.Card{Tokenizer: like.Card.Tokenizer, Intervention: eval.Constructed}})
	if err != nil {
		return nil, err
	}
	m.Card.MaxLength = made.Max
	m.first, m.words = made.BOS, made.Words
	return m, nil
}
