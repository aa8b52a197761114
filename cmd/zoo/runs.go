package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/interop"
	"github.com/nopezoo/zoo/train"
)

// runInfo is what a run directory says without its weights being read.
type runInfo struct {
	Dir      string    `json:"dir"`
	Encoding string    `json:"encoding"`
	Task     string    `json:"task"`
	Lengths  string    `json:"lengths"`
	Seed     uint64    `json:"seed"`
	Step     int       `json:"step"` // of the newest checkpoint; 0 for none
	Steps    int       `json:"steps"`
	Loss     *float64  `json:"loss"` // of the last step noted; null for none
	Saved    time.Time `json:"saved"`

	// Imported means that there are weights and no training to go on with.
	Imported bool `json:"imported,omitempty"`

	config  train.Config
	stopped bool  // early, as its configuration says
	damage  error // lines of its metrics that cannot be read; nil for none
}

func (r runInfo) finished() bool { return r.Step >= r.Steps || r.stopped }

// state says how far a run is.
func (r runInfo) state() string {
	switch {
	case r.Imported:
		return "imported"
	case r.finished():
		return "finished"
	case r.Step == 0:
		return "no checkpoint yet"
	}
	return fmt.Sprintf("stopped at step %d of %d", r.Step, r.Steps)
}

// isRun reports whether a directory holds a run, or a model that stands among
// runs.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, train.ConfigFile))
	return err == nil
}

// readRun describes a run directory, or a folder of weights.
func readRun(dir string) (runInfo, error) {
	if interop.IsFolder(dir) {
		return readFolder(dir)
	}
	cfg, err := train.ReadConfig(dir)
	if err != nil {
		return runInfo{}, err
	}
	r := runInfo{Dir: dir, Encoding: cfg.Model.Encoding, Task: cfg.Train.Task, Lengths: cfg.Train.Lengths,
		Seed: cfg.Train.Seed, Steps: cfg.Train.Steps, config: cfg}
	steps, err := train.Checkpoints(dir)
	if err != nil {
		return r, err
	}
	if len(steps) > 0 {
		r.Step = steps[0]
	}
	newest := train.ConfigFile
	if r.Step > 0 {
		newest = fmt.Sprintf("checkpoint-%08d.safetensors", r.Step)
	}
	if info, err := os.Stat(filepath.Join(dir, newest)); err == nil {
		r.Saved = info.ModTime()
	}
	stats, err := train.ReadMetrics(filepath.Join(dir, train.MetricsFile))
	if errors.Is(err, train.ErrDamagedLines) {
		r.damage = err
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if len(stats) > 0 {
		r.Loss = &stats[len(stats)-1].Loss
	}
	evals, err := train.ReadEvaluations(filepath.Join(dir, train.MetricsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && r.damage == nil {
		return r, err
	}
	if len(evals) > 0 {
		last := evals[len(evals)-1]
		r.stopped = last.Stop && last.Step == r.Step
	}
	return r, nil
}

// scanRuns describes every run under a folder, the newest first. A run that
// cannot be read is passed over with a note.
func (a *app) scanRuns(root string) ([]runInfo, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []runInfo
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if !isRun(dir) {
			continue
		}
		r, err := readRun(dir)
		if err != nil {
			a.note("passed over a run that cannot be read: %v", err)
			continue
		}
		if r.damage != nil {
			a.note("%v", r.damage)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b runInfo) int { return b.Saved.Compare(a.Saved) })
	return out, nil
}

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
	runs, err := a.scanRuns(root)
	if err != nil {
		return "", err
	}
	var stopped, lines []string
	for _, r := range runs {
		busy, err := train.Busy(r.Dir)
		if err != nil {
			return "", err
		}
		if r.Imported || r.finished() || busy {
			continue
		}
		stopped = append(stopped, r.Dir)
		lines = append(lines, fmt.Sprintf("%s  # %s", resumeCommand(r.Dir), r.state()))
	}
	switch len(stopped) {
	case 0:
		return "", fmt.Errorf("--resume: no run in the folder %s was stopped; to begin one, say what to train, such as: zoo train --pe rope", root)
	case 1:
		return stopped[0], nil
	}
	return "", fmt.Errorf("--resume: %d runs in the folder %s were stopped; go on with one of them, or name several:\n%s", len(stopped), root, strings.Join(lines, "\n"))
}
