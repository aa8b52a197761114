package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
)

// sweepStatus writes how every run of a sweep is.
func (a *app) sweepStatus(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	all, sent, unasked, err := sweep.Look(ctx, folder, runs)
	if err != nil {
		return err
	}
	if unasked != nil {
		a.Note("%s; the table is without Slurm's words", human.Error(unasked))
	}
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	sum, fits, _ := sweep.Sum(all)
	if sent != nil {
		sum += "; " + sent.String()
	}
	a.Note("%s", sum)
	a.noteFits(fits)
	return nil
}

// sweepSlurm submits the tasks whose runs are not finished as job arrays.
func (a *app) sweepSlurm(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run, program string) error {
	if o.dryRun {
		text, err := sweep.Script(folder, runs, program, o.Placement, o.slurm)
		if text == "" && err == nil {
			a.noteFinished(runs)
		}
		fmt.Fprint(a.Out, text)
		return err
	}
	sent, err := sweep.Submit(ctx, folder, runs, program, o.Placement, o.slurm)
	if err != nil {
		return err
	}
	if sent == nil {
		a.noteFinished(runs)
		return nil
	}
	if o.asJSON {
		return a.JSON(sent)
	}
	a.Print("%s: %s in %s, tasks %s", sent, human.Plural(sent.Runs, "run", "runs"), folder, sent.Indices)
	if sent.After != "" {
		a.Print("job %s measures and reports them afterwards, into %s", sent.After, o.slurm.AfterFolder)
	}
	a.Note("watch it: %s --status\nend it, with everything saved: %s", a.repeat(), sent.Cancel)
	return nil
}

func (a *app) noteFinished(runs []sweep.Run) {
	a.Note("%s: all finished", human.Plural(len(runs), "run", "runs"))
}

// sweepInterrupted says how runs are when the user ended them, and how to go on. A run that had
// to end without being saved has failed.
func (a *app) sweepInterrupted(err error, sum string, failed int) error {
	saved := "everything is saved; "
	if failed > 0 {
		saved = ""
	}
	return fmt.Errorf("%w: %s; %sgo on with: %s", err, sum, saved, a.repeat())
}

// sweepLocally trains runs in child processes, as many at a time as asked for.
func (a *app) sweepLocally(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	training, erase, err := a.training(ctx, o)
	if err != nil {
		return err
	}
	all, err := sweep.Train(ctx, folder, runs, training)
	erase()
	if all == nil {
		return err
	}
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	sum, fits, failed := sweep.Sum(all)
	a.noteFits(fits)
	if err != nil {
		return a.sweepInterrupted(err, sum, failed)
	}
	for _, s := range all {
		if s.State == sweep.Failed {
			a.Note("%s: %s", s.Dir, s.Error)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed; the same command tries these again", failed, human.Plural(len(all), "run", "runs"))
	}
	return nil
}

// training says how runs are trained here; in a terminal the table of runs is drawn until it is erased.
func (a *app) training(ctx context.Context, o sweepOptions) (options sweep.Training, erase func(), err error) {
	self, err := os.Executable()
	options = sweep.Training{Command: o.placed.command(self), Workers: o.workers, Devices: o.devices, Memory: int64(o.memory * (1 << 30)),
		Ready: func(ctx context.Context) error { return a.needProvider(ctx, o.Provider) }, Report: a.reportSweep}
	if engine.OnDevice(o.Provider) && o.memory == 0 {
		options.Memory = math.MaxInt64 // a device has its own
	}
	live := a.Screen()
	if live == nil {
		return options, func() {}, err
	}
	options.Every = 500 * time.Millisecond
	options.Report = func(e sweep.Event) { a.drawSweep(live, e, ctx.Err() != nil) }
	return options, live.Erase, err
}

// sweepResults writes how every run is.
func (a *app) sweepResults(all []sweep.Status, asJSON bool) error {
	if asJSON {
		return a.JSON(all)
	}
	return a.Table(sweep.Table(all))
}

// noteFits says how many runs fitted, where they were evaluated.
func (a *app) noteFits(fits string) {
	if fits != "" {
		a.Note("%s", fits)
	}
}

// reportSweep writes what happens in a sweep, in lines.
func (a *app) reportSweep(e sweep.Event) {
	switch {
	case e.Err != nil:
		a.Note("%s", human.Error(withRemedy(e.Err)))
	case e.Text != "":
		a.Note("%s", e.Text)
	default:
		for _, s := range e.Runs {
			if s.State == sweep.Running && s.Step > 0 {
				a.Note("%s", s)
			}
		}
	}
}

// drawSweep draws the table of a sweep again as time passes, below what is wrong.
func (a *app) drawSweep(live *terminal.Screen, e sweep.Event, saving bool) {
	if e.Text != "" {
		return // the next drawing has it
	}
	if e.Err != nil {
		a.Note("%s", human.Error(withRemedy(e.Err)))
	}
	width, height := live.Size()
	lines := tables.Lines(e.Runs, width-1, height-2)
	if saving {
		lines[len(lines)-1] = "saving; " + lines[len(lines)-1]
	}
	live.Draw(lines, width)
}
