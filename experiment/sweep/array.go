package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// arrayFile says, in a sweep's folder, what each task of an array trains: so any scheduler that numbers tasks can train it.
const arrayFile = "array.json"

// array is what arrayFile holds.
type array struct {
	Placement placement.Placement `json:"placement"`
	Tasks     [][]string          `json:"tasks"` // names of runs, which are those of their folders; the first task is number 1
}

// newArray lays out all runs, finished ones too, so that a run keeps its number.
func newArray(runs []Run, at placement.Placement, c Cluster) array {
	a := array{Placement: at}
	size := 1
	if c.gpus() > 0 {
		a.Placement.Devices, a.Placement.PerDevice = placement.All, max(c.PerGPU, 1)
		size = c.gpus() * a.Placement.PerDevice
	}
	for i, r := range runs {
		if i%size == 0 {
			a.Tasks = append(a.Tasks, nil)
		}
		last := &a.Tasks[len(a.Tasks)-1]
		*last = append(*last, r.Name)
	}
	return a
}

// Prepare readies the runs of a sweep for the tasks of an array, and returns how many tasks there are and the command of the first:
// each has TrainTask train its runs. The folder must not be at work.
func Prepare(ctx context.Context, folder string, runs []Run, at placement.Placement, c Cluster) (tasks int, err error) {
	if err := c.Check(); err != nil {
		return 0, err
	}
	release, err := claim(ctx, folder)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := prepare(runs, c.CPUs, 0); err != nil {
		return 0, err
	}
	a := newArray(runs, at, c)
	return len(a.Tasks), files.WriteJSONAtomic(filepath.Join(folder, arrayFile), a)
}

// readArray reads which tasks a sweep in a folder was prepared for.
func readArray(folder string) (a array, err error) {
	path := filepath.Join(folder, arrayFile)
	data, err := files.ReadRegular(path, 1<<26) // a million tasks
	if err != nil {
		return a, fmt.Errorf("%w; prepare the sweep: zoo sweep --config FILE --executor array", err)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%s is damaged: %w; prepare the sweep again", path, err)
	}
	return a, nil
}

// ReadTask returns the runs of a task of a prepared sweep, counted from 1, and where they are to be trained.
func ReadTask(folder string, index int) (runs []Run, at placement.Placement, err error) {
	a, err := readArray(folder)
	if err != nil {
		return nil, at, err
	}
	path := filepath.Join(folder, arrayFile)
	if index < 1 || index > len(a.Tasks) {
		return nil, at, fmt.Errorf("%s has %s, from 1 on", path, human.Plural(len(a.Tasks), "task", "tasks"))
	}
	for _, name := range a.Tasks[index-1] {
		if !filepath.IsLocal(name) {
			return nil, at, fmt.Errorf("%s names the run %q, which does not lie in its folder; prepare the sweep again", path, name)
		}
		r := Run{Name: name, Dir: filepath.ToSlash(filepath.Join(folder, name))}
		if r.Config, err = runfile.ReadConfig(r.Dir); err != nil {
			return nil, at, err
		}
		if r.Cost, err = train.EstimateCost(r.Config); err != nil {
			return nil, at, err
		}
		runs = append(runs, r)
	}
	return runs, a.Placement, nil
}

// ErrNoStep means that a task of an array was interrupted before any of its runs made a step: to start it again would not help.
var ErrNoStep = errors.New("not a step was made since the start; give it more time")

// TrainTask is Train for the runs of one task, while other processes train others of the folder; it writes no sweep.log. Where it was
// interrupted before a step was made, the error is ErrNoStep.
func TrainTask(ctx context.Context, folder string, runs []Run, o Training) ([]Status, error) {
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	before := saved(runs)
	all, err := o.train(ctx, folder, runs, runs, io.Discard)
	if errors.Is(err, train.ErrInterrupted) && saved(runs) == before {
		err = ErrNoStep
	}
	return all, err
}

// saved is how many steps runs have saved together.
func saved(runs []Run) (steps int) {
	for _, r := range runs {
		if info, err := runfile.Describe(r.Dir); err == nil {
			steps += info.Step
		}
	}
	return steps
}
