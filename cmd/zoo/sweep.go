package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/placement"
)

type sweepOptions struct {
	file, root             string
	set                    []string
	status, dryRun, asJSON bool
	executor               string // local or slurm
	workers                int
	memory                 float64 // GiB; 0: what is free
	index                  int     // of a task; 0: what a scheduler says
	slurm                  sweep.Cluster
	prologue               string // file
	placed
	devices []placement.Device // that workers are spread over; nil for none
}

func sweepVerb(a *app) *cobra.Command {
	var o sweepOptions
	c := &cobra.Command{
		Use:   "sweep --config FILE | FOLDER",
		Short: "train every combination of encodings, tasks, seeds and settings",
		Args:  arguments.Between(0, 1, "the folder of a prepared sweep"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.sweepTask(c, o, args[0])
			}
			return a.sweep(c, o)
		},
	}
	o.placed.add(c)
	o.addSpread(c)
	f := c.Flags()
	f.StringVar(&o.file, "config", "", "the sweep `file`, or the name of an embedded one: "+
		strings.Join(configs.Names(configs.Sweeps), ", "))
	f.StringVar(&o.root, "runs", "runs", "`folder` of the runs")
	f.StringArrayVar(&o.set, "set", nil, "any setting for all runs, as `key=value`; may be repeated")
	f.IntVar(&o.index, "index", 0, "of FOLDER: the task to train, from 1 on (default: what Slurm, Kubernetes or AWS Batch says)")
	o.addExecutor(f)
	f.BoolVar(&o.status, "status", false, "show how the runs are, and stop")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the runs, or print Slurm's job script, and stop")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return c
}

// addExecutor adds the flags that say who trains, and with what.
func (o *sweepOptions) addExecutor(f *pflag.FlagSet) {
	f.IntVar(&o.workers, "workers", 1, "runs at a time")
	f.Float64Var(&o.memory, "memory", 0, "`GiB` that all workers together may take (default: what is free)")
	f.StringVar(&o.executor, "executor", local, "who trains: local, slurm, or array: another scheduler, for which the sweep is prepared")
	f.StringVar(&o.slurm.Partition, "partition", "", "Slurm's `partition` (default: the cluster's)")
	f.StringVar(&o.slurm.Time, "time", "", "`limit` of one start of a run, such as 4:00:00; "+
		"at the limit it saves and is started again")
	// What a node has, a login node does not know.
	f.IntVar(&o.slurm.CPUs, "cpus", 4, "cores of each run of an array, where train.threads does not say")
	f.IntVar(&o.slurm.MaxRunning, "max-running", 0, "runs at a time in Slurm (default: what there is room for)")
	f.StringVar(&o.slurm.GPUs, "gpus", "", "`GPUs` of each task of an array, such as 1 or a100:1 (default: 1 where the provider has a device)")
	f.IntVar(&o.slurm.PerGPU, "per-gpu", 1, "runs at a time on each of these, in one task")
	f.StringVar(&o.prologue, "prologue", "", "`file` of lines of bash for Slurm's script, such as: module load cuda")
	f.StringVar(&o.slurm.Container, "container", "", "`image` with zoo in which Slurm's tasks run: Apptainer's, or pyxis:IMAGE")
	f.StringArrayVar(&o.slurm.Args, "sbatch-arg", nil,
		"further `option` of sbatch, such as --account=physics; may be repeated")
}

func (a *app) sweep(c *cobra.Command, o sweepOptions) error {
	if err := o.check(c); err != nil {
		return err
	}
	overrides, err := pairs("--set", o.set)
	if err != nil {
		return err
	}
	folder, runs, at, err := sweep.Read(o.file, o.root, configs.Sources{User: userConfig(), Environ: os.Environ(), Overrides: overrides})
	if err != nil {
		return err
	}
	if o.devices, err = o.spread(c.Flags(), at, o.here(), &o.workers); err != nil {
		return err
	}
	switch {
	case o.status:
		return a.sweepStatus(c.Context(), o, folder, runs)
	case o.executor != local:
		return a.sweepArray(c, o, folder, runs, nil)
	case o.dryRun:
		return a.sweepPlan(c.Context(), o, runs, nil)
	}
	return a.sweepLocally(c.Context(), o, folder, runs)
}

// local is the executor that trains here.
const local = "local"

// here is this machine where runs are trained on it.
func (o sweepOptions) here() placement.Machine {
	if o.status || o.executor != local {
		return placement.Machine{}
	}
	return placement.Machine{List: ort.Devices, Free: ort.FreeMemory, Visible: os.Getenv(placement.VisibleVariable)}
}

// atOnce is how many runs are trained at a time.
func (o sweepOptions) atOnce() int { return o.workers * max(len(o.devices), 1) }

// slurmFlags are for Slurm alone, arrayFlags for every scheduler with arrays.
var (
	slurmFlags = []string{"partition", "time", "max-running", "sbatch-arg", "prologue", "container"}
	arrayFlags = []string{"cpus", "gpus", "per-gpu"}
)

// check refuses what does not fit together, before anything is read or written.
func (o sweepOptions) check(c *cobra.Command) error {
	if name := arguments.Given(c.Flags(), "index"); name != "" {
		return errors.New("--index is of a prepared sweep, whose folder is named without --config: zoo sweep runs/NAME --index 1")
	}
	if err := o.checkExecutor(c); err != nil {
		return err
	}
	if o.file == "" {
		return fmt.Errorf("--config is missing: a sweep file, or one of %s", strings.Join(configs.Names(configs.Sweeps), ", "))
	}
	return nil
}

// checkExecutor is check for the flags of addExecutor, status and dry-run.
func (o sweepOptions) checkExecutor(c *cobra.Command) error {
	if err := arguments.OneOf("executor", o.executor, local, "slurm", "array"); err != nil {
		return fmt.Errorf("--executor: %w", err)
	}
	locals := []string{"workers", "memory", "device", "devices", "per-device"}
	foreign := map[string][]string{local: slices.Concat(slurmFlags, arrayFlags), "slurm": locals, "array": slices.Concat(slurmFlags, locals)}
	if name := arguments.Given(c.Flags(), foreign[o.executor]...); name != "" {
		return fmt.Errorf("--%s means nothing to --executor %s; see: %s --help", name, o.executor, c.CommandPath())
	}
	switch {
	case o.status && o.dryRun:
		return errors.New("--status and --dry-run: choose one")
	case o.workers < 1:
		return fmt.Errorf("--workers %d: want at least 1", o.workers)
	case o.executor == "slurm" && o.dryRun && o.asJSON:
		return errors.New("--json: a job script is no JSON; leave it out")
	case o.executor == "array" && o.dryRun:
		return errors.New("--dry-run: an array is only written down; leave one of the two out, or see the runs without --executor")
	case o.slurm.PerGPU < 1:
		return fmt.Errorf("--per-gpu %d: want at least 1", o.slurm.PerGPU)
	}
	return flagError(o.slurm.Check())
}
