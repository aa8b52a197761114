package sweep

import "github.com/nopezoo/zoo/train"

// Run is one run of a sweep.
type Run struct {
	Name string `json:"name"` // unique within the sweep
	Dir  string `json:"dir"`  // run directory, with slashes
	train.Cost
	Config train.Config `json:"config"`
}

// RunError says which run of a sweep an error is about.
type RunError struct {
	Dir string
	Err error // names Dir
}

// Error implements error.
func (e *RunError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the run.
func (e *RunError) Unwrap() error { return e.Err }

// prepare makes the directories of all runs, and fills in their threads where these are
// left open.
func prepare(runs []Run, threads int) error {
	for i, r := range runs {
		var err error
		if runs[i].Config, err = train.Prepare(r.Dir, r.Config, threads); err != nil {
			return &RunError{r.Dir, err}
		}
	}
	return nil
}

// Finished reports whether the run is finished, as far as its directory can be read.
func (r Run) Finished() bool {
	info, err := train.Describe(r.Dir)
	return err == nil && info.Finished()
}
