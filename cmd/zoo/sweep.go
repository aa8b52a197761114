package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
)

type sweepOptions struct {
	file, root     string
	set            []string
	dryRun, asJSON bool
	status         bool
	executor       string // local or slurm
	workers        int
	memory         float64 // GiB; 0: what is free
	slurm          slurmOptions
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
	f.StringVar(&o.file, "config", "", "the sweep `file`, or the name of an embedded one: "+strings.Join(configs.Sweeps(), ", "))
	f.StringVar(&o.root, "runs", "runs", "`folder` of the runs")
	f.StringArrayVar(&o.set, "set", nil, "any setting for all runs, as `key=value`; may be repeated")
	f.IntVar(&o.workers, "workers", 1, "runs at a time")
	f.Float64Var(&o.memory, "memory", 0, "`GiB` that all workers together may take (default: what is free)")
	f.StringVar(&o.executor, "executor", "local", "who trains: local, or slurm")
	o.slurm.flags(f)
	f.BoolVar(&o.status, "status", false, "show how the runs are, and stop")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the runs, or print Slurm's job script, and stop")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return c
}

func (a *app) sweep(c *cobra.Command, o sweepOptions) error {
	if err := o.check(c); err != nil {
		return err
	}
	file, err := readSweep(o.file)
	if err != nil {
		return err
	}
	folder := filepath.Join(o.root, file.name)
	overrides, err := settingPairs(o.set)
	if err != nil {
		return err
	}
	runs, err := file.runs(folder, configs.Sources{User: userConfig(), Environ: os.Environ(), Overrides: overrides})
	if err != nil {
		return err
	}
	switch {
	case o.status:
		return a.sweepStatus(c.Context(), o, folder, runs)
	case o.executor == "slurm":
		return a.sweepSlurm(c.Context(), o, file.name, folder, runs)
	case o.dryRun:
		return a.sweepPlan(runs, o.asJSON)
	}
	return a.sweepLocally(c.Context(), o, folder, runs)
}

// sweepPlan lists what a sweep would train.
func (a *app) sweepPlan(runs []train.SweepRun, asJSON bool) error {
	type entry struct {
		Name       string       `json:"name"`
		Dir        string       `json:"dir"`
		Parameters int64        `json:"parameters"`
		Memory     int64        `json:"memory_bytes"`
		Config     train.Config `json:"config"`
	}
	list := []entry{}
	lines := [][]string{{"run", "steps", "parameters", "memory"}}
	for _, r := range runs {
		list = append(list, entry{r.Name, filepath.ToSlash(r.Dir), r.Cost.Parameters, r.Cost.Memory, r.Config})
		lines = append(lines, []string{r.Name, fmt.Sprint(r.Config.Train.Steps), fmt.Sprint(r.Cost.Parameters), bytesText(r.Cost.Memory)})
	}
	if asJSON {
		return a.json(list)
	}
	return a.table(lines)
}
