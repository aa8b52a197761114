package tables

import (
	"fmt"
	"time"

	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
)

// Plan lists the runs of a sweep, before they are timed.
func Plan(planned []sweep.Planned) [][]string {
	lines := [][]string{{"run", "steps", "parameters", "memory", "done"}}
	for _, p := range planned {
		done := "no"
		switch {
		case p.Measured:
			done = "measured before"
		case p.Seconds != nil: // nothing is left
			done = "trained before"
		}
		lines = append(lines, []string{p.Name, fmt.Sprint(p.Config.Train.Steps), fmt.Sprint(p.Parameters), human.Bytes(p.Memory), done})
	}
	return lines
}

// PlanTimes lists how long runs take that have work left, alike ones in a line; nil where no time is known.
func PlanTimes(planned []sweep.Planned) [][]string {
	runs, first, times := map[string]int{}, map[string]string{}, []string{}
	known := false
	for _, p := range planned {
		if p.Measured || p.Seconds != nil && *p.Seconds == 0 {
			continue
		}
		known = known || p.Seconds != nil || p.Least > 0
		took := planTime(p)
		if runs[took]++; runs[took] == 1 {
			first[took], times = p.Name, append(times, took)
		}
	}
	if !known {
		return nil
	}
	lines := [][]string{{"time of each", "runs", "the first of them"}}
	for _, took := range times {
		lines = append(lines, []string{took, fmt.Sprint(runs[took]), first[took]})
	}
	return lines
}

// planTime is the time left of a run.
func planTime(p sweep.Planned) string {
	seconds := func(s float64) string { return human.Rough(time.Duration(s * float64(time.Second))) }
	switch {
	case p.Seconds != nil:
		return "at most " + seconds(*p.Seconds)
	case p.Least > 0:
		return "at least " + seconds(p.Least)
	}
	return "not known"
}
