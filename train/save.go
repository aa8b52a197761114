package train

import (
	"io"
	"maps"
	"os"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/train/runfile"
)

// clone makes a checkpoint that further training leaves alone.
func clone(c *runfile.Checkpoint) *runfile.Checkpoint {
	d := *c
	for _, group := range []*map[string]*tensor.Tensor{&d.Weights, &d.M, &d.V} {
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
	return wrap.Error(prune(t.dir, t.now.Step, t.now.Config.Train.KeepCheckpoints, t.now.Progress.BestStep), "train: remove old checkpoints")
}

func (t *Trainer) store(c *runfile.Checkpoint) error {
	err := files.WriteAtomic(runfile.Path(t.dir, c.Step), func(w io.Writer) error {
		if t.through != nil {
			w = t.through(w)
		}
		return c.Write(w)
	})
	return wrap.Error(err, "train: checkpoint at step %d", c.Step)
}

// prune removes all but the newest keep checkpoints, and the best, of a run that
// is at step. Later ones are damaged, or the run would have gone on from them: they
// count for nothing, and are written over when the run gets there.
func prune(dir string, step, keep, best int) error {
	steps, err := runfile.Steps(dir)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(s int) bool { return s > step })
	for _, s := range steps[min(keep, len(steps)):] {
		if s == best {
			continue
		}
		if err := os.Remove(runfile.Path(dir, s)); err != nil {
			return err
		}
	}
	return nil
}
