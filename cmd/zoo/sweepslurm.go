package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// slurmOptions are the flags of zoo sweep --executor slurm.
type slurmOptions struct {
	partition, time  string
	cpus, maxRunning int
	args             []string
}

// scriptFile is the job script, in the sweep's folder.
const scriptFile = "sweep.sbatch"

// slurmCPUs is --cpus where it is not given: what a node has, a login node does
// not know.
const slurmCPUs = 4

func (o *slurmOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.partition, "partition", "", "Slurm's `partition` (default: the cluster's)")
	f.StringVar(&o.time, "time", "", "`limit` of one start of a run, such as 4:00:00; at the limit it saves and is started again")
	f.IntVar(&o.cpus, "cpus", slurmCPUs, "cores of each run in Slurm, where train.threads does not say")
	f.IntVar(&o.maxRunning, "max-running", 0, "runs at a time in Slurm (default: what there is room for)")
	f.StringArrayVar(&o.args, "sbatch-arg", nil, "further `option` of sbatch, as in --sbatch-arg=--account=physics; may be repeated")
}

// check refuses what does not fit together, before anything is read or written.
func (o sweepOptions) check(c *cobra.Command) error {
	if err := oneOf("executor", o.executor, "local", "slurm"); err != nil {
		return fmt.Errorf("--executor: %w", err)
	}
	foreign := []string{"partition", "time", "cpus", "max-running", "sbatch-arg"}
	if o.executor == "slurm" {
		foreign = []string{"workers", "memory"}
	}
	for _, name := range foreign {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s means nothing to --executor %s; see: zoo sweep --help", name, o.executor)
		}
	}
	switch {
	case o.status && o.dryRun:
		return errors.New("--status and --dry-run: choose one")
	case o.workers < 1:
		return fmt.Errorf("--workers %d: want at least 1", o.workers)
	case o.executor == "slurm" && o.dryRun && o.asJSON:
		return errors.New("--json: a job script is no JSON; leave it out")
	case o.slurm.cpus < 1:
		return fmt.Errorf("--cpus %d: want at least 1", o.slurm.cpus)
	case o.slurm.maxRunning < 0:
		return fmt.Errorf("--max-running %d: want at least 1, or 0 for no bound", o.slurm.maxRunning)
	}
	for _, arg := range o.slurm.args {
		if err := checkSbatchArg(arg); err != nil {
			return err
		}
	}
	return checkLimit(o.slurm.time)
}

// checkLimit refuses a time limit that is none, or in which a run would hardly do
// more than begin and save.
func checkLimit(text string) error {
	if text == "" {
		return nil
	}
	limit, err := slurmTime(text)
	if err != nil {
		return fmt.Errorf("--time %q: %w", text, err)
	}
	if least := 2 * saveSeconds * time.Second; limit < least {
		return fmt.Errorf("--time %q: want at least %d minutes, the last two of which are for saving", text, int(least.Minutes()))
	}
	return nil
}

// slurmTime reads a time as sbatch(1) has it: minutes, minutes:seconds,
// hours:minutes:seconds, and days-hours, with minutes and seconds or without.
func slurmTime(text string) (time.Duration, error) {
	m := regexp.MustCompile(`^(?:(\d{1,5})-)?(\d{1,8})(?::(\d{1,5}))?(?::(\d{1,5}))?$`).FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("want minutes, hours:minutes:seconds or days-hours")
	}
	var n [4]time.Duration // days and what follows; empty ones are 0
	for i, digits := range m[1:] {
		v, _ := strconv.Atoi(digits) // digits, and few
		n[i] = time.Duration(v)
	}
	switch {
	case m[1] != "" || m[4] != "":
		return n[0]*24*time.Hour + n[1]*time.Hour + n[2]*time.Minute + n[3]*time.Second, nil
	default:
		return n[1]*time.Minute + n[2]*time.Second, nil
	}
}

// slurmScript lays out the job array of the runs that are not finished. Nothing
// is written.
func (o sweepOptions) slurmScript(name, folder string, runs []train.SweepRun) (slurmScript, error) {
	s := slurmScript{Name: name, MaxRunning: o.slurm.maxRunning, Time: o.slurm.time, Partition: o.slurm.partition, Args: o.slurm.args}
	var err error
	if s.Zoo, err = os.Executable(); err != nil {
		return s, err
	}
	if s.Folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	for i, r := range runs {
		if _, err := r.Settle(o.slurm.cpus); err != nil {
			return s, otherRun(err, r.Dir)
		}
		if info, err := find.ReadRun(r.Dir); err == nil && info.Finished() {
			continue
		}
		dir, err := filepath.Abs(r.Dir)
		if err != nil {
			return s, err
		}
		s.Tasks = append(s.Tasks, slurmTask{i + 1, r, dir})
	}
	return s, nil
}

// sweepSlurm submits the runs that are not finished as one job array.
func (a *app) sweepSlurm(ctx context.Context, o sweepOptions, name, folder string, runs []train.SweepRun) error {
	script, err := o.slurmScript(name, folder, runs)
	if err != nil {
		return err
	}
	if len(script.Tasks) == 0 {
		a.note("all %d runs are finished", len(runs))
		return nil
	}
	text, err := script.text()
	if err != nil {
		return err
	}
	if o.dryRun {
		fmt.Fprint(a.stdout, text)
		return nil
	}
	if _, err := slurm(ctx, "sbatch", "--version"); err != nil {
		return err // before anything is written
	}
	release, err := claimFolder(ctx, folder)
	if err != nil {
		return err
	}
	defer release()
	if err := prepareRuns(runs, o.slurm.cpus); err != nil {
		return err
	}
	path := filepath.Join(script.Folder, scriptFile)
	if err := tensor.WriteBytesAtomic(path, []byte(text)); err != nil {
		return err
	}
	return a.submitted(ctx, o, folder, path, script)
}

// submitted submits the script, and tells the folder and the user.
func (a *app) submitted(ctx context.Context, o sweepOptions, folder, path string, script slurmScript) error {
	// Ctrl-C must not come between the job and the note of it.
	job, err := submit(context.WithoutCancel(ctx), path)
	if err != nil {
		return tooLarge(err, script.Tasks[len(script.Tasks)-1].Index)
	}
	job.Tasks = map[int]string{}
	for _, t := range script.Tasks {
		job.Tasks[t.Index] = t.Run.Name
	}
	if err := job.write(folder); err != nil {
		return fmt.Errorf("job %s is submitted, but that could not be noted: %w; end it with: %s", job.ID, err, job.cancel())
	}
	if o.asJSON {
		return a.json(job)
	}
	a.print("job %s: %d runs in %s, tasks %s", job.ID, len(job.Tasks), folder, ranges(slices.Sorted(maps.Keys(job.Tasks))))
	a.note("watch it: %s\nend it, with everything saved: %s", o.statusCommand(), job.cancel())
	return nil
}

// tooLarge adds to Slurm's refusal of an array what is wrong with it, which it does
// not say. Slurm's default bound is 1001.
func tooLarge(err error, last int) error {
	if !strings.Contains(err.Error(), "Invalid job array specification") {
		return err
	}
	return fmt.Errorf("%w; the last task has the number %d, and this cluster's must be below what scontrol show config gives as MaxArraySize: divide the sweep into several files", err, last)
}

// statusCommand is the command line that shows how the runs are.
func (o sweepOptions) statusCommand() string {
	words := []string{"zoo", "sweep", "--config", o.file}
	if o.root != "runs" {
		words = append(words, "--runs", o.root)
	}
	for _, s := range o.set {
		words = append(words, "--set", s)
	}
	return strings.Join(each(append(words, "--status"), shellWord), " ")
}
