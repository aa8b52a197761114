package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/sweep"
	"github.com/nopezoo/zoo/train"
)

// resumeSelf is the command by which this program trains one run of a sweep.
func resumeSelf() ([]string, error) {
	self, err := os.Executable()
	return []string{self, "train", "--resume"}, err
}

// sweepPlan lists what a sweep would train.
func (a *app) sweepPlan(runs []sweep.Run, asJSON bool) error {
	type entry struct {
		Name       string       `json:"name"`
		Dir        string       `json:"dir"`
		Parameters int64        `json:"parameters"`
		Memory     int64        `json:"memory_bytes"`
		Config     train.Config `json:"config"`
	}
	list := []entry{}
	lines := [][]string{{"run", "steps", "parameters", "memory"}}
	for _, r := range runs {
		list = append(list, entry{r.Name, filepath.ToSlash(r.Dir), r.Cost.Parameters, r.Cost.Memory, r.Config})
		lines = append(lines, []string{r.Name, fmt.Sprint(r.Config.Train.Steps),
			fmt.Sprint(r.Cost.Parameters), bytesText(r.Cost.Memory)})
	}
	if asJSON {
		return a.json(list)
	}
	return a.table(lines)
}

// sweepStatus writes how every run of a sweep is.
func (a *app) sweepStatus(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	all, job, unasked, err := sweep.Look(ctx, folder, runs)
	if err != nil {
		return err
	}
	if unasked != nil {
		a.note("%v; the table is without Slurm's words", unasked)
	}
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	if job != nil {
		a.note("%s; job %s", sweep.Count(all), job.ID)
		return nil
	}
	a.note("%s", sweep.Count(all))
	return nil
}

// sweepSlurm submits the runs that are not finished as one job array.
func (a *app) sweepSlurm(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	command, err := resumeSelf()
	if err != nil {
		return err
	}
	script, err := sweep.Script(folder, runs, command, o.slurm)
	if err != nil {
		return otherRun(err)
	}
	if len(script.Tasks) == 0 {
		a.note("all %d runs are finished", len(runs))
		return nil
	}
	if o.dryRun {
		text, err := script.Text()
		fmt.Fprint(a.stdout, text)
		return err
	}
	job, err := sweep.Submit(ctx, folder, runs, script)
	if err != nil {
		return otherRun(err)
	}
	if o.asJSON {
		return a.json(job)
	}
	a.print("job %s: %d runs in %s, tasks %s", job.ID, len(job.Tasks), folder, job.Indices())
	a.note("watch it: %s\nend it, with everything saved: %s", o.statusCommand(), job.Cancel())
	return nil
}

// statusCommand is the command line that shows how the runs are.
func (o sweepOptions) statusCommand() string {
	words := []string{"zoo", "sweep", "--config", o.file}
	if o.root != "runs" {
		words = append(words, "--runs", o.root)
	}
	for _, s := range o.set {
		words = append(words, "--set", s)
	}
	return strings.Join(each(append(words, "--status"), shellWord), " ")
}

// sweepLocally trains runs in child processes, as many at a time as asked for.
func (a *app) sweepLocally(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	command, err := resumeSelf()
	if err != nil {
		return err
	}
	options := sweep.Options{Command: command, Workers: o.workers, Memory: o.bound(), Ready: a.needLibrary, Report: a.reportSweep}
	var live *screen
	if isTerminal(a.stderr) {
		live = &screen{w: rawWriter(a.stderr)}
		options.Every = 500 * time.Millisecond
		options.Report = func(e sweep.Event) { a.drawSweep(live, e, ctx.Err() != nil) }
	}
	all, err := sweep.Train(ctx, folder, runs, options)
	if live != nil {
		live.erase()
	}
	if all == nil {
		return otherRun(err)
	}
	return a.sweepEnd(ctx, all, o)
}

// bound is the memory that workers may take together, 0 for no bound. A little is
// left to the rest of the machine.
func (o sweepOptions) bound() int64 {
	if o.memory > 0 {
		return int64(o.memory * (1 << 30))
	}
	return machine.This().MemoryFree / 20 * 19
}

// otherRun adds the remedy where a directory holds another run.
func otherRun(err error) error {
	var of *sweep.RunError
	if errors.As(err, &of) && errors.Is(err, train.ErrOtherRun) {
		return fmt.Errorf("%w; go on with that one alone: %s; "+
			"or choose another folder with --runs, or rename the sweep file", err, resumeCommand(of.Dir))
	}
	return err
}

// sweepEnd reports how a sweep went.
func (a *app) sweepEnd(ctx context.Context, all []sweep.Status, o sweepOptions) error {
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s; everything is saved; go on with: %s", train.ErrInterrupted, sweep.Count(all), a.repeat())
	}
	failed := slices.DeleteFunc(slices.Clone(all), func(s sweep.Status) bool { return s.State != sweep.Failed })
	for _, f := range failed {
		a.note("%s: %s", f.Dir, f.Error)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d runs failed; the same command tries these again", len(failed), len(all))
	}
	return nil
}

// sweepResults writes how every run is.
func (a *app) sweepResults(all []sweep.Status, asJSON bool) error {
	if asJSON {
		return a.json(all)
	}
	return a.table(each(all, sweep.Status.Cells))
}

// repeat is this command line.
func (a *app) repeat() string {
	return strings.Join(append([]string{"zoo"}, each(a.args, shellWord)...), " ")
}
