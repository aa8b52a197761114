package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// sweepStatus writes how every run of a sweep is, as its directory and, where the
// sweep went to Slurm, squeue say.
func (a *app) sweepStatus(ctx context.Context, o sweepOptions, folder string, runs []train.SweepRun) error {
	job, err := readSlurmJob(folder)
	if err != nil {
		return err
	}
	tasks := map[string]taskState{}
	logs := map[string]string{}
	if job != nil {
		states, err := job.ask(ctx)
		if err != nil {
			a.note("%v; the table is without Slurm's words", err)
		}
		for index, name := range job.Tasks {
			tasks[name] = states[index]
			logs[name] = filepath.Join(folder, fmt.Sprintf("slurm-%s_%d.log", job.ID, index))
		}
	}
	var all []sweepState
	for _, r := range runs {
		s, err := lookAt(r, tasks[r.Name], logs[r.Name])
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	if err := a.sweepResults(all, o.asJSON); err != nil {
		return err
	}
	if job != nil {
		a.note("%s; job %s", countStates(all), job.ID)
		return nil
	}
	a.note("%s", countStates(all))
	return nil
}

// lookAt finds out how a run is. log is where Slurm's own words on it are.
func lookAt(r train.SweepRun, task taskState, log string) (sweepState, error) {
	s := sweepState{Name: r.Name, Dir: filepath.ToSlash(r.Dir), State: sweepWaiting, Steps: r.Config.Train.Steps, Slurm: task.String()}
	if !find.IsRun(r.Dir) {
		return s, nil
	}
	info, err := find.ReadRun(r.Dir)
	if err != nil {
		s.State, s.Error = sweepFailed, err.Error()
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
		s.State = sweepFinished
	case busy || task.state == "RUNNING":
		s.State = sweepRunning
	case !task.over(): // it waits, at first or again
	case said != "":
		s.State, s.Error = sweepFailed, said
	case task.state != "" && task.state != "CANCELLED" && task.state != "PREEMPTED" && task.state != "COMPLETED":
		s.State, s.Error = sweepFailed, lastLine(log)
	case info.Step > 0:
		s.State = sweepStopped
	}
	s.look()
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
		return err.Error()
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
	f, size, err := tensor.OpenRegular(path, math.MaxInt64)
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
