package find

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/train/runfile"
)

// Words for checkpoints of a run. The number of a step stands for the one at it.
const (
	Last = "last" // the newest usable one
	Best = "best" // that of the best evaluation
	All  = "all"  // each there is; AtEach alone knows it
)

// CheckCheckpoint refuses what is neither a word for a checkpoint nor a step.
func CheckCheckpoint(word string, known ...string) error {
	if _, ok := stepOf(word); ok || slices.Contains(known, word) {
		return nil
	}
	return suggest.Unknown("checkpoint", word, append(slices.Clone(known), "a step such as 1000"))
}

// stepOf reads the number of a step.
func stepOf(word string) (step int, ok bool) {
	step, err := strconv.Atoi(word)
	return step, err == nil && step >= 0
}

// At is the same run at a checkpoint: Last, Best, or a step. That there is one is seen when
// it is loaded. A model that is no run has Last alone, which is what it is.
func (m Model) At(checkpoint string) (Model, error) {
	if err := CheckCheckpoint(checkpoint, Last, Best); err != nil || checkpoint == Last {
		return m, err
	}
	if m.checkpoint == nil {
		return m, fmt.Errorf("checkpoint %s: %w", checkpoint, m.noRun())
	}
	run := m.Run
	if step, ok := stepOf(checkpoint); ok {
		m.From = fmt.Sprintf("step %d of %s", step, m.From)
		m.checkpoint = func() (*runfile.Checkpoint, []error, error) {
			c, err := runfile.At(run, step)
			return c, nil, err
		}
		return m, nil
	}
	m.From = "the best of " + m.From
	m.checkpoint = func() (*runfile.Checkpoint, []error, error) { return runfile.Best(run) }
	return m, nil
}

// AtEach is the run at several checkpoints, by the words of At and All, each of them once:
// its label says the step, as in copy-rope-tiny-s1@1000. For Last alone it is the model as
// it is.
func (m Model) AtEach(checkpoints []string) ([]Model, error) {
	if slices.Equal(checkpoints, []string{Last}) {
		return []Model{m}, nil
	}
	var out []Model
	var seen []int
	for _, word := range checkpoints {
		words := []string{word}
		if word == All {
			var err error
			if words, err = m.kept(); err != nil {
				return nil, err
			}
		}
		for _, word := range words {
			at, err := m.At(word)
			if err != nil {
				return nil, err
			}
			step, err := at.step()
			if err != nil {
				return nil, err
			}
			if slices.Contains(seen, step) {
				continue
			}
			seen = append(seen, step)
			at.Label = fmt.Sprintf("%s@%d", m.Label, step)
			out = append(out, at)
		}
	}
	return out, nil
}

// kept lists the steps of a run's checkpoints, the oldest first.
func (m Model) kept() ([]string, error) {
	if m.checkpoint == nil {
		return nil, m.noRun()
	}
	steps, err := runfile.Steps(m.Run)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, step := range slices.Backward(steps) {
		out = append(out, strconv.Itoa(step))
	}
	return out, nil
}

// step is that of the model's checkpoint, which must be there.
func (m Model) step() (int, error) {
	if m.checkpoint == nil {
		return 0, m.noRun()
	}
	c, _, err := m.checkpoint() // loading the model tells of those passed over
	if err != nil {
		return 0, err
	}
	return c.Step, nil
}

// noRun is the error of a model that has no checkpoints.
func (m Model) noRun() error {
	return fmt.Errorf("%s is no run, and has no checkpoints; name a run, or leave the checkpoint out", m.From)
}
