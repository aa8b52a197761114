package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// Run trains to the end and calls report, where not nil, after each step. It
// saves a checkpoint at every interval, at each evaluation that is the best so
// far, at the end, and when ctx ends, in which case the error is ErrInterrupted; a step that
// is not finished then is made again by the next Run.
//
// What cannot be saved on the way, as on a full disk, is told to Options.Warn
// and tried again at the next interval; at the end it is an error.
func (t *Trainer) Run(ctx context.Context, report func(journal.Stats)) error {
	if ctx == nil {
		return errors.New("train: the context is nil")
	}
	log := openMetrics(t.dir, t.now.Step, hparamsOf(t.now.Config, t.options.Provider), t.through)
	err := t.run(ctx, log, report)
	return errors.Join(err, log.close())
}

func (t *Trainer) run(ctx context.Context, log *metricsWriter, report func(journal.Stats)) error {
	r := t.now.Config.Train
	var next <-chan prepared
	if t.now.Step < r.Steps {
		next = t.prefetch(t.now.Step)
	}
	for {
		if t.now.EvaluationDue() {
			if err := t.evaluate(ctx, log); err != nil {
				return t.stop(ctx, err)
			}
		}
		if t.now.Finished() {
			if t.saved {
				return nil
			}
			return t.save()
		}
		if !t.saved && t.now.Step%r.CheckpointEvery == 0 {
			if err := t.interval(log); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return t.stop(ctx, ctx.Err())
		}
		start := time.Now()
		var data prepared
		select {
		case data = <-next:
		case <-ctx.Done():
			return t.stop(ctx, ctx.Err())
		}
		if data.err != nil {
			return data.err
		}
		if t.now.Step+1 < r.Steps {
			next = t.prefetch(t.now.Step + 1)
		}
		s, err := t.update(ctx, data.batches)
		switch {
		case err != nil && ctx.Err() != nil:
			return t.stop(ctx, err)
		case err != nil:
			return err
		}
		t.saved = false
		s.Seconds = time.Since(start).Seconds()
		if err := t.warn(log.step(s)); err != nil {
			return err
		}
		if w := (*watch)(&t.now.Progress.Watch); w.see(s.Loss) {
			return t.diverged(t.now.Step, w.String())
		}
		if report != nil {
			report(s)
		}
	}
}

// interval saves what is due. While the loss looks like exploding nothing is:
// the good checkpoints stay.
func (t *Trainer) interval(log *metricsWriter) error {
	if t.now.Progress.Watch.Bad > 0 {
		return t.warn(log.retry())
	}
	return t.warn(errors.Join(log.retry(), t.save()))
}

// warn passes an error on to Options.Warn; without one it ends the run.
func (t *Trainer) warn(err error) error {
	if err == nil || t.options.Warn == nil {
		return err
	}
	t.options.Warn(err)
	return nil
}

// stop saves before a run ends early, at the caller's wish or through an error.
func (t *Trainer) stop(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w at step %d of %d", ErrInterrupted, t.now.Step, t.now.Config.Train.Steps)
	}
	if t.saved {
		return err
	}
	if failed := t.save(); failed != nil {
		// Not ErrInterrupted: that promises a saved state.
		return fmt.Errorf("%v, and its state could not be saved: %w", err, failed)
	}
	return err
}

// evaluate measures the model and takes note; the best is saved at once.
func (t *Trainer) evaluate(ctx context.Context, log *metricsWriter) error {
	start := time.Now()
	if err := t.opt.download(); err != nil {
		return err
	}
	results, err := t.options.Evaluate(ctx, t.now.Step, t.now.Weights)
	if err != nil {
		return fmt.Errorf("train: evaluation at step %d: %w", t.now.Step, err)
	}
	m, err := t.now.Config.Data()
	if err != nil {
		return err
	}
	e, err := summarize(t.now.Step, m, results)
	if err != nil {
		return err
	}
	e.Seconds = time.Since(start).Seconds()
	note(&t.now.Progress, &e, t.now.Config.Train.StopAfterPerfect)
	t.saved = false
	if err := t.warn(log.evaluation(e)); err != nil {
		return err
	}
	if e.Best {
		if err := t.save(); err != nil {
			t.unsavedBest = clone(t.now)
			if err := t.warn(err); err != nil {
				return err
			}
		}
	}
	if t.options.Evaluated != nil {
		t.options.Evaluated(e)
	}
	return nil
}

// diverged says where training failed, what is left, and what to try.
func (t *Trainer) diverged(step int, what string) error {
	good := "no checkpoint was saved before"
	if steps, err := runfile.Steps(t.dir); err == nil && len(steps) > 0 {
		good = "the last good checkpoint is " + runfile.Path(t.dir, steps[0])
	}
	return fmt.Errorf("%w at step %d: %s; %s; try a lower train.lr, a longer train.warmup or train.clip 1",
		ErrDiverged, step, what, good)
}
