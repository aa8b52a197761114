package main

import (
	"slices"

	"github.com/nopezoo/zoo/internal/human"
)

// repeat is this command line.
func (a *app) repeat() string {
	return human.Shell(append([]string{"zoo"}, a.args...)...)
}

// again is the command line to go on with this one's work.
func (a *app) again() string {
	if slices.Contains(a.args, "--resume") {
		return a.repeat()
	}
	return a.repeat() + " --resume"
}

// resumeCommand is the command line to go on with a run.
func resumeCommand(dir string) string { return human.Shell("zoo", "train", "--resume", dir) }
