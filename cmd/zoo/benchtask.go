package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/zoo"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// chooseTask returns the one task to measure where the command line names none, in
// its plain form, and says how to get the others; "" where the models have no more
// than one.
func (a *app) chooseTask(f finder, encodings []string) string {
	tasks := f.tasks(encodings)
	if len(tasks) < 2 {
		return ""
	}
	chosen := tasks[0]
	if slices.Contains(tasks, zoo.Headline) {
		chosen = zoo.Headline
	}
	others := slices.DeleteFunc(tasks, func(t string) bool { return t == chosen })
	a.note("measuring the task %s alone; --task %s measures every model on its own, and\n--task NAME another one: %s", chosen, allTasks, strings.Join(others, ", "))
	return chosen
}

// tasks lists what the runs were trained on, or the catalogue's models where there
// are no runs, in plain forms and the order of "zoo list tasks"; of some encodings,
// or for none of all.
func (f finder) tasks(encodings []string) []string {
	var out []string
	add := func(encoding, tasks string) {
		if len(encodings) == 0 || slices.Contains(encodings, encoding) {
			for name := range strings.SplitSeq(tasks, ",") {
				out = append(out, base(name))
			}
		}
	}
	for _, r := range f.runs {
		add(r.Encoding, r.Task)
	}
	if len(out) == 0 {
		for _, m := range f.catalogue {
			add(m.Card.Encoding, m.Card.Task)
		}
	}
	order := each(task.All(), func(t task.Task) string { return t.Name })
	slices.SortFunc(out, func(x, y string) int {
		return cmp.Or(slices.Index(order, x)-slices.Index(order, y), strings.Compare(x, y))
	})
	return slices.DeleteFunc(slices.Compact(out), func(t string) bool { return t == "" })
}
