package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Script returns the job scripts of the runs of a sweep in a folder that are not finished, as bash
// reads them; "" where all are. Tasks are trained by a program, zoo, whose path must be absolute unless it is in a container.
// Nothing is written.
func Script(folder string, runs []Run, program string, at placement.Placement, c Cluster) (string, error) {
	s, err := newScript(folder, runs, program, at, c)
	if err != nil || len(s.Tasks) == 0 {
		return "", err
	}
	var texts, ids []string
	for i, group := range s.groups() {
		text, err := group.text()
		if err != nil {
			return "", err
		}
		texts, ids = append(texts, text), append(ids, fmt.Sprintf("JOB%d", i+1))
	}
	if len(c.After) > 0 {
		text, err := s.afterText(ids)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}

// Submit prepares the runs and hands their Script to Slurm; nil where all are finished. The
// folder must not be at work, here or there. The end of ctx does not come between a job and the note
// of it.
func Submit(ctx context.Context, folder string, runs []Run, program string, at placement.Placement, c Cluster) (*submission, error) {
	s, err := newScript(folder, runs, program, at, c)
	if err != nil || len(s.Tasks) == 0 {
		return nil, err
	}
	if err := slurmAvailable(ctx); err != nil {
		return nil, err // before anything is written
	}
	if _, err := Prepare(ctx, folder, runs, at, c); err != nil {
		return nil, err
	}
	return s.submit(ctx)
}

// newScript lays out the job array of the tasks whose runs are not all finished.
func newScript(folder string, runs []Run, program string, at placement.Placement, c Cluster) (script, error) {
	s := script{Name: filepath.Base(folder), Program: program, Provider: at.Provider, cluster: c}
	if program == "" {
		return s, errors.New("sweep: a job script needs the program that trains")
	}
	if err := c.Check(); err != nil {
		return s, err
	}
	var err error
	if s.Folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	done := 0 // runs of the tasks before
	for i, names := range newArray(runs, at, c).Tasks {
		t := arrayTask{Index: i + 1, Runs: len(names)}
		left := false
		for _, r := range runs[done : done+len(names)] {
			cfg, err := train.Prepare(r.Dir, r.Config, c.CPUs, 0, false)
			if err != nil {
				return s, &runfile.RunError{Dir: r.Dir, Err: err}
			}
			t.Threads, t.Memory = t.Threads+cfg.Train.Threads, t.Memory+r.Memory
			left = left || !r.finished()
		}
		if at.Provider == engine.CUDA {
			t.Memory += cudaHost
		}
		if done += len(names); left {
			s.Tasks = append(s.Tasks, t)
		}
	}
	return s, nil
}

// cudaHost is how much main memory CUDA's libraries may take in a task; it is not measured.
const cudaHost = 4 << 30
