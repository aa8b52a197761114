package train

import (
	"fmt"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
)

// longestDraws is how many samples of a length show how many tokens it takes: the
// number differs by a few at most.
const longestDraws = 50

// checkLongest refuses lengths whose sequences a bounded model could not take, with
// the shortest of them, before a run begins. One longer than all that are drawn here
// still ends the run when its step comes.
func (c Config) checkLongest() error {
	model, err := models.New(c.Model)
	if err != nil || model.MaxLength() == 0 {
		return err
	}
	s, err := newSource(c)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(dataSeed, 0))
	for i, t := range s.tasks {
		for _, length := range s.lengths[i] {
			for range longestDraws {
				sample, err := task.SampleSplit(t, rng, length, task.Train)
				if err != nil {
					return fmt.Errorf("train: %w", err)
				}
				ids, _, err := s.tok.EncodePair(sample.Prompt, sample.Target)
				if err != nil {
					return fmt.Errorf("train: %w", err)
				}
				if n := len(ids); n > model.MaxLength() { // with the end token, which is only ever a label
					return fmt.Errorf("train: task %s has sequences of %d tokens at length %d, and the encoding %s ends at %d; lower train.lengths or raise the encoding's maximum",
						t.Name, n, length, c.Model.Encoding, model.MaxLength())
				}
			}
		}
	}
	return nil
}
