package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
)

// sweepPlan lists what a sweep would train, and how long that would take at most. Those runs
// that measured tells of have their results.
func (a *app) sweepPlan(ctx context.Context, o sweepOptions, runs []sweep.Run, measured func(sweep.Run) bool) error {
	timing := sweep.Timing{Workers: o.atOnce(), Measured: measured, Pace: func(ctx context.Context, r launch.Run) (train.Pace, error) {
		r.Provider = o.Provider
		return r.Pace(ctx, o.placed.options())
	}}
	meter := func() *terminal.Meter { return a.Meter("timing steps", 0, 0) }
	m := meter()
	if !o.asJSON {
		timing.Listed = func(runs []sweep.Planned) error {
			m.Close()
			defer func() { m = meter() }()
			return a.Table(tables.Plan(runs))
		}
	}
	timing.Report = func(done, total int) {
		m.Total = int64(total)
		m.Update(int64(done), func() string { return fmt.Sprintf("%d of %d kinds of runs", done, total) })
	}
	if missing, _ := libraryHere(); missing != nil && !engine.OnDevice(o.Provider) {
		timing.Pace = func(context.Context, launch.Run) (train.Pace, error) { return train.Pace{}, missing }
	}
	planned, total, err := sweep.Plan(ctx, runs, timing)
	m.Close()
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.JSON(planned)
	}
	if times := tables.PlanTimes(planned); times != nil {
		a.Print("")
		if err := a.Table(times); err != nil {
			return err
		}
	}
	a.Print("\n%s", planSum(planned, total, o.atOnce()))
	noted := map[string]bool{} // each cause once, with its first run
	for _, p := range planned {
		if unknown(p) && !noted[p.Err.Error()] {
			noted[p.Err.Error()] = true
			a.Note("%s: no time: %s", p.Name, human.Error(p.Err))
		}
	}
	return nil
}

// planSum is how long all runs take: "at most about 11 h 40 min with 2 workers", or at least, if not all are known.
func planSum(planned []sweep.Planned, total time.Duration, workers int) string {
	measured, without := 0, 0
	bound := "at most"
	for _, p := range planned {
		if p.Measured {
			measured++
		}
		if p.Err != nil {
			bound = "at least"
		}
		if unknown(p) {
			without++
		}
	}
	sum := human.Plural(len(planned), "run", "runs")
	if measured > 0 {
		sum += fmt.Sprintf(", %d of them measured before", measured)
	}
	if total > 0 {
		sum += fmt.Sprintf(": %s about %s with %s", bound, human.Rough(total), human.Plural(workers, "worker", "workers"))
	}
	if without > 0 {
		sum += fmt.Sprintf("; of %d the time is not known", without)
	}
	return sum
}

// unknown reports whether nothing is known of how long a run takes, not even a time that it takes at least.
func unknown(p sweep.Planned) bool { return p.Err != nil && p.Least == 0 }
