// Package find chooses among the runs of a folder and the models of the catalogue.
package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// Finder holds what there is: the runs with a checkpoint, the newest first, and the
// models of the catalogue, ordered by task and encoding.
type Finder struct {
	options   zoo.Options
	task      string // that the models are narrowed to, "" for all
	runs      []Run
	catalogue []catalogue.Manifest
}

// New looks through the folder of the runs and the catalogue.
func New(o zoo.Options) (Finder, error) {
	f := Finder{options: o}
	var err error
	if f.runs, err = Runs(o.Runs, o.Warn); err != nil {
		return f, err
	}
	f.runs = slices.DeleteFunc(f.runs, func(r Run) bool { return r.Step == 0 && !r.Imported })
	if o.Catalogue.FS == nil {
		return f, nil
	}
	f.catalogue, err = o.Catalogue.List()
	tasks, encodings := task.Known(), models.Encodings() // copy comes first
	slices.SortStableFunc(f.catalogue, func(x, y catalogue.Manifest) int {
		return cmp.Or(slices.Index(tasks, x.Card.Task)-slices.Index(tasks, y.Card.Task),
			slices.Index(encodings, x.Card.Name())-slices.Index(encodings, y.Card.Name()))
	})
	return f, err
}

// On keeps the models that were trained on one of the tasks, a list with commas, which
// may have other options; all of them for no task. That none is left is an error.
func (f Finder) On(tasks string) (Finder, error) {
	if tasks == "" {
		return f, nil
	}
	if _, err := task.LookupList(tasks); err != nil {
		return f, err
	}
	f.runs = slices.DeleteFunc(slices.Clone(f.runs), func(r Run) bool { return !task.Related(r.Task, tasks) })
	f.catalogue = slices.DeleteFunc(slices.Clone(f.catalogue), func(m catalogue.Manifest) bool {
		return !task.Related(m.Card.Task, tasks)
	})
	f.task = tasks
	if len(f.runs)+len(f.catalogue) == 0 {
		return f, fmt.Errorf("no model was trained on %s, neither under %s nor in the catalogue; "+
			"make one: zoo train --task %s; or name the model to use", tasks, f.options.Runs, tasks)
	}
	return f, nil
}

// ChooseTask returns the task that stands for the models where none is named, without
// options: the catalogue's headline if it is among them, else the first of task.All; and
// the others. The models are of some encodings, by the names that models.EncodingNames
// returns, or for none all.
func (f Finder) ChooseTask(encodings []string) (chosen string, others []string) {
	tasks := f.tasks(encodings)
	if len(tasks) == 0 {
		return "", nil
	}
	chosen = tasks[0]
	if slices.Contains(tasks, catalogue.Headline) {
		chosen = catalogue.Headline
	}
	return chosen, slices.DeleteFunc(tasks, func(t string) bool { return t == chosen })
}

// tasks lists what the runs were trained on, or the catalogue's models where there are
// no runs, without options and in the order of task.All, files last; of some encodings,
// or for none of all.
func (f Finder) tasks(encodings []string) []string {
	var out []string
	add := func(encoding, tasks string) {
		if len(encodings) == 0 || slices.Contains(encodings, encoding) {
			for name := range strings.SplitSeq(tasks, ",") {
				base, _, _ := strings.Cut(strings.TrimSpace(name), "+")
				out = append(out, base)
			}
		}
	}
	for _, r := range f.runs {
		add(r.Encoding, r.Task)
	}
	if len(out) == 0 {
		for _, m := range f.catalogue {
			add(m.Card.Name(), m.Card.Task)
		}
	}
	order := task.Known()
	place := func(name string) int { // files' come last
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(out, func(x, y string) int {
		return cmp.Or(place(x)-place(y), strings.Compare(x, y))
	})
	return slices.DeleteFunc(slices.Compact(out), func(t string) bool { return t == "" })
}

// These returns the models that names mean, as zoo.Find does.
func (f Finder) These(names []string) ([]zoo.Model, error) {
	var out []zoo.Model
	for _, name := range names {
		m, err := zoo.Find(name, f.options)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Newest returns the newest run of each encoding, else the first model of the catalogue that has it; without an
// encoding the newest of all runs, else the first model.
func (f Finder) Newest(encodings ...string) ([]zoo.Model, error) {
	if len(encodings) == 0 && len(f.runs) > 0 {
		return f.These([]string{f.runs[0].Dir})
	}
	if len(encodings) == 0 {
		all, err := f.Of()
		return all[:min(1, len(all))], err
	}
	var out []zoo.Model
	for _, encoding := range encodings {
		all, err := f.Of(encoding)
		if err != nil {
			return nil, err
		}
		out = append(out, all[0])
	}
	return out, nil
}

// Of returns every run of each encoding, the newest first, else the models of the
// catalogue that have it; without an encoding every run in the order of their names,
// else the whole catalogue. That there is none is an error, and so is an unknown encoding.
func (f Finder) Of(encodings ...string) ([]zoo.Model, error) {
	encodings, err := models.EncodingNames(encodings)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, encoding := range encodings {
		found := f.names(encoding)
		if len(found) == 0 {
			trained, on := "", ""
			if f.task != "" {
				trained, on = " and the task "+f.task, " --task "+f.task
			}
			return nil, fmt.Errorf("no model has the encoding %s%s, neither under %s nor in the catalogue; "+
				"make one: zoo train --pe %s%s", encoding, trained, f.options.Runs, encoding, on)
		}
		names = append(names, found...)
	}
	if len(encodings) > 0 {
		return f.These(names)
	}
	if names = f.names(""); len(names) == 0 {
		return nil, fmt.Errorf("there is no model, neither under %s nor in the catalogue; make one: zoo train",
			f.options.Runs)
	}
	if len(f.runs) > 0 {
		slices.Sort(names)
	}
	return f.These(names)
}

// names returns the folders of the runs of an encoding, else the catalogue's models; "" is any encoding.
func (f Finder) names(encoding string) []string {
	var out []string
	for _, r := range f.runs {
		if encoding == "" || r.Encoding == encoding {
			out = append(out, r.Dir)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range f.catalogue {
		if encoding == "" || m.Card.Name() == encoding {
			out = append(out, m.Name)
		}
	}
	return out
}
