package train

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
)

// clone makes a checkpoint that further training leaves alone.
func (c *Checkpoint) clone() *Checkpoint {
	d := *c
	for _, group := range []*map[string]*tensor.Tensor{&d.Weights, &d.m, &d.v} {
		*group = maps.Clone(*group)
		for name, t := range *group {
			(*group)[name] = tensor.Of(slices.Clone(tensor.Data[float32](t)), t.Shape()...)
		}
	}
	return &d
}

// save writes a checkpoint and removes the oldest ones. No checkpoint is written
// while the best one that it refers to could not be: what is on disk is whole.
func (t *Trainer) save() error {
	if t.unsavedBest != nil {
		if err := t.store(t.unsavedBest); err != nil {
			return err
		}
	}
	if t.unsavedBest == nil || t.unsavedBest.Step != t.now.Step {
		if err := t.opt.download(); err != nil {
			return err
		}
		if err := t.store(t.now); err != nil {
			return err
		}
	}
	t.unsavedBest, t.saved = nil, true
	if err := prune(t.dir, t.now.Step, t.now.Config.Train.KeepCheckpoints, t.now.progress.BestStep); err != nil {
		return fmt.Errorf("train: remove old checkpoints: %w", err)
	}
	return nil
}

func (t *Trainer) store(c *Checkpoint) error {
	err := files.WriteAtomic(checkpointPath(t.dir, c.Step), func(w io.Writer) error {
		if t.through != nil {
			w = t.through(w)
		}
		return c.write(w)
	})
	if err != nil {
		return fmt.Errorf("train: checkpoint at step %d: %w", c.Step, err)
	}
	return nil
}
