package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/zoo/find"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// allEncodings stands for every encoding among those given with --pe.
const allEncodings = "all"

// planBench plans the models and lengths that the command line means.
func (a *app) planBench(ctx context.Context, o benchOptions, args []string) (p *bench.Plan, err error) {
	if o.lengths != "" {
		if o.Lengths, err = task.ParseSpans(o.lengths); err != nil {
			return nil, err
		}
	}
	if o.task != "" && o.task != allTasks {
		if o.Tasks, err = task.LookupList(o.task); err != nil {
			return nil, err
		}
	}
	found, err := a.benched(&o, args)
	if err == nil {
		found, err = o.atCheckpoints(found)
	}
	if err == nil {
		found, err = o.interventionFlags.apply(found)
	}
	if err == nil {
		found, err = inEach(found, o.dtypes)
	}
	if err != nil {
		return nil, err
	}
	o.Runtime, o.ToolVersion = engineFlags{allow: o.allow, allowCPUNodes: o.allowCPUNodes}.options(), version()
	var measured []bench.Model
	for _, m := range found {
		measured = append(measured, bench.Model{Label: m.Label, From: m.From, ONNX: m.ONNX, Beside: m.Beside()})
	}
	return bench.NewPlan(ctx, measured, o.Options)
}

// atCheckpoints has each run at each of the checkpoints asked for.
func (o *benchOptions) atCheckpoints(found []find.Model) (out []find.Model, err error) {
	for _, m := range found {
		each, err := m.AtEach(o.checkpoints)
		if err != nil {
			return nil, err
		}
		out = append(out, each...)
	}
	return out, nil
}

// inEach has each model in each of the precisions.
func inEach(found []find.Model, dtypes []string) (out []find.Model, err error) {
	for _, m := range found {
		for _, dtype := range dtypes {
			as, err := m.As(dtype)
			if err != nil {
				return nil, fmt.Errorf("--dtype %w", err)
			}
			out = append(out, as)
		}
	}
	return out, nil
}

// benched lists the models to measure: those named, or else runs and the catalogue's,
// which are measured on what they were trained on alone.
func (a *app) benched(o *benchOptions, args []string) ([]find.Model, error) {
	if len(args) > 0 && len(o.encodings) > 0 {
		return nil, fmt.Errorf("--pe chooses among runs and catalogue, but %s is named; drop one of the two", args[0])
	}
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return f.These(args)
	}
	encodings := o.encodings
	if slices.Contains(encodings, allEncodings) {
		encodings = nil
	}
	if encodings, err = find.EncodingNames(encodings); err != nil {
		return nil, err
	}
	trained, only := o.task, ""
	switch trained {
	case allTasks:
		trained = ""
	case "":
		only = a.chooseTask(f, encodings)
		trained = only
	}
	o.Wants = bench.OwnTasks(only)
	if f, err = f.On(trained); err != nil {
		return nil, err
	}
	return f.Of(encodings...)
}

// chooseTask returns the one task to measure where the command line names none, and
// says how to get the others; "" where the models have no more than one.
func (a *app) chooseTask(f find.Finder, encodings []string) string {
	chosen, others := f.ChooseTask(encodings)
	if len(others) == 0 {
		return ""
	}
	a.Note("measuring the task %s alone; --task %s measures every model on its own, and\n--task NAME another one: %s",
		chosen, allTasks, strings.Join(others, ", "))
	return chosen
}
