package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/nopezoo/zoo/interop"
	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/sweep"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/validate"
	"github.com/nopezoo/zoo/zoo/find"
)

// trainOne makes one run, or says that it is made already.
func (a *app) trainOne(ctx context.Context, p planned, resume bool) error {
	var watch *trainWatch
	say := func(text string) {
		if watch != nil {
			watch.meter.close() // a bar would stand on the same line; it comes back
		}
		a.note("%s: %s", p.dir, text)
	}
	t, err := a.open(p, resume, say)
	if absent(err) {
		if err = a.needLibrary(ctx); err == nil {
			t, err = a.open(p, resume, say)
		}
	}
	if err != nil || t == nil {
		return err
	}
	defer t.Close()
	for _, warning := range t.Warnings {
		a.note("%s: %v", p.dir, warning)
	}
	if t.Step() > 0 {
		a.note("%s: going on from step %d of %d", p.dir, t.Step(), p.cfg.Train.Steps)
	}
	watch = newTrainWatch(a, p, t.Step())
	err = t.Run(ctx, watch.report)
	watch.meter.close()
	if err != nil {
		return err
	}
	a.print("%s: trained %d steps, loss %.4g, %s in %s", p.dir, t.Step(), watch.last.Loss, watch.pace(), duration(time.Since(watch.meter.begun)))
	return nil
}

// settle fills in the threads that the run has, or would have, and reports whether it
// is there already; another run in its place is an error.
func (p *planned) settle() (there bool, err error) {
	if interop.IsFolder(p.dir) {
		return false, notTrained(p.dir)
	}
	if !find.IsRun(p.dir) {
		p.cfg = p.cfg.WithThreads(machine.This().Cores)
		return false, nil
	}
	was, err := train.ReadConfig(p.dir)
	if err != nil {
		return true, err
	}
	p.cfg = p.cfg.WithThreads(was.Train.Threads)
	if was.Hash() != p.cfg.Hash() {
		return true, fmt.Errorf("%w (%s); go on with that one: %s; or choose another folder with --runs, or another --seed",
			train.ErrOtherRun, difference(was, p.cfg), resumeCommand(p.dir))
	}
	return true, nil
}

// open starts or resumes the trainer of a run, which says what happens on the
// way; nil means that nothing is to do.
func (a *app) open(p planned, resume bool, say func(string)) (*train.Trainer, error) {
	there, err := p.settle()
	if err != nil {
		return nil, err
	}
	evaluate, err := validate.Evaluator(p.cfg)
	if err != nil {
		return nil, err
	}
	o := train.Options{
		Evaluate: evaluate, Evaluated: func(e journal.Evaluation) { say(evaluated(e)) },
		Warn: func(err error) { say(sweep.NotSaved + withRemedy(err).Error()) },
	}
	if !there {
		if err := a.checkMemory(p); err != nil {
			return nil, err
		}
		return train.New(p.dir, p.cfg, o)
	}
	newest, _, err := train.Latest(p.dir)
	switch {
	case err == nil && newest.Finished():
		a.print("%s: finished already, %d steps, loss %.4g", p.dir, newest.Step, newest.Loss)
		return nil, nil
	case err != nil && !errors.Is(err, train.ErrNoCheckpoint):
		return nil, err
	case resume:
		if err := a.checkMemory(p); err != nil {
			return nil, err
		}
		return train.Resume(p.dir, o)
	}
	return nil, fmt.Errorf("a run that was stopped is there; go on with it: %s", resumeCommand(p.dir))
}

// trainWatch shows a run's progress.
type trainWatch struct {
	meter  *meter
	last   journal.Stats
	tokens int // real tokens since the run was opened
}

func newTrainWatch(a *app, p planned, done int) *trainWatch {
	return &trainWatch{meter: a.newMeter(filepath.Base(p.dir), int64(done), int64(p.cfg.Train.Steps))}
}

func (w *trainWatch) report(s journal.Stats) {
	w.last = s
	w.tokens += s.Tokens
	w.meter.update(int64(s.Step), func() string {
		text := fmt.Sprintf("loss %.4f  %s", s.Loss, w.pace())
		if w.meter.bar == nil { // a bar has less room, and shows the share done
			text = fmt.Sprintf("step %d/%d  ", s.Step, s.Steps) + text
		}
		return text
	})
}

// pace is the speed since the run was opened.
func (w *trainWatch) pace() string {
	return short(float64(w.tokens)/time.Since(w.meter.begun).Seconds()) + " tokens/s"
}

// evaluated describes an evaluation.
func evaluated(e journal.Evaluation) string {
	text := []string{fmt.Sprintf("step %d: accuracy %.1f %% at trained lengths", e.Step, 100**e.Accuracy)}
	if e.Beyond != nil {
		text = append(text, fmt.Sprintf("%.1f %% beyond", 100**e.Beyond))
	}
	if e.Best {
		text = append(text, "the best so far")
	}
	if e.Stop {
		text = append(text, "stopping early")
	}
	return strings.Join(text, ", ")
}
