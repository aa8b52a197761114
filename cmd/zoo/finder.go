package main

import (
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
)

// lookIn says where models are: in a folder of runs, and in the catalogue.
func (a *app) lookIn(runs string) find.Options {
	return find.Options{Runs: runs, Catalogue: zoo.Embedded(), ToolVersion: version(), Warn: a.warn}
}

// warn tells the user of something that was passed over.
func (a *app) warn(err error) { a.Note("%v", err) }
