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
	"github.com/nopezoo/zoo/train/runfile"
)

// Run is what a run directory, or a folder of weights among the runs, says without
// its weights being read.
type Run struct {
	runfile.Info

	// Imported means that there are weights and no training to go on with.
	Imported bool `json:"imported,omitempty"`
}

// describe reads what a run directory says, or a folder of weights as a run that is finished.
func describe(dir string) (Run, error) {
	if !hf.IsFolder(dir) {
		info, err := runfile.Describe(dir)
		return Run{Info: info}, err
	}
	m, err := hf.Describe(dir)
	if err != nil {
		return Run{}, err
	}
	r := Run{Imported: true, Info: runfile.Info{Dir: dir, State: "imported", Encoding: m.Config.Name(), Task: m.Card.Task,
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
// that does not exist. A run that cannot be read is passed over: warn is told, and without
// it that is an error.
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
		if _, err := os.Stat(filepath.Join(dir, runfile.ConfigFile)); err != nil {
			continue
		}
		r, err := describe(dir)
		if err != nil {
			if err := pass(warn, fmt.Errorf("passed over a run that cannot be read: %w", err)); err != nil {
				return nil, err
			}
			continue
		}
		if err := pass(warn, r.Damage); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Run) int { return b.Saved.Compare(a.Saved) })
	return out, nil
}

// pass hands an error to warn, where both are.
func pass(warn func(error), err error) error {
	if err == nil || warn == nil {
		return err
	}
	warn(err)
	return nil
}
