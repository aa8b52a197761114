package sweep

import (
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

	"github.com/nopezoo/zoo/experiment/sweep/internal/child"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
)

// jobFile says, in a sweep's folder, which job it was submitted as last.
const jobFile = "slurm.json"

// job is a sweep's job array.
type job struct {
	ID        string    `json:"job"`
	Cluster   string    `json:"cluster,omitempty"` // where there are several
	Submitted time.Time `json:"submitted"`
	Indices   string    `json:"array"` // of its tasks, which arrayFile lists: "1-3,7"

	Runs    int    `json:"-"` // in the tasks; 0 of a job that was read
	Cancel  string `json:"-"` // the command line that ends the job
}

// named fills in Cancel.
func (j *job) named() *job {
	words := []string{"scancel"}
	if j.Cluster != "" {
		words = append(words, "--clusters="+j.Cluster)
	}
	j.Cancel = human.Shell(append(words, j.ID)...)
	return j
}

// readJob returns the job that a sweep was submitted as, nil for none.
func readJob(folder string) (*job, error) {
	path := filepath.Join(folder, jobFile)
	data, err := files.ReadRegular(path, 1<<26) // an array of a million tasks
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var j job
	if err := json.Unmarshal(data, &j); err != nil || j.ID == "" {
		return nil, fmt.Errorf("%s names no job (%v); remove it when squeue shows no job of this sweep", path, err)
	}
	return j.named(), nil
}

// maxOutput bounds what one of Slurm's commands may print, in bytes: the states of a million tasks.
const maxOutput = 1 << 26

// maxComplaint bounds the bytes kept of a complaint.
const maxComplaint = 1 << 12

// slurmCommand runs one of Slurm's commands and returns what it prints. Its complaint is
// the error. The end of ctx ends it with all that it started.
func slurmCommand(ctx context.Context, name string, args ...string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is not on this machine's PATH: run this where Slurm's commands are "+
			"(a login node; Debian's package slurm-client)", name)
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	out, complaint := bounded{most: maxOutput, full: cancel}, bounded{most: maxComplaint}
	c := exec.CommandContext(within, name, args...)
	c.Stdout, c.Stderr = &out, &complaint
	child.EndWhole(c) // and a terminal's Ctrl-C would reach it, too: ctx decides
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case out.over:
		return "", fmt.Errorf("%s printed more than %d bytes; that is no answer of Slurm", name, maxOutput)
	case err != nil:
		text := strings.Join(strings.Fields(complaint.String()), " ")
		if text == "" {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return "", fmt.Errorf("%s (%w)", text, err) // Slurm's commands name themselves
	}
	return out.String(), nil
}

// bounded keeps the first bytes written, and tells when there are more.
type bounded struct {
	strings.Builder
	most int
	over bool
	full func() // where not nil, called when there is more than that
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	kept := min(len(p), b.most-b.Len())
	b.Builder.Write(p[:kept])
	if kept < len(p) && !b.over {
		b.over = true
		if b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}

// slurmAvailable returns an error where there is no sbatch that answers.
func slurmAvailable(ctx context.Context) error {
	_, err := slurmCommand(ctx, "sbatch", "--version")
	return err
}

// submit writes the script into the sweep's folder, hands it to Slurm, and notes the job
// in the folder. Once it has begun, the end of ctx does not come between the job and the
// note of it.
func (s script) submit(ctx context.Context) (*job, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.Folder, scriptFile)
	if err := files.WriteBytesAtomic(path, []byte(text)); err != nil {
		return nil, err
	}
	out, err := slurmCommand(context.WithoutCancel(ctx), "sbatch", "--parsable", path)
	if err != nil {
		return nil, tooLarge(err, s.Tasks[len(s.Tasks)-1].Index)
	}
	id, cluster, _ := strings.Cut(strings.TrimSpace(out), ";")
	if !regexp.MustCompile(`^[0-9]+$`).MatchString(id) {
		return nil, fmt.Errorf("sbatch printed %q: want the number of the job", out)
	}
	j := &job{ID: id, Cluster: cluster, Submitted: time.Now().UTC().Truncate(time.Second), Indices: s.indices()}
	for _, t := range s.Tasks {
		j.Runs += t.Runs
	}
	j.named()
	if err := files.WriteJSONAtomic(filepath.Join(s.Folder, jobFile), j); err != nil {
		return nil, fmt.Errorf("job %s is submitted, but that could not be noted: %w; end it with: %s",
			j.ID, err, j.Cancel)
	}
	return j, nil
}

// taskState is a task's state in Slurm, with its reason.
type taskState struct{ State, Reason string }

// over reports whether the task has ended for good (squeue(1), job state codes).
func (s taskState) over() bool {
	switch s.State {
	case "", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL",
		"OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT":
		return true
	}
	return false
}

// String gives the reason where it says why something does not run.
func (s taskState) String() string {
	if s.Reason == "" || s.Reason == "None" {
		return s.State
	}
	return s.State + " (" + s.Reason + ")"
}

// ask returns the state of the job's tasks, by their indices. Slurm forgets tasks
// some minutes after their end.
func (j *job) ask(ctx context.Context) (map[int]taskState, error) {
	args := []string{"--jobs=" + j.ID, "--array", "--noheader", "--states=all", "--format=%K|%T|%r"}
	if j.Cluster != "" {
		args = append(args, "--clusters="+j.Cluster)
	}
	out, err := slurmCommand(ctx, "squeue", args...)
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
	j, err := readJob(folder)
	if err != nil || j == nil {
		return err
	}
	states, err := j.ask(ctx)
	if err != nil {
		return fmt.Errorf("%w; if it is over for certain, remove %s", err, filepath.Join(folder, jobFile))
	}
	left := 0
	for _, s := range states {
		if !s.over() {
			left++
		}
	}
	if left > 0 {
		return fmt.Errorf("job %s: %s; see zoo sweep --status, or end them with: %s",
			j.ID, human.Plural(left, "task of this sweep waits or runs", "tasks of this sweep wait or run"), j.Cancel)
	}
	return nil
}

// log is the file of the messages of Slurm and the script on a task of the job.
func (j *job) log(folder string, index int) string {
	return filepath.Join(folder, fmt.Sprintf("slurm-%s_%d.log", j.ID, index))
}
