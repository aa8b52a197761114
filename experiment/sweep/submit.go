package sweep

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Script returns the job script of the runs of a sweep in a folder that are not finished, as bash
// reads it; "" where all are. Each is trained by command (see Training.Command), whose program must be
// an absolute path. Nothing is written.
func Script(folder string, runs []Run, command []string, c Cluster) (string, error) {
	s, err := newScript(folder, runs, command, c)
	if err != nil || len(s.Tasks) == 0 {
		return "", err
	}
	return s.text()
}

// Submit prepares the runs and hands their Script to Slurm; the job is nil where all are finished. The
// folder must not be at work, here or there. The end of ctx does not come between the job and the note
// of it.
func Submit(ctx context.Context, folder string, runs []Run, command []string, c Cluster) (*job, error) {
	s, err := newScript(folder, runs, command, c)
	if err != nil || len(s.Tasks) == 0 {
		return nil, err
	}
	if err := slurmAvailable(ctx); err != nil {
		return nil, err // before anything is written
	}
	release, err := claim(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := prepare(runs, c.CPUs, 0); err != nil {
		return nil, err
	}
	return s.submit(ctx)
}

// newScript lays out the job array of the runs that are not finished.
func newScript(folder string, runs []Run, command []string, c Cluster) (script, error) {
	s := script{Name: filepath.Base(folder), Command: command, cluster: c}
	if len(command) == 0 {
		return s, errors.New("sweep: a job script needs the command that trains a run")
	}
	if err := c.Check(); err != nil {
		return s, err
	}
	var err error
	if s.Folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	for i, r := range runs {
		cfg, err := train.Prepare(r.Dir, r.Config, c.CPUs, 0, false)
		if err != nil {
			return s, &runfile.RunError{Dir: r.Dir, Err: err}
		}
		if r.finished() {
			continue
		}
		dir, err := filepath.Abs(r.Dir)
		if err != nil {
			return s, err
		}
		s.Tasks = append(s.Tasks, arrayTask{Index: i + 1, Name: r.Name, Dir: dir,
			Threads: cfg.Train.Threads, Memory: r.Memory})
	}
	return s, nil
}
