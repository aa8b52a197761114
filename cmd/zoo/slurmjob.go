package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nopezoo/zoo/graph/tensor"
)

// slurmFile says, in a sweep's folder, which job it was submitted as last.
const slurmFile = "slurm.json"

// slurmJob is a sweep's job array.
type slurmJob struct {
	ID        string         `json:"job"`
	Cluster   string         `json:"cluster,omitempty"` // where there are several
	Submitted time.Time      `json:"submitted"`
	Tasks     map[int]string `json:"tasks"` // array index to the run's name
}

// readSlurmJob returns the job that a sweep was submitted as, nil for none.
func readSlurmJob(folder string) (*slurmJob, error) {
	path := filepath.Join(folder, slurmFile)
	data, err := tensor.ReadRegular(path, 1<<26) // an array of a million tasks
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var j slurmJob
	if err := json.Unmarshal(data, &j); err != nil || j.ID == "" {
		return nil, fmt.Errorf("%s names no job (%v); remove it when squeue shows no job of this sweep", path, err)
	}
	return &j, nil
}

func (j *slurmJob) write(folder string) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return tensor.WriteBytesAtomic(filepath.Join(folder, slurmFile), append(data, '\n'))
}

// cancel is the command line that ends the job.
func (j *slurmJob) cancel() string {
	if j.Cluster != "" {
		return "scancel --clusters=" + j.Cluster + " " + j.ID
	}
	return "scancel " + j.ID
}

// slurm runs one of Slurm's commands and returns what it prints. Its complaint is
// the error.
func slurm(ctx context.Context, name string, args ...string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is not on this machine's PATH: run this where Slurm's commands are (a login node; Debian's package slurm-client)", name)
	}
	var out, complaint bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &complaint
	c.SysProcAttr = childAttributes() // a terminal's Ctrl-C would reach it, too: ctx decides
	if err := c.Run(); err != nil {
		said := strings.Join(strings.Fields(complaint.String()), " ")
		if said == "" {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return "", fmt.Errorf("%s (%w)", said, err) // Slurm's commands name themselves
	}
	return out.String(), nil
}

// submit hands a job script to Slurm.
func submit(ctx context.Context, script string) (*slurmJob, error) {
	out, err := slurm(ctx, "sbatch", "--parsable", script)
	if err != nil {
		return nil, err
	}
	id, cluster, _ := strings.Cut(strings.TrimSpace(out), ";")
	if !regexp.MustCompile(`^[0-9]+$`).MatchString(id) {
		return nil, fmt.Errorf("sbatch printed %q: want the number of the job", out)
	}
	return &slurmJob{ID: id, Cluster: cluster, Submitted: time.Now().UTC().Truncate(time.Second)}, nil
}

// taskState is what Slurm says of a task.
type taskState struct{ state, reason string }

// over reports whether the task has ended for good (squeue(1), job state codes).
func (s taskState) over() bool {
	switch s.state {
	case "", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT":
		return true
	}
	return false
}

// String gives the reason where it says why something does not run.
func (s taskState) String() string {
	if s.reason == "" || s.reason == "None" {
		return s.state
	}
	return s.state + " (" + s.reason + ")"
}

// ask returns the state of the job's tasks, by their indices. Slurm forgets tasks
// some minutes after their end.
func (j *slurmJob) ask(ctx context.Context) (map[int]taskState, error) {
	args := []string{"--jobs=" + j.ID, "--array", "--noheader", "--states=all", "--format=%K|%T|%r"}
	if j.Cluster != "" {
		args = append(args, "--clusters="+j.Cluster)
	}
	out, err := slurm(ctx, "squeue", args...)
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return nil, nil // forgotten as a whole
	}
	if err != nil {
		return nil, fmt.Errorf("job %s of this sweep: %w", j.ID, err)
	}
	states := map[int]taskState{}
	for line := range strings.Lines(out) {
		part := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if index, err := strconv.Atoi(part[0]); err == nil && len(part) == 3 {
			states[index] = taskState{part[1], part[2]}
		}
	}
	return states, nil
}

// checkIdle refuses while a job of the sweep in a folder waits or runs.
func checkIdle(ctx context.Context, folder string) error {
	j, err := readSlurmJob(folder)
	if err != nil || j == nil {
		return err
	}
	states, err := j.ask(ctx)
	if err != nil {
		return fmt.Errorf("%w; if it is over for certain, remove %s", err, filepath.Join(folder, slurmFile))
	}
	left := 0
	for _, s := range states {
		if !s.over() {
			left++
		}
	}
	if left > 0 {
		return fmt.Errorf("job %s: %d tasks of this sweep wait or run; see zoo sweep --status, or end them with: %s", j.ID, left, j.cancel())
	}
	return nil
}
