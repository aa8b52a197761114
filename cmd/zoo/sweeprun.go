package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nopezoo/zoo/sweep"
)

// sweepPlan lists what a sweep would train.
func (a *app) sweepPlan(runs []sweep.Run, asJSON bool) error {
	if asJSON {
		return a.json(runs)
	}
	lines := [][]string{{"run", "steps", "parameters", "memory"}}
	for _, r := range runs {
		lines = append(lines, []string{r.Name, fmt.Sprint(r.Config.Train.Steps),
			fmt.Sprint(r.Parameters), bytesText(r.Memory)})
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
	sum := sweep.Count(all)
	if job != nil {
		sum += "; job " + job.ID
	}
	a.note("%s", sum)
	return nil
}

// sweepSlurm submits the runs that are not finished as one job array.
func (a *app) sweepSlurm(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	script, err := sweep.Script(folder, runs, o.command, o.slurm)
	if err != nil {
		return err
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
		return err
	}
	if o.asJSON {
		return a.json(job)
	}
	a.print("job %s: %d runs in %s, tasks %s", job.ID, len(job.Tasks), folder, job.Indices())
	a.note("watch it: %s --status\nend it, with everything saved: %s", a.repeat(), job.Cancel())
	return nil
}

// sweepLocally trains runs in child processes, as many at a time as asked for.
func (a *app) sweepLocally(ctx context.Context, o sweepOptions, folder string, runs []sweep.Run) error {
	options := sweep.Options{Command: o.command, Workers: o.workers, Memory: int64(o.memory * (1 << 30)),
		Ready: a.needLibrary, Report: a.reportSweep}
	erase := func() {}
	if isTerminal(a.stderr) {
		live := &screen{w: rawWriter(a.stderr)}
		erase = live.erase
		options.Every = 500 * time.Millisecond
		options.Report = func(e sweep.Event) { a.drawSweep(live, e, ctx.Err() != nil) }
	}
	all, err := sweep.Train(ctx, folder, runs, options)
	erase()
	if all == nil {
		return err
	}
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %s; everything is saved; go on with: %s", err, sweep.Count(all), a.repeat())
	}
	failed := 0
	for _, s := range all {
		if s.State == sweep.Failed {
			a.note("%s: %s", s.Dir, s.Error)
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed; the same command tries these again", failed, len(all))
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
