package main

import (
	"slices"

	"github.com/nopezoo/zoo/sweep/slurm"
)

// shellWord quotes an argument where a shell would take it apart.
func shellWord(s string) string { return slurm.Quote(s) }

// again is the command line that goes on with what this one began.
func (a *app) again() string {
	if slices.Contains(a.args, "--resume") {
		return a.repeat()
	}
	return a.repeat() + " --resume"
}

// resumeCommand is the command line that goes on with a run.
func resumeCommand(dir string) string { return "zoo train --resume " + shellWord(dir) }
