package main

import (
	"strings"

	"github.com/nopezoo/zoo/zoo/find"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// chooseTask returns the one task to measure where the command line names none, and
// says how to get the others; "" where the models have no more than one.
func (a *app) chooseTask(f find.Finder, encodings []string) string {
	chosen, others := f.ChooseTask(encodings)
	if len(others) == 0 {
		return ""
	}
	a.note("measuring the task %s alone; --task %s measures every model on its own, and\n--task NAME another one: %s", chosen, allTasks, strings.Join(others, ", "))
	return chosen
}
