package sweep

import (
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Run is one run of a sweep.
type Run struct {
	Name string `json:"name"`           // unique within the sweep
	Dir  string `json:"dir"`            // run directory, with slashes
	Part string `json:"part,omitempty"` // of the sweep file; "" where it has no name
	train.Cost
	Config runfile.Config `json:"config"`
	Bench  bench          `json:"bench,omitzero"` // how its model is to be measured
}

// prepare makes the directories of all runs, and fills in their threads and lanes where
// these are left open. memory is what a run may take, 0 where nobody knows.
func prepare(runs []Run, threads int, memory int64) error {
	for i, r := range runs {
		var err error
		runs[i].Config, err = train.Prepare(r.Dir, r.Config, threads, memory, true)
		if err == nil && runs[i].Config.Train.Lanes != r.Config.Train.Lanes {
			runs[i].Cost, err = train.EstimateCost(runs[i].Config)
		}
		if err != nil {
			return &runfile.RunError{Dir: r.Dir, Err: err}
		}
	}
	return nil
}

// finished reports whether the run is finished, as far as its directory can be read.
func (r Run) finished() bool {
	info, err := runfile.Describe(r.Dir)
	return err == nil && info.Finished
}
