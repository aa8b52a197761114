package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nopezoo/zoo/experiment/sweep/internal/child"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/train"
)

// logFile is what a run of a sweep says, in its directory.
const logFile = "train.log"

// SavedCode is the exit code of a training that was asked to end and has saved.
const SavedCode = 130

// saveTime is how long an interrupted run may take to finish its step and to save
// before it is killed.
const saveTime = 5 * time.Minute

// Training says how the runs of a sweep are trained.
type Training struct {
	// Command trains one run, in a process of its own: a program with its arguments, to
	// which the run's directory is added, as in zoo train --resume DIR. An interrupt or
	// SIGTERM asks it to save and end. Exit code 0 means that the run is finished, and
	// SavedCode that it is saved. Its output goes to train.log in the directory; a line
	// "zoo: …" at the end is the error that it ended with.
	Command []string
	Workers int // runs at a time, which share the processor's cores; below 1: 1
	// Memory is how many bytes all workers together may take; below 1: 19 twentieths of the free memory.
	Memory int64
	// Devices, where there are some, are what runs are trained on, with as many Workers on each. Then their memory counts, and a
	// run that runs out of it is trained again with a device for itself.
	Devices []placement.Device
	// Ready, where not nil, is called once before anything is trained, when the folder is
	// taken and a run is left to train; its error ends the sweep.
	Ready func(context.Context) error
	// Done, where not nil, is called for each finished run, also for runs finished before the
	// sweep began, from one goroutine, which it must not keep long.
	Done func(Run)
	// Report, where not nil, is called with events, from one goroutine at a time.
	Report func(Event)
	Every  time.Duration // between events of progress; 0: 30 seconds
}

// Train trains the runs of a sweep that are not finished, below folder, which no other
// sweep may be at work on, and returns how all runs are then. A run that fails does not
// end the others: its status says so. At the end of ctx runs save and stop, and the
// error is train.ErrInterrupted; another call goes on. sweep.log in the folder has the
// events.
func Train(ctx context.Context, folder string, runs []Run, o Training) ([]Status, error) {
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	release, err := claim(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer release()
	o.Workers = max(o.Workers, 1)
	if o.Memory < 1 {
		o.Memory = machine.This().MemoryFree / 20 * 19 // 0 where unknown: no bound
	}
	threads := max(runtime.NumCPU()/(o.Workers*max(len(o.Devices), 1)), 1)
	planned := slices.Clone(runs)
	if err := prepare(runs, threads, o.Memory); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, "sweep.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return o.train(ctx, folder, runs, planned, log)
}

func (o Training) check(ctx context.Context) error {
	if ctx == nil || len(o.Command) == 0 {
		return errors.New("sweep: to train runs needs a context, and the command that trains one")
	}
	return nil
}

// train trains prepared runs, which were planned so.
func (o Training) train(ctx context.Context, folder string, runs, planned []Run, log io.Writer) ([]Status, error) {
	o.Workers = max(o.Workers, 1)
	var todo, finished []Run
	for _, r := range runs {
		if r.finished() {
			finished = append(finished, r)
		} else {
			todo = append(todo, r)
		}
	}
	if len(todo) > 0 && o.Ready != nil {
		if err := o.Ready(ctx); err != nil {
			return nil, err
		}
	}
	w := newWatch(runs, log, o.Report)
	w.tell(fmt.Sprintf("%s, %d at a time%s, with train.threads %s, in %s", human.Plural(len(runs), "run", "runs"), o.Workers, eachDevice(o.Devices), threadsText(runs), folder))
	for i, r := range runs {
		if planned[i].Config.Train.Lanes == 0 && r.Config.Train.Lanes == 1 {
			w.tell(fmt.Sprintf("%s: %s", r.Name, train.OneLane))
		}
	}
	for _, r := range finished {
		w.ended(r, Skipped, "")
		o.done(r)
	}
	for _, text := range lacks(o.Devices, o.Workers, todo) {
		w.tell(text)
	}
	stop := w.follow(o.Every)
	places := pool{workers: o.Workers, memory: []int64{o.Memory}, again: w.again}
	if len(o.Devices) > 0 {
		places.memory, places.predicted = lists.Map(o.Devices, func(d placement.Device) int64 { return d.Free }), true
	}
	places.run(ctx, todo,
		func(ctx context.Context, r Run, place int) error {
			at := placement.Device{}
			if len(o.Devices) > 0 {
				at = o.Devices[place]
			}
			w.began(r, at.Name)
			return trainOne(ctx, r, o.Command, at.Environ, func(err error) { w.warn(r, err) })
		},
		func(r Run, err error) {
			w.done(r, err, o.Memory)
			if err == nil {
				o.done(r)
			}
		})
	stop()
	if ctx.Err() != nil {
		return w.all, train.ErrInterrupted
	}
	return w.all, nil
}

// eachDevice continues "2 at a time".
func eachDevice(devices []placement.Device) string {
	switch len(devices) {
	case 0:
		return ""
	case 1:
		return " on " + devices[0].Name
	}
	return " on each of " + human.Plural(len(devices), "device", "devices")
}

// lacks says what memory devices have, and which runs have to do without what they may need.
func lacks(devices []placement.Device, workers int, runs []Run) (out []string) {
	most, unknown := int64(0), false
	for _, d := range devices {
		free := "how much memory is free is not known; a run that runs out of it is tried again alone"
		if d.Free > 0 {
			free = human.Bytes(d.Free) + " are free"
		}
		out = append(out, d.Name+": "+free)
		most, unknown = max(most, d.Free), unknown || d.Free == 0
	}
	if len(devices) == 0 || unknown || len(runs) == 0 {
		return out
	}
	largest := slices.MaxFunc(runs, func(a, b Run) int { return cmp.Compare(a.Memory, b.Memory) })
	switch need := human.Bytes(largest.Memory); {
	case largest.Memory > most:
		out = append(out, fmt.Sprintf("%s may take %s, more than any device has free: it gets one for itself", largest.Name, need))
	case largest.Memory > most/int64(workers):
		out = append(out, fmt.Sprintf("%s may take %s, so that fewer than %d run beside it", largest.Name, need, workers))
	}
	return out
}

// threadsText has the numbers of threads that prepared runs have: "1 or 2".
func threadsText(runs []Run) string {
	out := lists.Map(runs, func(r Run) string { return strconv.Itoa(r.Config.Train.Threads) })
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " or ")
}

func (o Training) done(r Run) {
	if o.Done != nil {
		o.Done(r)
	}
}

// claim makes a sweep's folder and keeps other sweeps out of it until release. One
// that Slurm still works on is refused.
func claim(ctx context.Context, folder string) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := files.Take(filepath.Join(folder, "lock"))
	var held *files.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%s: another zoo sweep is at work there, process %s", folder, held.Process)
	}
	if err != nil {
		return nil, err
	}
	if err := checkIdle(ctx, folder); err != nil {
		lock.Close()
		return nil, err
	}
	return func() { lock.Close() }, nil
}

const tooLittle = "had too little memory"

// trainOne trains one run in a process of its own, so that its death is not ours. At
// the end of ctx it is asked to save and stop.
func trainOne(ctx context.Context, r Run, command, environ []string, warn func(error)) error {
	log, err := os.OpenFile(filepath.Join(r.Dir, logFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	out := &output{log: log, warn: warn}
	c := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], r.Dir)...)
	c.Stdout, c.Stderr = out, out
	c.Env = append(c.Environ(), environ...)
	c.SysProcAttr = child.Attributes()
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // Slurm sends it as well, and twice is one wish to a training
	c.WaitDelay = saveTime
	if err = c.Run(); err == nil {
		return nil
	}
	switch problem := lastError(out.tail, r.Dir); {
	case ctx.Err() != nil && c.ProcessState.ExitCode() == SavedCode:
		return train.ErrInterrupted
	case problem != "":
		return errors.New(problem)
	case ctx.Err() != nil: // a second signal, or saveTime has passed
		return errors.New("ended by the interruption before it was saved: goes on from its last checkpoint")
	}
	return fmt.Errorf("%w, without a word; a process that the system killed %s", err, tooLittle)
}
