package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/zoo"
)

// finder looks for the models that a command line means: among the runs, and in
// the catalogue.
type finder struct {
	a         *app
	root      string    // folder of the runs
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
	return f, err
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
		return nil, fmt.Errorf("no model has the encoding %s, neither under %s nor in the catalogue; make one: zoo train --pe %s", encoding, f.root, encoding)
	}
	return out, nil
}
