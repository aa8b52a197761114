package sweep

import (
	"context"
	"path/filepath"

	"github.com/nopezoo/zoo/experiment/sweep/slurm"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Script lays out the job array of those runs of the sweep in a folder that are not
// finished, each trained by command (see Options.Command), whose program must be an
// absolute path. Nothing is written.
func Script(folder string, runs []Run, command []string, o slurm.Options) (slurm.Script, error) {
	s := slurm.Script{Name: filepath.Base(folder), Command: command, Options: o}
	if err := o.Check(); err != nil {
		return s, err
	}
	var err error
	if s.Folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	for i, r := range runs {
		cfg, _, err := train.Settle(r.Dir, r.Config, o.CPUs, 0)
		if err != nil {
			return s, &runfile.RunError{Dir: r.Dir, Err: err}
		}
		if r.Finished() {
			continue
		}
		dir, err := filepath.Abs(r.Dir)
		if err != nil {
			return s, err
		}
		s.Tasks = append(s.Tasks, slurm.Task{Index: i + 1, Name: r.Name, Dir: dir,
			Threads: cfg.Train.Threads, Memory: r.Memory})
	}
	return s, nil
}

// Submit prepares the runs and hands a script of theirs to Slurm. The folder must not be
// at work, here or there. The end of ctx does not come between the job and the note of it.
func Submit(ctx context.Context, folder string, runs []Run, script slurm.Script) (*slurm.Job, error) {
	if err := slurm.Available(ctx); err != nil {
		return nil, err // before anything is written
	}
	release, err := claim(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := prepare(runs, script.Options.CPUs, 0); err != nil {
		return nil, err
	}
	return script.Submit(ctx)
}
