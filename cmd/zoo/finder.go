package main

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// lookIn are the options for finding models in a folder of runs and in the catalogue.
func (a *app) lookIn(runs string) zoo.Options {
	return zoo.Options{Runs: runs, Catalogue: catalogue.Embedded(), ToolVersion: version(),
		Runtime: runtime.Options{LinksWithin: a.linksWithin}, Warn: a.warn}
}

// warn notes an error that stops nothing.
func (a *app) warn(err error) { a.Note("%s", human.Error(err)) }

// choose lists the models of a command line: the named ones, else for each encoding the newest run that was trained on
// the tasks, or the catalogue's model. Without an encoding it is the newest of all; allEncodings means each.
func (a *app) choose(runs string, names, encodings []string, tasks string) ([]zoo.Model, error) {
	if len(names) > 0 && (len(encodings) > 0 || tasks != "") {
		return nil, fmt.Errorf("--pe and --task choose among runs and catalogue, but %s is named; drop one of the two",
			names[0])
	}
	f, err := find.New(a.lookIn(runs))
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		return f.These(names)
	}
	if f, err = f.On(tasks); err != nil {
		return nil, err
	}
	if slices.Contains(encodings, allEncodings) {
		every, err := f.Of()
		if err != nil {
			return nil, err
		}
		encodings = nil
		for _, m := range every {
			if !slices.Contains(encodings, m.Encoding) {
				encodings = append(encodings, m.Encoding)
			}
		}
	}
	return f.Newest(encodings...)
}
