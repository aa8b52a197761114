package sweep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/experiment/sweep/slurm"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Look returns how every run of the sweep in a folder is, as its directory and, where
// the sweep went to Slurm, Slurm say, and the job that it was sent as last, nil for
// none. Where Slurm cannot be asked, unasked says why, and the rest is still there.
func Look(ctx context.Context, folder string, runs []Run) (all []Status, job *slurm.Job, unasked, err error) {
	if job, err = slurm.ReadJob(folder); err != nil {
		return nil, nil, nil, err
	}
	tasks := map[string]slurm.TaskState{}
	logs := map[string]string{}
	if job != nil {
		var states map[int]slurm.TaskState
		if states, unasked = job.Ask(ctx); ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		for index, name := range job.Tasks {
			tasks[name], logs[name] = states[index], job.Log(folder, index)
		}
	}
	for _, r := range runs {
		s, err := lookAt(r, tasks[r.Name], logs[r.Name])
		if err != nil {
			return nil, nil, nil, err
		}
		all = append(all, s)
	}
	return all, job, unasked, nil
}

// lookAt finds out how a run is. log is where Slurm's own words on it are.
func lookAt(r Run, task slurm.TaskState, log string) (Status, error) {
	s := newStatus(r)
	s.Slurm = task.String()
	info, err := runfile.Describe(r.Dir)
	if errors.Is(err, fs.ErrNotExist) { // not begun
		return s, nil
	}
	if err != nil {
		s.State, s.Error = Failed, human.Error(err)
		return s, nil
	}
	busy, err := train.Busy(r.Dir)
	if err != nil {
		return s, err
	}
	switch said, err := lastWords(r.Dir); {
	case err != nil:
		return s, err
	case info.Finished():
		s.State = Finished
	case busy || task.State == "RUNNING":
		s.State = Running
	case !task.Over(): // it waits, at first or again
	case said != "":
		s.State, s.Error = Failed, said
	case task.State != "" && task.State != "CANCELLED" && task.State != "PREEMPTED" && task.State != "COMPLETED":
		s.State, s.Error = Failed, lastLine(log)
	case info.Step > 0:
		s.State = Stopped
	}
	s.look()
	s.FittedStep = info.FittedStep
	s.Step = max(s.Step, info.Step)
	return s, nil
}

// lastWords returns the error that the last start of a run ended with, "" where
// it did not end with one, or was interrupted.
func lastWords(dir string) (string, error) {
	data, err := tailOf(filepath.Join(dir, logFile))
	if err != nil {
		return "", err
	}
	begin := bytes.LastIndex(data, []byte("\nzoo: "))
	if begin < 0 {
		return "", nil
	}
	said := strings.TrimSpace(string(data[begin:]))
	// Lines of a start begin with its directory: then it is the one before that
	// ended so.
	_, further, _ := strings.Cut(said, "\n")
	if strings.Contains(further, filepath.Base(dir)+": ") {
		return "", nil
	}
	said = strings.TrimPrefix(said, "zoo: ")
	if said == "interrupted" || strings.HasPrefix(said, train.ErrInterrupted.Error()) {
		return "", nil
	}
	if _, after, ok := strings.Cut(said, filepath.Base(dir)+": "); ok {
		said = after
	}
	return strings.Join(strings.Fields(said), " "), nil
}

// lastLine returns the last line of a file, or says that there is none.
func lastLine(path string) string {
	data, err := tailOf(path)
	if err != nil {
		return human.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "ended without a word"
}

// tailOf reads the end of a file after a line break; nothing of one that is not
// there.
func tailOf(path string) ([]byte, error) {
	f, size, err := files.OpenRegular(path, math.MaxInt64)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte("\n"), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, max(size-64<<10, 0), 64<<10))
	return append([]byte("\n"), data...), err
}
