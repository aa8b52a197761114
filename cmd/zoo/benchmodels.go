package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/bench"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/zoo"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// benched lists the models to measure, and puts their tasks into the options. Those
// that were found for a task are measured on that one alone, with the options that
// were asked for, else their own; and where none is named, one is chosen.
func (a *app) benched(o *benchOptions, args []string) ([]bench.Model, error) {
	f, err := a.newFinder(o.runs)
	if err != nil {
		return nil, err
	}
	every := o.task == allTasks
	if every {
		o.task = ""
	}
	var found []source
	if len(args) > 0 {
		found, err = o.namedModels(f, args)
	} else {
		found, err = a.foundModels(o, f, every)
	}
	if err != nil {
		return nil, err
	}
	if o.task != "" {
		if o.Tasks, err = task.LookupList(o.task); err != nil {
			return nil, err
		}
	}
	return each(found, func(s source) bench.Model { return bench.Model{Label: s.label, From: s.from, ONNX: s.onnx} }), nil
}

func (o *benchOptions) namedModels(f finder, args []string) ([]source, error) {
	if len(o.encodings) > 0 {
		return nil, fmt.Errorf("--pe chooses among runs and catalogue, but %s is named; drop one of the two", args[0])
	}
	var out []source
	for _, arg := range args {
		s, err := f.named(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (a *app) foundModels(o *benchOptions, f finder, every bool) (out []source, err error) {
	encodings := o.encodings
	if slices.Contains(encodings, "all") {
		encodings = nil
	}
	if err := checkEncodings(encodings); err != nil {
		return nil, err
	}
	only := "" // the one task chosen where none is named, in its plain form
	if o.task == "" && !every {
		only = a.chooseTask(f, encodings)
	}
	o.Wants = func(c card.Card, t task.Task) bool {
		return related(t.Name, c.Task) && (only == "" || base(t.Name) == only)
	}
	if f, err = f.on(cmp.Or(o.task, only)); err != nil {
		return nil, err
	}
	if len(encodings) == 0 {
		return f.all()
	}
	for _, name := range encodings {
		found, err := f.of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

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
