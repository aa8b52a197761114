package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// The tokens of a sequence differ by a few at most between samples of a length: that
// many show how many it takes. The estimate of a cost is content with fewer.
const (
	longestDraws = 50
	costDraws    = 8
)

// checkLongest refuses lengths whose sequences a bounded model could not take, or that
// train.max_position leaves no room for, with the shortest of them, before a run begins.
// One longer than all that are drawn here still ends the run when its step comes.
func checkLongest(c runfile.Config) error {
	model, err := models.New(c.Model)
	if err != nil {
		return err
	}
	most, remedy := model.MaxLength(), fmt.Sprintf("the encoding %s ends at %d; "+
		"lower train.lengths or raise the encoding's maximum", c.Model.Encoding, model.MaxLength())
	if c.Train.MaxPosition > 0 {
		most, remedy = c.Train.MaxPosition, fmt.Sprintf("train.max_position is %d; lower train.lengths or raise it",
			c.Train.MaxPosition)
	}
	if most == 0 {
		return nil
	}
	s, err := newSource(c)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(fixedSeed, 0))
	for i, t := range s.tasks {
		for _, length := range s.lengths[i] {
			n, err := t.MostTokens(s.tok, rng, length, longestDraws)
			if err != nil {
				return err
			}
			if n > most {
				return fmt.Errorf("train: task %s has sequences of %d tokens at length %d, and %s", t.Name, n, length,
					remedy)
			}
		}
	}
	return nil
}

// longest returns the tokens of the longest of a few samples of the greatest length.
func (s *source) longest() (int, error) {
	rng := rand.New(rand.NewPCG(s.seed, 0))
	most := 0
	for i, t := range s.tasks {
		n, err := t.MostTokens(s.tok, rng, slices.Max(s.lengths[i]), costDraws)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}
