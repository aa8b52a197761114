package main

import (
	"slices"

	"github.com/nopezoo/zoo/experiment/sweep/slurm"
)

// repeat is this command line.
func (a *app) repeat() string {
	line := "zoo"
	for _, arg := range a.args {
		line += " " + slurm.Quote(arg)
	}
	return line
}

// again is the command line to go on with this one's work.
func (a *app) again() string {
	if slices.Contains(a.args, "--resume") {
		return a.repeat()
	}
	return a.repeat() + " --resume"
}

// resumeCommand is the command line to go on with a run.
func resumeCommand(dir string) string { return "zoo train --resume " + slurm.Quote(dir) }
