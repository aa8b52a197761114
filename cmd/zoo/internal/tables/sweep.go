package tables

import (
	"fmt"
	"time"

	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
)

// Plan lists the runs of a sweep.
func Plan(planned []sweep.Planned) [][]string {
	lines := [][]string{{"run", "steps", "parameters", "memory", "time at most"}}
	for _, p := range planned {
		lines = append(lines, []string{p.Name, fmt.Sprint(p.Config.Train.Steps),
			fmt.Sprint(p.Parameters), human.Bytes(p.Memory), planTime(p)})
	}
	return lines
}

// planTime is the time left of a run.
func planTime(p sweep.Planned) string {
	switch {
	case p.Measured:
		return "measured before"
	case p.Err != nil:
		return "not known"
	case *p.Seconds == 0:
		return "trained before"
	}
	return human.Rough(time.Duration(*p.Seconds * float64(time.Second)))
}
