package runfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nopezoo/zoo/train/journal"
)

// Info is what a run directory says without its weights being read.
type Info struct {
	Dir      string    `json:"dir"`
	Encoding string    `json:"encoding"` // or the architecture that has none
	Task     string    `json:"task"`
	Lengths  string    `json:"lengths"`
	Seed     uint64    `json:"seed"`
	DataSeed uint64    `json:"data_seed,omitempty"` // where it is another
	Step     int       `json:"step"`                // of the newest checkpoint; 0 for none
	Steps    int       `json:"steps"`
	Loss     *float64  `json:"loss"` // of the last step noted; null for none
	Saved    time.Time `json:"saved"`
	// FittedStep is the step of the first evaluation noted without a mistake at trained
	// lengths; 0 for none, nil for no evaluation or one that cannot be read.
	FittedStep *int `json:"fitted_step,omitempty"`

	Config   Config `json:"-"`
	Finished bool   `json:"-"` // nothing is left to train
	State    string `json:"-"` // how far the run is, for people
	// Damage says which lines of the metrics cannot be read; nil for none.
	Damage error `json:"-"`
}

// Describe reads what a run directory says of its run, without the weights.
func Describe(dir string) (Info, error) {
	cfg, err := ReadConfig(dir)
	if err != nil {
		return Info{}, err
	}
	r := Info{Dir: dir, Encoding: cfg.Model.Name(), Task: cfg.Train.Task, Lengths: cfg.Train.Lengths,
		Seed: cfg.Train.Seed, DataSeed: cfg.Train.DataSeed, Steps: cfg.Train.Steps, Config: cfg}
	steps, err := Steps(dir)
	if err != nil {
		return r, err
	}
	newest := filepath.Join(dir, ConfigFile)
	if len(steps) > 0 && steps[0] > 0 {
		r.Step, newest = steps[0], Path(dir, steps[0])
	}
	if info, err := os.Stat(newest); err == nil {
		r.Saved = info.ModTime()
	}
	noted, err := journal.Read(dir)
	if errors.Is(err, journal.ErrDamaged) {
		r.Damage = err
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if n := len(noted.Steps); n > 0 {
		r.Loss = &noted.Steps[n-1].Loss
	}
	r.FittedStep = noted.Fitted
	if r.FittedStep != nil && *r.FittedStep == 0 && r.Damage != nil {
		r.FittedStep = nil
	}
	r.Finished = r.Step >= r.Steps
	if n := len(noted.Evaluations); n > 0 { // training may have ended early, as the configuration says
		last := noted.Evaluations[n-1]
		r.Finished = r.Finished || last.Stop && last.Step == r.Step
	}
	r.State = State(r.Step, r.Steps, r.Finished)
	return r, nil
}

// State says for people how far a run is that has begun.
func State(step, steps int, finished bool) string {
	switch {
	case finished:
		return "finished"
	case step == 0:
		return "no checkpoint yet"
	}
	return fmt.Sprintf("stopped at step %d of %d", step, steps)
}
