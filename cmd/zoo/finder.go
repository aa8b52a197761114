package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/zoo"
)

// finder looks for the models that a command line means: among the runs, and in
// the catalogue.
type finder struct {
	a         *app
	root      string    // folder of the runs
	task      string    // that the models are narrowed to, "" for all
	runs      []runInfo // with a checkpoint, the newest first
	catalogue []zoo.Manifest
}

func (a *app) newFinder(root string) (finder, error) {
	f := finder{a: a, root: root}
	var err error
	if f.runs, err = a.scanRuns(root); err != nil {
		return f, err
	}
	f.runs = slices.DeleteFunc(f.runs, func(r runInfo) bool { return r.Step == 0 && !r.Imported })
	f.catalogue, err = zoo.List()
	tasks, encodings := each(task.All(), func(t task.Task) string { return t.Name }), encodingNames() // copy comes first
	slices.SortStableFunc(f.catalogue, func(x, y zoo.Manifest) int {
		return cmp.Or(slices.Index(tasks, x.Card.Task)-slices.Index(tasks, y.Card.Task),
			slices.Index(encodings, x.Card.Encoding)-slices.Index(encodings, y.Card.Encoding))
	})
	return f, err
}

// on keeps the models that were trained on one of the tasks, which may have other
// options; all of them for no task.
func (f finder) on(tasks string) (finder, error) {
	if tasks == "" {
		return f, nil
	}
	if _, err := task.LookupList(tasks); err != nil {
		return f, err
	}
	f.runs = slices.DeleteFunc(slices.Clone(f.runs), func(r runInfo) bool { return !related(r.Task, tasks) })
	f.catalogue = slices.DeleteFunc(slices.Clone(f.catalogue), func(m zoo.Manifest) bool { return !related(m.Card.Task, tasks) })
	f.task = tasks
	if len(f.runs)+len(f.catalogue) == 0 {
		return f, fmt.Errorf("no model was trained on %s, neither under %s nor in the catalogue; make one: zoo train --task %s; or name the model to use", tasks, f.root, tasks)
	}
	return f, nil
}

// related reports whether two lists of tasks have one in common, whatever its options.
func related(x, y string) bool {
	for name := range strings.SplitSeq(x, ",") {
		for other := range strings.SplitSeq(y, ",") {
			if base(name) == base(other) {
				return true
			}
		}
	}
	return false
}

// base is a task's name in the table.
func base(name string) string {
	t, err := task.Lookup(strings.TrimSpace(name))
	if err != nil {
		return name
	}
	name, _, _ = strings.Cut(t.Name, "+")
	return name
}

// named returns the model that an argument names: a file, a run directory or
// folder of weights, a model of the catalogue, or a run under the folder of the runs.
func (f finder) named(arg string) (source, error) {
	info, err := os.Stat(arg)
	if err == nil && !info.IsDir() {
		return fileSource(arg), nil
	}
	for _, m := range f.catalogue {
		if m.Name == arg {
			return catalogueSource(m), nil
		}
	}
	for _, dir := range []string{arg, filepath.Join(f.root, arg)} {
		if isRun(dir) {
			r, err := readRun(dir)
			return runSource(f.a, r), err
		}
	}
	if strings.ContainsAny(arg, `/\.`) || err == nil {
		return source{}, fmt.Errorf("%s is neither a file nor a run directory", arg)
	}
	known := each(f.catalogue, func(m zoo.Manifest) string { return m.Name })
	known = append(known, each(f.runs, func(r runInfo) string { return filepath.Base(r.Dir) })...)
	return source{}, unknown("model", arg, known)
}

// all returns every run, else the whole catalogue.
func (f finder) all() ([]source, error) {
	var out []source
	for _, r := range f.runs {
		out = append(out, runSource(f.a, r))
	}
	slices.SortFunc(out, func(a, b source) int { return strings.Compare(a.label, b.label) })
	if len(out) == 0 {
		out = each(f.catalogue, catalogueSource)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no model, neither under %s nor in the catalogue; make one: zoo train", f.root)
	}
	return out, nil
}

// of returns every run of an encoding, the newest first, else the models of the
// catalogue that have it.
func (f finder) of(encoding string) ([]source, error) {
	var out []source
	for _, r := range f.runs {
		if r.Encoding == encoding {
			out = append(out, runSource(f.a, r))
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	for _, m := range f.catalogue {
		if m.Card.Encoding == encoding {
			out = append(out, catalogueSource(m))
		}
	}
	if len(out) == 0 {
		trained, on := "", ""
		if f.task != "" {
			trained, on = " and the task "+f.task, " --task "+f.task
		}
		return nil, fmt.Errorf("no model has the encoding %s%s, neither under %s nor in the catalogue; make one: zoo train --pe %s%s", encoding, trained, f.root, encoding, on)
	}
	return out, nil
}
