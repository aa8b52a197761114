package find

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Run is what a run directory, or a folder of weights among the runs, says without
// its weights being read.
type Run struct {
	train.RunInfo

	// Imported means that there are weights and no training to go on with.
	Imported bool `json:"imported,omitempty"`
}

// State says for people how far a run is.
func (r Run) State() string {
	if r.Imported {
		return "imported"
	}
	return r.RunInfo.State()
}

// IsRun reports whether a directory holds a run, or a model that stands among runs.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, runfile.ConfigFile))
	return err == nil
}

// ReadRun describes a run directory, or a folder of weights as a run that is finished.
func ReadRun(dir string) (Run, error) {
	if !hf.IsFolder(dir) {
		info, err := train.Describe(dir)
		return Run{RunInfo: info}, err
	}
	m, err := hf.Describe(dir)
	if err != nil {
		return Run{}, err
	}
	r := Run{Imported: true, RunInfo: train.RunInfo{Dir: dir, Encoding: m.Config.Name(), Task: m.Card.Task,
		Seed: m.Card.Seed, DataSeed: m.Card.DataSeed, Step: m.Card.Steps, Steps: m.Card.Steps, Loss: m.Card.Loss}}
	if t := m.Card.Trained; t != (card.Lengths{}) {
		r.Lengths = fmt.Sprintf("%d..%d", t.Min, t.Max)
	}
	if info, err := os.Stat(dir); err == nil {
		r.Saved = info.ModTime()
	}
	return r, nil
}

// Runs describes every run in a folder, the newest first; there are none in a folder
// that does not exist. A run that cannot be read is passed over: warn is told.
func Runs(folder string, warn func(error)) ([]Run, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if !IsRun(dir) {
			continue
		}
		r, err := ReadRun(dir)
		if err != nil {
			warn(fmt.Errorf("passed over a run that cannot be read: %w", err))
			continue
		}
		if r.Damage != nil {
			warn(r.Damage)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Run) int { return b.Saved.Compare(a.Saved) })
	return out, nil
}

// Stopped describes the runs in a folder that can go on: neither finished nor at work.
// Order and warn are as in Runs.
func Stopped(folder string, warn func(error)) ([]Run, error) {
	runs, err := Runs(folder, warn)
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, r := range runs {
		busy, err := train.Busy(r.Dir)
		if err != nil {
			return nil, err
		}
		if !r.Imported && !r.Finished() && !busy {
			out = append(out, r)
		}
	}
	return out, nil
}
