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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nopezoo/zoo/experiment/sweep/internal/child"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// jobFile says, in a sweep's folder, which jobs it was submitted as last.
const jobFile = "slurm.json"

// submission is what a sweep was submitted as: a job array for each group of tasks that need alike, and perhaps a job after them.
type submission struct {
	Arrays    []jobArray `json:"arrays"`
	After     string     `json:"after,omitempty"`   // job that begins when all tasks are over
	Cluster   string     `json:"cluster,omitempty"` // where there are several
	Submitted time.Time  `json:"submitted"`

	Runs    int    `json:"-"` // in the tasks; 0 of a submission that was read
	Indices string `json:"-"` // of the tasks, briefly: "1-3,7"
	Cancel  string `json:"-"` // the command line that ends the jobs
}

// jobArray is one of Slurm's job arrays.
type jobArray struct {
	ID    string `json:"job"`
	Tasks []int  `json:"tasks"` // their numbers, by which arrayFile lists them
}

// named fills in Indices and Cancel.
func (s *submission) named() *submission {
	var all []int
	for _, a := range s.Arrays {
		all = append(all, a.Tasks...)
	}
	slices.Sort(all)
	s.Indices = ranges(all)
	words := []string{"scancel"}
	if s.Cluster != "" {
		words = append(words, "--clusters="+s.Cluster)
	}
	words = append(words, s.ids()...)
	if s.After != "" {
		words = append(words, s.After)
	}
	s.Cancel = human.Shell(words...)
	return s
}

// ids are the numbers of the arrays.
func (s *submission) ids() []string {
	return lists.Map(s.Arrays, func(a jobArray) string { return a.ID })
}

// String names the arrays: "job 4711", "jobs 4711, 4712".
func (s *submission) String() string {
	word := "job "
	if len(s.Arrays) > 1 {
		word = "jobs "
	}
	return word + strings.Join(s.ids(), ", ")
}

// readJob returns what a sweep was submitted as, nil for nothing.
func readJob(folder string) (*submission, error) {
	path := filepath.Join(folder, jobFile)
	data, err := files.ReadRegular(path, 1<<26) // an array of a million tasks
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s submission
	if err := json.Unmarshal(data, &s); err != nil || len(s.Arrays) == 0 {
		return nil, fmt.Errorf("%s names no job (%v); remove it when squeue shows no job of this sweep", path, err)
	}
	return s.named(), nil
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

// sbatch writes a script into the sweep's folder and hands it to Slurm. It returns the number of the job.
func sbatch(ctx context.Context, folder, name, text string) (id, cluster string, err error) {
	path := filepath.Join(folder, name)
	if err := files.WriteBytesAtomic(path, []byte(text)); err != nil {
		return "", "", err
	}
	out, err := slurmCommand(ctx, "sbatch", "--parsable", path)
	if err != nil {
		return "", "", err
	}
	id, cluster, _ = strings.Cut(strings.TrimSpace(out), ";")
	if !regexp.MustCompile(`^[0-9]+$`).MatchString(id) {
		return "", "", fmt.Errorf("sbatch printed %q: want the number of the job", out)
	}
	return id, cluster, nil
}

// submit hands all scripts to Slurm, and notes the jobs in the folder. Where Slurm refuses one, those before it are cancelled. Once it
// has begun, the end of ctx does not come between a job and the note of it.
func (s script) submit(ctx context.Context) (*submission, error) {
	ctx = context.WithoutCancel(ctx)
	sent := &submission{Submitted: time.Now().UTC().Truncate(time.Second)}
	refused := func(err error) (*submission, error) {
		if len(sent.Arrays) > 0 {
			_, ended := slurmCommand(ctx, "scancel", sent.ids()...)
			err = errors.Join(err, ended)
		}
		return nil, err
	}
	for i, group := range s.groups() {
		text, err := group.text()
		if err != nil {
			return refused(err)
		}
		id, cluster, err := sbatch(ctx, s.Folder, group.file(i), text)
		if err != nil {
			return refused(tooLarge(err, group.Tasks[len(group.Tasks)-1].Index))
		}
		sent.Cluster = cluster
		sent.Arrays = append(sent.Arrays, jobArray{id, group.indices()})
		for _, t := range group.Tasks {
			sent.Runs += t.Runs
		}
	}
	if len(s.cluster.After) > 0 {
		text, err := s.afterText(sent.ids())
		if err == nil {
			sent.After, _, err = sbatch(ctx, s.Folder, afterFile, text)
		}
		if err != nil {
			return refused(err)
		}
	}
	sent.named()
	if err := files.WriteJSONAtomic(filepath.Join(s.Folder, jobFile), sent); err != nil {
		return nil, fmt.Errorf("%s: submitted, but that could not be noted: %w; end it with: %s", sent, err, sent.Cancel)
	}
	return sent, nil
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

// ask returns the state of the tasks, by their numbers. Slurm forgets tasks
// some minutes after their end.
func (s *submission) ask(ctx context.Context) (map[int]taskState, error) {
	args := []string{"--jobs=" + strings.Join(s.ids(), ","), "--array", "--noheader", "--states=all", "--format=%K|%T|%r"}
	if s.Cluster != "" {
		args = append(args, "--clusters="+s.Cluster)
	}
	out, err := slurmCommand(ctx, "squeue", args...)
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return nil, nil // forgotten as a whole
	}
	if err != nil {
		return nil, fmt.Errorf("%s of this sweep: %w", s, err)
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
	sent, err := readJob(folder)
	if err != nil || sent == nil {
		return err
	}
	states, err := sent.ask(ctx)
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
		return fmt.Errorf("%s: %s; see zoo sweep --status, or end them with: %s",
			sent, human.Plural(left, "task of this sweep waits or runs", "tasks of this sweep wait or run"), sent.Cancel)
	}
	return nil
}

// log is the file of the messages of Slurm and the script on a task; "" where no job has it.
func (s *submission) log(folder string, index int) string {
	for _, a := range s.Arrays {
		if slices.Contains(a.Tasks, index) {
			return filepath.Join(folder, fmt.Sprintf("slurm-%s_%d.log", a.ID, index))
		}
	}
	return ""
}
