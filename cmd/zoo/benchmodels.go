package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/bench"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/zoo/find"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// benched lists the models to measure, and puts their tasks into the options. Those
// that were found for a task are measured on that one alone, with the options that
// were asked for, else their own; and where none is named, one is chosen.
func (a *app) benched(o *benchOptions, args []string) ([]bench.Model, error) {
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return nil, err
	}
	every := o.task == allTasks
	if every {
		o.task = ""
	}
	var found []find.Model
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
	return each(found, func(m find.Model) bench.Model { return bench.Model{Label: m.Label, From: m.From, ONNX: m.ONNX} }), nil
}

func (o *benchOptions) namedModels(f find.Finder, args []string) ([]find.Model, error) {
	if len(o.encodings) > 0 {
		return nil, fmt.Errorf("--pe chooses among runs and catalogue, but %s is named; drop one of the two", args[0])
	}
	var out []find.Model
	for _, arg := range args {
		s, err := f.Named(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (a *app) foundModels(o *benchOptions, f find.Finder, every bool) (out []find.Model, err error) {
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
		return task.Related(t.Name, c.Task) && (only == "" || task.Base(t.Name) == only)
	}
	if f, err = f.On(cmp.Or(o.task, only)); err != nil {
		return nil, err
	}
	if len(encodings) == 0 {
		return f.All()
	}
	for _, name := range encodings {
		found, err := f.Of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

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
