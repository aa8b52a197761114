package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
)

// trainOne makes one run, or says that it is made already.
func (a *app) trainOne(ctx context.Context, r launch.Run, o train.Options, resume bool) error {
	r, err := r.Look()
	switch {
	case err != nil:
		return err
	case r.Finished:
		a.Print("%s: finished already, %s, loss %.4g%s", r.Dir, human.Plural(r.Step, "step", "steps"), r.Loss, andFit(r.Fit))
		return nil
	case r.Begun && !resume:
		return fmt.Errorf("a run that was stopped is there; go on with it: %s", resumeCommand(r.Dir))
	}
	a.Note("%s: %s, at most about %s of memory", r.Dir, human.Plural(r.Cost.Parameters, "parameter", "parameters"), human.Bytes(r.Cost.Memory))
	if r.OneLane {
		a.Note("%s: %s", r.Dir, train.OneLane)
	}
	if text, err := train.Text(r.Config); err == nil {
		a.Note("%s: %s", r.Dir, text)
	} else if !errors.Is(err, train.ErrNoText) {
		return err
	}
	say := func(text string) { a.Note("%s: %s", r.Dir, text) }
	o.Evaluated = func(e journal.Evaluation) { say(e.String()) }
	o.Warn = func(err error) { say(sweep.NotSaved + withRemedy(err).Error()) }
	t, err := a.openRun(ctx, r, o)
	if err != nil {
		return err
	}
	defer t.Close()
	if t.Origin != "" {
		say(t.Origin)
	}
	for _, warning := range t.Warnings {
		say(warning.Error())
	}
	if r.Step > 0 {
		say(fmt.Sprintf("going on from step %d of %d", r.Step, r.Config.Train.Steps))
	}
	watch := newTrainWatch(a, r, r.Step)
	err = t.Run(ctx, watch.report)
	watch.meter.Close()
	if err != nil {
		return err
	}
	done, err := r.Look()
	if err != nil {
		return err
	}
	a.Print("%s: trained %s, loss %.4g, %s in %s%s", r.Dir, human.Plural(done.Step, "step", "steps"), watch.last.Loss, watch.pace(),
		human.Duration(time.Since(watch.meter.Begun)), andFit(done.Fit))
	return nil
}

// andFit continues a line with whether a run fitted, where that is known.
func andFit(fit string) string {
	if fit == "" {
		return ""
	}
	return "; " + fit
}

// dryLimit is how long --dry-run may time a run.
const dryLimit = 30 * time.Second

// trainDry prints what a run would be trained with, and what that would take. One whose
// memory is not there is an error, as it would be without --dry-run.
func (a *app) trainDry(ctx context.Context, r launch.Run, o train.Options) error {
	r, err := r.Look()
	if err != nil {
		return err
	}
	lines := [][]string{{"run", r.Dir + ", " + r.State}}
	lines = append(lines, tables.Settings(r.Config)...)
	if text, err := train.Text(r.Config); err == nil {
		lines = append(lines, []string{"text", text})
	} else if !errors.Is(err, train.ErrNoText) {
		return err
	}
	lines = append(lines, []string{"parameters", fmt.Sprint(r.Cost.Parameters)},
		[]string{"memory", "at most about " + human.Bytes(r.Cost.Memory)})
	if err := a.Table(lines); err != nil || r.Finished {
		return err
	}
	if missing, _ := libraryHere(); missing != nil && !engine.OnDevice(o.Provider) {
		a.Note("%s: no time: %s", r.Dir, missing)
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, dryLimit)
	defer cancel()
	m := a.Meter("timing steps", 0, 0)
	pace, err := r.Pace(limited, o)
	m.Close()
	if err != nil {
		return err
	}
	times := func(n int, what string, each time.Duration) string {
		return fmt.Sprintf("%s of %s", human.Plural(n, what, what+"s"), each.Round(100*time.Microsecond))
	}
	text := times(r.Config.Train.Steps-r.Step, "step", pace.Step)
	evaluations, left := pace.Left(r.Config.Train, r.Step)
	if evaluations > 0 {
		text += ", " + times(evaluations, "evaluation", pace.Evaluation)
	}
	bound := "at most"
	if pace.AtLeast {
		bound = "at least"
	}
	a.Print("%-24s  %s about %s: %s", "time", bound, human.Duration(left), text)
	return nil
}

// trainError says which run an error is of, and how to go on.
func (a *app) trainError(err error, r launch.Run, runs int) error {
	next := resumeCommand(r.Dir)
	switch {
	case errors.Is(err, train.ErrInterrupted):
		if runs > 1 {
			next = a.again()
		}
		return fmt.Errorf("%w; everything is saved; go on with: %s", err, next)
	case errors.Is(err, train.ErrOtherRun):
		err = fmt.Errorf("%w; go on with that one: %s; or choose another folder with --runs, or another --seed", err,
			next)
	}
	return fmt.Errorf("%s: %w", r.Dir, err)
}

// stoppedRun returns the run in a folder that can go on, of which there must be one.
func (a *app) stoppedRun(folder string) ([]string, error) {
	stopped, err := stoppedRuns(folder, a.warn)
	if err != nil {
		return nil, err
	}
	switch len(stopped) {
	case 0:
		return nil, fmt.Errorf("--resume: no run in the folder %s was stopped; "+
			"to begin one, say what to train, such as: zoo train --pe rope", folder)
	case 1:
		return []string{stopped[0].Dir}, nil
	}
	lines := ""
	for _, r := range stopped {
		lines += "\n" + resumeCommand(r.Dir) + "  # " + r.State
	}
	return nil, fmt.Errorf("--resume: %d runs in the folder %s were stopped; go on with "+
		"one of them, or name several:%s",
		len(stopped), folder, lines)
}

// stoppedRuns describes the runs in a folder that can go on: neither finished nor at work.
// Order and warn are as in find.Runs.
func stoppedRuns(folder string, warn func(error)) ([]find.Run, error) {
	runs, err := find.Runs(folder, warn)
	if err != nil {
		return nil, err
	}
	var out []find.Run
	for _, r := range runs {
		busy, err := train.Busy(r.Dir)
		if err != nil {
			return nil, err
		}
		if !r.Imported && !r.Finished && !busy {
			out = append(out, r)
		}
	}
	return out, nil
}

// openRun begins or continues a run, for which it may have to install ONNX Runtime.
func (a *app) openRun(ctx context.Context, r launch.Run, o train.Options) (*train.Trainer, error) {
	t, err := openUnlessEnded(ctx, r, o)
	if absent(err) {
		if err = a.needLibrary(ctx); err == nil {
			t, err = openUnlessEnded(ctx, r, o)
		}
	}
	return t, err
}

// openUnlessEnded is Open of a run. At the end of ctx it does not wait for ONNX Runtime, which cannot be interrupted while
// it compiles a large model; there is nothing to save then.
func openUnlessEnded(ctx context.Context, r launch.Run, o train.Options) (*train.Trainer, error) {
	var t *train.Trainer
	err := unlessEnded(ctx, 0, func() (err error) {
		t, err = r.Open(o)
		return err
	})
	if err != nil {
		return nil, err // t may still be written
	}
	return t, nil
}

// trainWatch shows a run's progress.
type trainWatch struct {
	meter  *terminal.Meter
	last   journal.Stats
	tokens int // real tokens since the run was opened
}

func newTrainWatch(a *app, r launch.Run, done int) *trainWatch {
	return &trainWatch{meter: a.Meter(filepath.Base(r.Dir), int64(done), int64(r.Config.Train.Steps))}
}

func (w *trainWatch) report(s journal.Stats) {
	w.last = s
	w.tokens += s.Tokens
	w.meter.Update(int64(s.Step), func() string {
		text := fmt.Sprintf("loss %.4f  %s", s.Loss, w.pace())
		if !w.meter.IsBar() { // a bar has less room, and shows the share done
			text = fmt.Sprintf("step %d/%d  ", s.Step, s.Steps) + text
		}
		return text
	})
}

// pace is the speed since the run was opened.
func (w *trainWatch) pace() string {
	return human.Count(float64(w.tokens)/time.Since(w.meter.Begun).Seconds()) + " tokens/s"
}
