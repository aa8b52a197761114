package main

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// difference names the settings in which two configurations differ.
func difference(was, is train.Config) string {
	var out []string
	for _, s := range configs.Settings() {
		if a, b := s.Of(was), s.Of(is); a != b {
			out = append(out, fmt.Sprintf("%s was %s, now %s", s.Key, a, b))
		}
	}
	return strings.Join(out, "; ")
}

// stoppedRun returns the run under a folder that is neither finished nor at work, of
// which there must be one.
func (a *app) stoppedRun(root string) (string, error) {
	runs, err := find.Runs(root, a.warn)
	if err != nil {
		return "", err
	}
	var stopped, lines []string
	for _, r := range runs {
		busy, err := train.Busy(r.Dir)
		if err != nil {
			return "", err
		}
		if r.Imported || r.Finished() || busy {
			continue
		}
		stopped = append(stopped, r.Dir)
		lines = append(lines, fmt.Sprintf("%s  # %s", resumeCommand(r.Dir), r.State()))
	}
	switch len(stopped) {
	case 0:
		return "", fmt.Errorf("--resume: no run in the folder %s was stopped; to begin one, say what to train, such as: zoo train --pe rope", root)
	case 1:
		return stopped[0], nil
	}
	return "", fmt.Errorf("--resume: %d runs in the folder %s were stopped; go on with one of them, or name several:\n%s", len(stopped), root, strings.Join(lines, "\n"))
}
