package tables

import (
	"fmt"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/human"
)

// Cells lists the cells of a benchmark, and how long each takes.
func Cells(cells []*bench.Cell) [][]string {
	lines := [][]string{{"model", "profile", "provider", "threads", "batch", "measure", "task", "seed", "length", "time"}}
	for _, c := range cells {
		name, seed, took := c.Task, fmt.Sprint(c.Seed), "n/a"
		if name == "" {
			name, seed = "-", "-"
		}
		if c.Measured {
			took = "measured"
		}
		if c.Seconds != nil {
			took = human.Seconds(*c.Seconds)
		}
		span := task.At(c.Length)
		if c.LengthMin > 0 {
			span.Min = c.LengthMin
		}
		length := span.Label()
		if c.Depth != nil {
			length += fmt.Sprintf(", depth %d", *c.Depth)
		}
		lines = append(lines, []string{c.Model, c.Profile, c.Provider, fmt.Sprint(c.Threads), fmt.Sprint(c.Batch), c.Measure,
			name, seed, length, took})
	}
	return lines
}
