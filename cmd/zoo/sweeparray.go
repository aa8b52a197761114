package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/experiment/study"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
)

// sweepArray has a scheduler train the runs: Slurm, or another for which they are prepared. The study whose runs they are, nil for
// none, is measured after them.
func (a *app) sweepArray(c *cobra.Command, o sweepOptions, folder string, runs []sweep.Run, s *study.Study) error {
	onDevice := engine.OnDevice(o.Provider)
	if o.slurm.GPUs == "" && onDevice {
		o.slurm.GPUs = "1"
	}
	if name := arguments.Given(c.Flags(), "gpus", "per-gpu"); name != "" && !onDevice {
		return fmt.Errorf("--%s: provider %s would hold a GPU and compute on none; add --provider cuda or webgpu", name, o.Provider)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if o.slurm.Container != "" {
		program = "zoo"
	}
	if o.prologue != "" {
		text, err := files.ReadRegular(o.prologue, 1<<16)
		if err != nil {
			return fmt.Errorf("--prologue: %w", err)
		}
		o.slurm.Prologue = string(text)
	}
	if o.executor == "slurm" {
		if s != nil {
			if o.slurm, err = o.measuring(s, program); err != nil {
				return err
			}
		}
		return a.sweepSlurm(c.Context(), o, folder, runs, program)
	}
	tasks, err := sweep.Prepare(c.Context(), folder, runs, o.Placement, o.slurm)
	if err != nil {
		return err
	}
	a.Print("%s: %s in %s; the first: zoo sweep %[1]s --index 1", folder, human.Plural(len(runs), "run", "runs"), human.Plural(tasks, "task", "tasks"))
	return nil
}

// measuring has a job measure and report a study when its runs are over.
func (o sweepOptions) measuring(s *study.Study, program string) (c sweep.Cluster, err error) {
	c = o.slurm
	if c.AfterFolder, err = filepath.Abs(filepath.Dir(s.Results)); err != nil {
		return c, err
	}
	runs, err := filepath.Abs(o.root)
	c.After = [][]string{{program, "study", c.AfterFolder, "--runs", runs, "--measure"},
		{program, "report", c.AfterFolder, "-o", filepath.Join(runs, s.Name, "report.html")}}
	return c, err
}

// schedulers number the tasks of an array in these variables, from the number on.
var schedulers = []struct {
	variable string
	first    int
}{{"SLURM_ARRAY_TASK_ID", 1}, {"JOB_COMPLETION_INDEX", 0}, {"AWS_BATCH_JOB_ARRAY_INDEX", 0}}

// scheduledTask is the number of the task of an array that a scheduler runs here, from 1 on, and what says so.
func scheduledTask() (index int, from string, err error) {
	for _, s := range schedulers {
		text := os.Getenv(s.variable)
		if text == "" {
			continue
		}
		from := s.variable + "=" + text
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, from, fmt.Errorf("%s: want a number", from)
		}
		return n + 1 - s.first, from, nil
	}
	return 0, "", errors.New("no scheduler says which task it is (SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX)")
}

// sweepTask trains the runs of one task of a prepared sweep.
func (a *app) sweepTask(c *cobra.Command, o sweepOptions, folder string) error {
	if o.file != "" {
		return fmt.Errorf("unexpected argument %q: --config names the sweep already; a prepared one is named by its folder alone", folder)
	}
	if name := arguments.Given(c.Flags(), slices.Concat([]string{"executor", "runs", "set", "workers", "status", "dry-run", "json", "memory"},
		slurmFlags, arrayFlags)...); name != "" {
		return fmt.Errorf("--%s means nothing to a task of a prepared sweep; see: zoo sweep --help", name)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no folder of a prepared sweep; a sweep file is named with a flag: zoo sweep --config %[1]s", folder)
	}
	index, from, err := o.index, fmt.Sprintf("--index %d", o.index), error(nil)
	if !c.Flags().Changed("index") {
		index, from, err = scheduledTask()
	}
	switch {
	case err != nil && from == "":
		return fmt.Errorf("--index is missing: %w; the tasks of %s are counted from 1 on", err, folder)
	case err != nil:
		return err
	}
	runs, at, err := sweep.ReadTask(folder, index)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	o.workers = len(runs)
	if o.devices, err = o.spread(c.Flags(), at, o.here(), &o.workers); err != nil {
		return err
	}
	training, erase, err := a.training(c.Context(), o)
	if err != nil {
		return err
	}
	all, err := sweep.TrainTask(c.Context(), folder, runs, training)
	erase()
	for _, s := range all {
		if s.State == sweep.Failed {
			err = errors.Join(err, fmt.Errorf("%s: %s", s.Dir, s.Error))
		}
	}
	return err
}
