package task

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/tokenizer"
)

// MostTokens returns the tokens of the longest of some training samples of a length. The
// end token, which is only ever a label, is not among them. A window of a corpus has as many
// tokens as its length says.
func (t Task) MostTokens(words *tokenizer.Tokenizer, rng *rand.Rand, length, draws int) (int, error) {
	if t.Corpus != nil {
		return length, nil
	}
	most := 0
	for range draws {
		sample, err := t.Sample(rng, length, Train)
		if err != nil {
			return 0, err
		}
		ids, _, err := words.EncodePair(sample.Prompt, sample.Target)
		if err != nil {
			return 0, err
		}
		most = max(most, len(ids))
	}
	return most, nil
}

// TrainedTokens returns how many tokens the longest sequence has that a model was trained
// on, with these tasks at these lengths, as far as a few samples of the greatest lengths
// tell. The same arguments give the same number.
func TrainedTokens(words *tokenizer.Tokenizer, tasks []Task, lengths []Range) (int, error) {
	const draws = 50 // samples of a length differ by a few tokens at most
	most := 0
	for i, t := range tasks {
		measured := t.LengthsIn(lengths[i])
		if len(measured) == 0 {
			return 0, fmt.Errorf("task %s has no length in %v", t.Name, lengths[i])
		}
		n, err := t.MostTokens(words, rand.New(rand.NewPCG(0, 0)), slices.Max(measured), draws)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}
