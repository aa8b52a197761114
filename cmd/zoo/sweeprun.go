package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// logFile is what a run of a sweep says, in its directory.
const logFile = "train.log"

// saveTime is how long an interrupted run may take to finish its step and to save
// before it is killed.
const saveTime = 5 * time.Minute

// claimFolder makes a sweep's folder and keeps other sweeps out of it until release.
// One that Slurm still works on is refused.
func claimFolder(ctx context.Context, folder string) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	if release, err = lockFolder(folder); err != nil {
		return nil, err
	}
	if err := checkIdle(ctx, folder); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// sweepLocally trains runs in child processes, as many at a time as asked for.
func (a *app) sweepLocally(ctx context.Context, o sweepOptions, folder string, runs []train.SweepRun) error {
	release, err := claimFolder(ctx, folder)
	if err != nil {
		return err
	}
	defer release()
	m := machine.This()
	threads := max(m.Cores/o.workers, 1)
	if err := prepareRuns(runs, threads); err != nil {
		return err
	}
	logged, err := os.OpenFile(filepath.Join(folder, "sweep.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer logged.Close()
	w := newSweepWatch(a, logged, runs)
	w.tell("%d runs, %d at a time, of %d threads each, in %s", len(runs), o.workers, threads, folder)
	var todo []train.SweepRun
	for _, r := range runs {
		info, err := find.ReadRun(r.Dir)
		if err == nil && info.Finished() {
			w.ended(r, sweepSkipped, "")
			continue
		}
		todo = append(todo, r)
	}
	if len(todo) > 0 {
		if err := a.needLibrary(ctx); err != nil {
			return err
		}
	}
	stop := w.watch(ctx)
	train.Pool{Workers: o.workers, Memory: o.bound(m)}.Run(ctx, todo,
		func(ctx context.Context, r train.SweepRun) error {
			w.began(r)
			return w.child(ctx, r)
		},
		func(r train.SweepRun, err error) { w.done(r, err, o.bound(m)) })
	stop()
	return a.sweepEnd(ctx, w, o)
}

// prepareRuns makes the directories of all runs.
func prepareRuns(runs []train.SweepRun, threads int) error {
	for i := range runs {
		if err := runs[i].Prepare(threads); err != nil {
			return otherRun(err, runs[i].Dir)
		}
	}
	return nil
}

// otherRun adds the remedy where a directory holds another run.
func otherRun(err error, dir string) error {
	if errors.Is(err, train.ErrOtherRun) {
		return fmt.Errorf("%w; go on with that one alone: %s; or choose another folder with --runs, or rename the sweep file", err, resumeCommand(dir))
	}
	return err
}

// sweepEnd reports how a sweep went.
func (a *app) sweepEnd(ctx context.Context, w *sweepWatch, o sweepOptions) error {
	if err := a.sweepResults(w.states(), o.asJSON); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s; everything is saved; go on with: %s", train.ErrInterrupted, w.count(), a.repeat())
	}
	if failed := w.failures(); len(failed) > 0 {
		for _, f := range failed {
			a.note("%s: %s", f.Dir, f.Error)
		}
		return fmt.Errorf("%d of %d runs failed; the same command tries these again", len(failed), len(w.order))
	}
	return nil
}

// repeat is this command line.
func (a *app) repeat() string {
	words := []string{"zoo"}
	for _, arg := range a.args {
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// child trains one run in a process of its own, so that its death is not ours. At
// the end of ctx it is asked to save and stop.
func (w *sweepWatch) child(ctx context.Context, r train.SweepRun) error {
	dir := r.Dir
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	said := &childWords{log: out, tell: func(text string) { w.warn(r, text) }}
	c := exec.CommandContext(ctx, self, "train", "--resume", dir)
	c.Stdout, c.Stderr = said, said
	c.SysProcAttr = childAttributes()
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = saveTime
	if err = c.Run(); err == nil {
		return nil
	}
	switch last := said.last; {
	case ctx.Err() != nil && (last == "" || last == "interrupted" || strings.HasPrefix(last, train.ErrInterrupted.Error())):
		return train.ErrInterrupted
	case last != "":
		return errors.New(strings.TrimPrefix(last, dir+": "))
	}
	return fmt.Errorf("%w, without a word; a process that the system killed had too little memory", err)
}

// bound is the memory that workers may take together, 0 for no bound. A little is
// left to the rest of the machine.
func (o sweepOptions) bound(m machine.Machine) int64 {
	if o.memory > 0 {
		return int64(o.memory * (1 << 30))
	}
	return m.MemoryFree / 20 * 19
}
