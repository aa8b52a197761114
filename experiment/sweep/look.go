package sweep

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Look returns how every run of the sweep in a folder is, as its directory and, where
// the sweep went to Slurm, Slurm say, and what it was submitted as last, nil for
// nothing. Where Slurm cannot be asked, unasked says why, and the rest is still there.
func Look(ctx context.Context, folder string, runs []Run) (all []Status, sent *submission, unasked, err error) {
	if sent, err = readJob(folder); err != nil {
		return nil, nil, nil, err
	}
	tasks := map[string]taskState{}
	logs := map[string]string{}
	if sent != nil {
		var states map[int]taskState
		if states, unasked = sent.ask(ctx); ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		a, err := readArray(folder)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, names := range a.Tasks {
			for _, name := range names {
				tasks[name], logs[name] = states[i+1], sent.log(folder, i+1)
			}
		}
	}
	for _, r := range runs {
		s, err := lookAt(r, tasks[r.Name], logs[r.Name])
		if err != nil {
			return nil, nil, nil, err
		}
		all = append(all, s)
	}
	return all, sent, unasked, nil
}

// lookAt finds out how a run is. slurmLog is the file of Slurm's messages on it.
func lookAt(r Run, task taskState, slurmLog string) (Status, error) {
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
	log, err := tailOf(filepath.Join(r.Dir, logFile))
	if err != nil {
		return s, err
	}
	switch problem := lastError(log, r.Dir); {
	case info.Finished:
		s.State = Finished
	case busy || task.State == "RUNNING":
		s.State = Running
	case !task.over(): // it waits, at first or again
	case problem != "":
		s.State, s.Error = Failed, problem
	case task.State != "" && task.State != "CANCELLED" && task.State != "PREEMPTED" && task.State != "COMPLETED":
		s.State, s.Error = Failed, lastLine(slurmLog)
	case info.Step > 0:
		s.State = Stopped
	}
	s.look()
	s.FittedStep = info.FittedStep
	s.Step = max(s.Step, info.Step)
	return s, nil
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

// tailOf reads the end of a file; nothing of one that is not there.
func tailOf(path string) ([]byte, error) {
	f, size, err := files.OpenRegular(path, math.MaxInt64)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, max(size-tailBytes, 0), tailBytes))
}
