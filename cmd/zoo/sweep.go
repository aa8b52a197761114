package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/sweep"
	"github.com/nopezoo/zoo/sweep/slurm"
	"github.com/nopezoo/zoo/train"
)

type sweepOptions struct {
	file, root             string
	set                    []string
	status, dryRun, asJSON bool
	executor               string // local or slurm
	workers                int
	memory                 float64 // GiB; 0: what is free
	slurm                  slurm.Options
	command                []string // that trains one run
}

func sweepVerb(a *app) *cobra.Command {
	var o sweepOptions
	c := &cobra.Command{
		Use:   "sweep --config FILE",
		Short: "train every combination of encodings, tasks, seeds and other settings",
		Long: `sweep trains one model for every combination of the lists in a sweep file, each into
a folder of its own below runs/<sweep>. A sweep file holds, all of it optional:

  preset: tiny                        settings to start from
  tasks: [copy]
  encodings: [nope, rope, alibi]
  seeds: [1, 2, 3]
  train: {steps: 500}                 settings of all runs, in the form of the presets
  model: {n_layers: 2}
  grid:                               lists of values for any other settings
    train.lr: [1e-3, 2e-3]

A setting of all runs may be one that some of them lack, such as model.n_layers
where cwrnn is one of several encodings. A list in the grid may not: runs that lack
its setting would all be the same.

Every combination is checked before the first begins. --dry-run stops there and
lists the runs with their parameters and the memory that each will take.

Runs are trained side by side by --workers processes, which share the processor's
cores; one that would need more memory than is left waits. Runs that are finished are
skipped, runs that were stopped go on, and a run that fails does not stop the
others; its words are in train.log in its folder. Ctrl-C lets the runs save; the
same command goes on.

With --executor slurm the unfinished runs go to Slurm as one job array, each with
memory for the largest. sbatch is handed runs/<sweep>/sweep.sbatch, which --dry-run
prints. A task that is preempted, requeued or near its --time limit saves, and goes
on at its next start; scancel saves as well. Runs and this program must be on a file
system that the nodes share. After the job, the same command submits what is not
finished. --status shows how the runs are, wherever they are trained.

The embedded sweeps are ` + strings.Join(configs.Sweeps(), " and ") + `.`,
		Example: example(
			"zoo sweep --config paper --dry-run",
			"zoo sweep --config configs/sweeps/demo.yaml --workers 2",
			"zoo sweep --config paper --executor slurm --partition cpu --time 4:00:00 --cpus 8",
			"zoo sweep --config paper --status",
			"zoo bench --runs runs/demo"),
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.sweep(c, o) },
	}
	f := c.Flags()
	f.StringVar(&o.file, "config", "", "the sweep `file`, or the name of an embedded one: "+
		strings.Join(configs.Sweeps(), ", "))
	f.StringVar(&o.root, "runs", "runs", "`folder` of the runs")
	f.StringArrayVar(&o.set, "set", nil, "any setting for all runs, as `key=value`; may be repeated")
	f.IntVar(&o.workers, "workers", 1, "runs at a time")
	f.Float64Var(&o.memory, "memory", 0, "`GiB` that all workers together may take (default: what is free)")
	f.StringVar(&o.executor, "executor", "local", "who trains: local, or slurm")
	f.StringVar(&o.slurm.Partition, "partition", "", "Slurm's `partition` (default: the cluster's)")
	f.StringVar(&o.slurm.Time, "time", "", "`limit` of one start of a run, such as 4:00:00; "+
		"at the limit it saves and is started again")
	// What a node has, a login node does not know.
	f.IntVar(&o.slurm.CPUs, "cpus", 4, "cores of each run in Slurm, where train.threads does not say")
	f.IntVar(&o.slurm.MaxRunning, "max-running", 0, "runs at a time in Slurm (default: what there is room for)")
	f.StringArrayVar(&o.slurm.Args, "sbatch-arg", nil,
		"further `option` of sbatch, as in --sbatch-arg=--account=physics; may be repeated")
	f.BoolVar(&o.status, "status", false, "show how the runs are, and stop")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the runs, or print Slurm's job script, and stop")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return c
}

func (a *app) sweep(c *cobra.Command, o sweepOptions) error {
	if err := o.check(c); err != nil {
		return err
	}
	file, err := sweep.Read(o.file)
	if err != nil {
		return err
	}
	folder := filepath.Join(o.root, file.Name)
	overrides, err := configs.Pairs("--set", o.set)
	if err != nil {
		return err
	}
	runs, err := file.Runs(folder, configs.Sources{User: userConfig(), Environ: os.Environ(), Overrides: overrides})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o.command = []string{self, "train", "--resume"}
	switch {
	case o.status:
		return a.sweepStatus(c.Context(), o, folder, runs)
	case o.executor == "slurm":
		err = a.sweepSlurm(c.Context(), o, folder, runs)
	case o.dryRun:
		return a.sweepPlan(runs, o.asJSON)
	default:
		err = a.sweepLocally(c.Context(), o, folder, runs)
	}
	var of *sweep.RunError
	if errors.As(err, &of) && errors.Is(err, train.ErrOtherRun) {
		return fmt.Errorf("%w; go on with that one alone: %s; "+
			"or choose another folder with --runs, or rename the sweep file", err, resumeCommand(of.Dir))
	}
	return err
}

// check refuses what does not fit together, before anything is read or written.
func (o sweepOptions) check(c *cobra.Command) error {
	if err := oneOf("executor", o.executor, "local", "slurm"); err != nil {
		return fmt.Errorf("--executor: %w", err)
	}
	foreign := map[string][]string{
		"local": {"partition", "time", "cpus", "max-running", "sbatch-arg"}, "slurm": {"workers", "memory"},
	}
	for _, name := range foreign[o.executor] {
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
	case o.file == "":
		return fmt.Errorf("--config is missing: a sweep file, or one of %s", strings.Join(configs.Sweeps(), ", "))
	}
	if err := o.slurm.Check(); err != nil {
		return fmt.Errorf("--%w", err) // begins with the flag's name
	}
	return nil
}
