package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/human"
)

// Cells lists the cells of a benchmark, and how long each takes. What is the same in all of several cells is no column but
// named in alike.
func Cells(cells []*bench.Cell) (lines [][]string, alike string) {
	lines = [][]string{{"model", "profile", "provider", "threads", "batch", "measure", "task", "seed", "length", "time"}}
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
	return withoutAlike(lines)
}

// withoutAlike takes the columns that have one value out of a table of several lines below a head, but for the first and
// the last two.
func withoutAlike(lines [][]string) (_ [][]string, alike string) {
	var names []string
	for column := len(lines[0]) - 3; column > 0 && len(lines) > 2; column-- {
		value := lines[1][column]
		if slices.ContainsFunc(lines[1:], func(line []string) bool { return line[column] != value }) {
			continue
		}
		names = append(names, lines[0][column]+" "+value)
		for i := range lines {
			lines[i] = slices.Delete(lines[i], column, column+1)
		}
	}
	slices.Reverse(names)
	return lines, strings.Join(names, ", ")
}
