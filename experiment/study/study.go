// Package study carries out studies. A study is a folder with a sweep file, sweep.yaml, and
// the result rows of its runs, results.jsonl.gz, a gzip member for each run. The rows are its
// memory: a run that has them is neither trained nor measured again, also where nothing else
// is left of it, as on a fresh clone.
package study

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/models"
)

// Study is a study with the rows that are there.
type Study struct {
	Name    string      // of its folder
	Runs    []sweep.Run // in the order in which they are trained; see Only
	Trains  string      // folder in which they are trained
	Results string      // path of the file of its rows
	Rows    []eval.Row  // measured, also of runs that are not among Runs
	// Foreign lists the models of rows whose configuration no run of the sweep file has, such as a run whose
	// settings were changed since.
	Foreign []string
	// Placement is where its sweep file would have runs trained.
	Placement placement.Placement

	folder string
	hashes map[string]bool // of the configurations of all its runs
	index  map[rowKey]eval.Row
}

// rowKey is what a study knows a row by.
type rowKey struct {
	config  string // hash of the run's configuration
	changed string // after training: eval.Row.Intervention
	task    string
	version int // of the task
	length  task.Span
}

// Open reads the study in a folder, whose runs are trained in a folder of its name below
// another one. Nothing but the sweep file says what its runs are, so that they are the same
// for everybody: a setting on which the machine would decide is an error.
func Open(folder, runs string) (*Study, error) {
	trains, all, at, err := sweep.Read(filepath.Join(folder, sweep.StudyFile), runs, configs.Sources{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no study: it has no %s; a study is a folder with such a file (see: zoo sweep --help)",
			folder, sweep.StudyFile)
	}
	if err != nil {
		return nil, err
	}
	s := &Study{Name: filepath.Base(trains), Runs: all, Trains: trains, folder: folder, Placement: at,
		Results: filepath.Join(folder, "results.jsonl.gz")}
	if err := s.checkRuns(); err != nil {
		return nil, fmt.Errorf("study %s: %w", s.Name, err)
	}
	_, rows, err := readResults(s.Results)
	s.keep(rows)
	return s, err
}

// checkRuns wants runs that are the same on every machine, each of them once, and that can be
// measured, and notes their hashes.
func (s *Study) checkRuns() error {
	seen := map[string]string{}
	s.hashes = map[string]bool{}
	for _, r := range s.Runs {
		switch t := r.Config.Train; {
		case t.Threads == 0:
			return fmt.Errorf("run %s: train.threads is open, so that its bits and its hash would depend on the machine; "+
				"state it, such as train: {threads: 1}", r.Name)
		case t.Threads > 1 && t.Lanes == 0 && t.MicroTokens > 0:
			return fmt.Errorf("run %s: train.lanes is open, so that its hash would depend on the machine's memory; "+
				"state it, or train.threads: 1", r.Name)
		}
		hash := r.Config.Hash()
		if other, twice := seen[hash]; twice {
			return fmt.Errorf("%s and %s are the same run under two names; leave out one", other, r.Name)
		}
		seen[hash], s.hashes[hash] = r.Name, true
		if _, err := benchOptions(r); err != nil {
			return fmt.Errorf("run %s: %w", r.Name, err)
		}
		if _, err := interventions(r); err != nil {
			return fmt.Errorf("run %s: bench.changed: %w", r.Name, err)
		}
	}
	return nil
}

// interventions are what a run's model is measured with: nothing first, then each change of its
// part, which must be one of such models.
func interventions(r sweep.Run) ([]models.Intervention, error) {
	out := []models.Intervention{{}}
	for _, c := range r.Bench.Changed {
		var scales []string
		if c.Scale != "" {
			scales = append(scales, c.Scale)
		}
		i, err := models.ParseIntervention(c.RoPE, c.Window, scales...)
		if err == nil { // with any longest sequence in training
			_, err = i.Apply(r.Config.Model, func() (int, error) { return task.MaxLength, nil })
		}
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// benchOptions are those by which runs are measured: for accuracy alone, in one thread, since
// others are trained meanwhile.
func benchOptions(r sweep.Run) (bench.Options, error) {
	b := r.Bench
	o := bench.Defaults()
	o.Threads, o.Untimed = []int{1}, true
	list := bench.TaskLengths
	if b.Lengths != "" {
		list = b.Lengths
	}
	if b.Samples > 0 {
		o.Samples = b.Samples
	}
	if b.Batch > 0 {
		o.Batches = []int{b.Batch}
	}
	var err error
	if o.Lengths, err = task.ParseSpans(list); err == nil {
		_, err = bench.NewPlan(o)
	}
	if err != nil {
		err = fmt.Errorf("bench: %w", err)
	}
	return o, err
}

// Only leaves the runs of parts, or whose names match patterns such as "*-rope-*" (see
// path.Match). One that no run matches is an error.
func (s *Study) Only(names ...string) error {
	if len(names) == 0 {
		return nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		found := false
		for _, r := range s.Runs {
			match, err := path.Match(name, r.Name)
			if err != nil {
				return fmt.Errorf("%q: %w", name, err)
			}
			if match || r.Part == name {
				found, wanted[r.Name] = true, true
			}
		}
		if !found {
			parts := "" // of which none may have a name
			if known := s.parts(); len(known) > 0 {
				parts = "its parts: " + strings.Join(known, ", ") + "; "
			}
			return fmt.Errorf("no part of the study %s has the name %q, and no run either; %s"+
				"a pattern such as %q takes runs by their names, of which the first is %s",
				s.Name, name, parts, "*-s1", s.Runs[0].Name)
		}
	}
	s.Runs = slices.DeleteFunc(s.Runs, func(r sweep.Run) bool { return !wanted[r.Name] })
	return nil
}

// parts lists the names of the parts.
func (s *Study) parts() (out []string) {
	for _, r := range s.Runs {
		if r.Part != "" && !slices.Contains(out, r.Part) {
			out = append(out, r.Part)
		}
	}
	return out
}

// keep takes the rows for the study's.
func (s *Study) keep(rows []eval.Row) {
	s.Rows, s.index, s.Foreign = rows, map[rowKey]eval.Row{}, nil
	foreign := map[string]bool{}
	for _, r := range rows {
		if !s.hashes[r.ConfigHash] && !foreign[r.ConfigHash] {
			foreign[r.ConfigHash] = true
			s.Foreign = append(s.Foreign, r.Model)
		}
		s.index[rowKey{r.ConfigHash, r.Intervention, r.Task, r.TaskVersion, r.Span()}] = r
	}
}

// Measured reports whether the rows of a run are there: of its configuration, at all lengths of
// its part, as trained and with each change.
func (s *Study) Measured(r sweep.Run) bool {
	_, ok := s.measured(r)
	return ok
}

// measured is Measured, with one of the rows.
func (s *Study) measured(r sweep.Run) (one eval.Row, ok bool) {
	changes, err := interventions(r)
	if err != nil {
		return one, false // not from Open
	}
	for _, i := range changes {
		if one, ok = s.measuredWith(r, i); !ok {
			return one, false
		}
	}
	return one, true
}

// measuredWith is measured of one change, or of none.
func (s *Study) measuredWith(r sweep.Run, i models.Intervention) (one eval.Row, ok bool) {
	o, err := benchOptions(r)
	if err != nil {
		return one, false
	}
	tasks, err := task.LookupList(r.Config.Train.Task)
	if err != nil {
		return one, false
	}
	hash := r.Config.Hash()
	for _, t := range tasks {
		for _, length := range o.Lengths {
			if one, ok = s.index[rowKey{hash, i.String(), t.Name, t.Version, length}]; !ok {
				return one, false
			}
		}
	}
	return one, true
}
