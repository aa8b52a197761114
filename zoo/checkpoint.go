package zoo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/train/runfile"
)

// Words for checkpoints of a run. The number of a step stands for the one at it.
const (
	Last = "last" // the newest usable one
	Best = "best" // the one of the best evaluation
	All  = "all"  // each there is
)

// At is the run at checkpoints, by words or steps, each of them once. The labels then say
// the step, as in copy-rope-tiny-s1@1000. For Last alone, which a model has that is no run,
// too, it is the model as it is.
func (m Model) At(checkpoints ...string) ([]Model, error) {
	if slices.Equal(checkpoints, []string{Last}) {
		return []Model{m}, nil
	}
	var out []Model
	var seen []int
	for _, word := range checkpoints {
		reads, err := m.reads(word)
		if err != nil {
			return nil, err
		}
		for _, read := range reads {
			c, _, err := read(m.Run) // loading the model tells of those passed over
			if err != nil {
				return nil, err
			}
			if slices.Contains(seen, c.Step) {
				continue
			}
			seen = append(seen, c.Step)
			at := m
			at.read, at.Label = read, fmt.Sprintf("%s@%d", m.Label, c.Step)
			switch word {
			case Last:
			case Best:
				at.From = "the best of " + m.From
			default:
				at.From = fmt.Sprintf("step %d of %s", c.Step, m.From)
			}
			out = append(out, at)
		}
	}
	return out, nil
}

// Checkpoint reads the run's checkpoint that Load makes a model of, the newest usable
// one unless the model is At another.
func (m Model) Checkpoint() (*runfile.Checkpoint, error) {
	if m.Run == "" {
		return nil, m.noRun()
	}
	c, skipped, err := m.read(m.Run)
	if err != nil {
		return nil, err
	}
	if m.options.Warn == nil && len(skipped) > 0 {
		return nil, fmt.Errorf("%w; remove it to have the one before", errors.Join(skipped...))
	}
	for _, damaged := range skipped {
		m.options.Warn(fmt.Errorf("passed over a damaged checkpoint: %w", damaged))
	}
	return c, nil
}

// noRun is the error of a model that has no checkpoints.
func (m Model) noRun() error {
	return fmt.Errorf("%s is no run, and has no checkpoints; name a run, or leave the checkpoint out", m.From)
}

// reads lists what reads the checkpoints of a word.
func (m Model) reads(word string) ([]reader, error) {
	step, err := strconv.Atoi(word)
	if isStep := err == nil && step >= 0; !isStep && !slices.Contains([]string{Last, Best, All}, word) {
		return nil, suggest.Unknown("checkpoint", word, []string{Last, Best, All, "a step such as 1000"})
	}
	if m.Run == "" {
		return nil, fmt.Errorf("checkpoint %s: %w", word, m.noRun())
	}
	steps := []int{step}
	switch word {
	case Last:
		return []reader{latest}, nil
	case Best:
		return []reader{best}, nil
	case All:
		if steps, err = runfile.Steps(m.Run); err != nil {
			return nil, err
		}
	}
	var out []reader
	for _, step := range slices.Backward(steps) {
		out = append(out, func(run string) (*runfile.Checkpoint, []error, error) {
			c, err := stepOf(run, step)
			return c, nil, err
		})
	}
	return out, nil
}

// reader reads a checkpoint of a run, and names damaged ones that it passed over.
type reader = func(run string) (c *runfile.Checkpoint, skipped []error, err error)

// latest reads the newest usable checkpoint. That there is none is an error that says which run lacks it.
func latest(run string) (*runfile.Checkpoint, []error, error) {
	c, skipped, err := runfile.Latest(run)
	if errors.Is(err, runfile.ErrNoCheckpoint) { // it names the skipped ones
		return nil, nil, &runfile.RunError{Dir: run, Err: err}
	}
	return c, skipped, err
}

// best reads the checkpoint of a run's best evaluation. Damaged newer ones, which
// might have told of a better, are named in skipped.
func best(dir string) (c *runfile.Checkpoint, skipped []error, err error) {
	c, skipped, err = runfile.Latest(dir)
	if err != nil {
		return nil, skipped, err
	}
	step := c.Progress.BestStep
	switch step {
	case c.Step:
		return c, skipped, nil
	case 0:
		return nil, skipped, fmt.Errorf("%s: %w: nothing was evaluated by step %d; "+
			"train with train.eval_every, or use the last one", dir, runfile.ErrNoCheckpoint, c.Step)
	}
	c, err = runfile.ReadCheckpoint(runfile.Path(dir, step))
	if err != nil {
		return nil, skipped, fmt.Errorf("the best of %s: %w: %w", dir, runfile.ErrNoCheckpoint, err)
	}
	return c, skipped, nil
}

// stepOf reads the checkpoint of a run at a step. Where there is none the error wraps
// ErrNoCheckpoint and names those that are there.
func stepOf(dir string, step int) (*runfile.Checkpoint, error) {
	steps, err := runfile.Steps(dir)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(steps, step) {
		var have []string
		for _, s := range slices.Backward(steps) {
			have = append(have, strconv.Itoa(s))
		}
		return nil, fmt.Errorf("%s: %w at step %d; the run has those at %s, and keeps as many as "+
			"train.keep_checkpoints says, and the best", dir, runfile.ErrNoCheckpoint, step,
			cmp.Or(strings.Join(have, ", "), "no step"))
	}
	return runfile.ReadCheckpoint(runfile.Path(dir, step))
}
