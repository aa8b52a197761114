// Package bench measures many models: it plans the cells that models, engines,
// tasks and lengths multiply out to, says what they would cost, measures them
// one after another, and keeps the rows in a file from which it goes on.
//
//	plan, err := bench.NewPlan(ctx, models, options)
//	log, err := bench.OpenLog("results.jsonl")
//	plan.Resume(log.Records)
//	err = plan.Run(ctx, log, bench.Watch{})
//	rows := plan.Rows()
package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Model is a model to measure.
type Model struct {
	Label string // its name in rows
	From  string // where it is from, for people: "file a.onnx"

	// ONNX returns the model's file in a profile, card.Portable or card.Fused. A
	// model that is a file already is what it is, whatever the profile.
	ONNX func(profile string) ([]byte, error)

	// Beside is where the files are that belong to a file of another program, nil for none: see
	// runtime.Options.
	Beside fs.FS
}

// File is the model in an ONNX file.
func File(path string) Model {
	return Model{
		Label: strings.TrimSuffix(filepath.Base(path), ".onnx"), From: "file " + path,
		ONNX:   func(string) ([]byte, error) { return safety.ReadFile(path, "") },
		Beside: foreign.Folder(path),
	}
}

// Options say what to measure. Lists multiply out: each combination of model,
// profile, provider, threads, batch, task, seed and length is a cell.
type Options struct {
	Measures []string // eval.MeasureAccuracy (and speed) on tasks, eval.MeasureSpeed without one; a corpus has eval.MeasureText
	// Lengths of samples, or bins of them, whose rows have no times; for speed in tokens.
	// None are TaskLengths, of running text TextLengths, or SpeedLengths for speed alone.
	Lengths   []task.Span
	Providers []string // of engine.Providers
	Profiles  []string // of models that are no files yet; none is card.Portable
	Threads   []int    // 0: one per physical core
	Batches   []int    // most sequences at a time
	Seeds     []uint64 // of the samples
	Samples   int      // different ones at each length, or all if there are fewer
	Repeat    int      // times that each cell is timed; 0: 1, for speed 3
	Untimed   bool     // of accuracy: rows without times, which takes less (see eval.Config.Untimed)
	NewTokens int      // generated after the length, for speed

	// Tasks to measure accuracy on; none stands for those that each model was
	// trained on. Wants, where not nil, tells which of them a model is measured on.
	Tasks []task.Task
	Wants func(c card.Card, t task.Task) bool

	Runtime     runtime.Options // how files are opened; provider, threads and chunks are the cells'
	ToolVersion string          // recorded in rows
}

// OwnTasks is for Options.Wants: models are measured on those tasks alone that they
// were trained on, maybe with other options; with a name, on that one of them alone.
func OwnTasks(name string) func(c card.Card, t task.Task) bool {
	return func(c card.Card, t task.Task) bool {
		return task.Related(t.Name, c.Task) && (name == "" || task.Related(t.Name, name))
	}
}

// Lengths to measure where none are asked for, as task.ParseSpans reads them.
const (
	TaskLengths  = "20..40+4,60..200+20"
	SpeedLengths = "512..4096*2" // tokens
	TextLengths  = "128..4096*2" // tokens of running text
)

// Defaults are options that are ready to use: accuracy on each model's own tasks at
// TaskLengths, 64 samples in two batches of 32, on the CPU.
func Defaults() Options {
	return Options{
		Measures: []string{eval.MeasureAccuracy}, Providers: []string{"cpu"}, Threads: []int{0}, Batches: []int{32},
		Seeds: []uint64{1}, Samples: 64, NewTokens: 32,
	}
}

// speedRepeats is how often speed is timed unless told, for a deviation.
const speedRepeats = 3

// Check reports what is out of range, unknown or missing. The error begins with the
// name that "zoo bench" has for it.
func (o Options) Check() error {
	for _, list := range []struct {
		name  string
		empty bool
	}{
		{"measure", len(o.Measures) == 0}, {"provider", len(o.Providers) == 0}, {"threads", len(o.Threads) == 0},
		{"batch", len(o.Batches) == 0}, {"seeds", len(o.Seeds) == 0},
	} {
		if list.empty {
			return fmt.Errorf("%s is empty; give one or more", list.name)
		}
	}
	for _, list := range []struct {
		name         string
		given, known []string
	}{
		{"measure", o.Measures, []string{eval.MeasureAccuracy, eval.MeasureSpeed}},
		{"provider", o.Providers, engine.Providers()},
		{"profile", o.Profiles, []string{card.Portable, card.Fused}},
	} {
		for _, name := range list.given {
			if !slices.Contains(list.known, name) {
				return fmt.Errorf("%s: %w", list.name, suggest.Unknown(list.name, name, list.known))
			}
		}
	}
	for _, list := range []struct {
		name        string
		n           []int
		least, most int
	}{
		{"batch", o.Batches, 1, eval.MaxBatch}, {"n", []int{o.Samples}, 1, eval.MaxSamples},
		{"repeat", []int{o.Repeat}, 0, eval.MaxRepeats}, {"new-tokens", []int{o.NewTokens}, 2, eval.MaxNewTokens},
	} {
		for _, n := range list.n {
			if n < list.least || n > list.most {
				return fmt.Errorf("%s is %d, expected %d to %d", list.name, n, list.least, list.most)
			}
		}
	}
	if err := o.checkLengths(); err != nil {
		return err
	}
	for _, n := range o.Threads {
		if err := engine.CheckThreads(n); err != nil {
			return fmt.Errorf("threads: %w", err)
		}
	}
	return nil
}

func (o *Options) checkLengths() error {
	for _, at := range o.Lengths {
		switch {
		case at.Min < 1 || at.Max < at.Min || at.Max > task.MaxLength:
			return fmt.Errorf("lengths: length is %s, expected 1 to %d", at, task.MaxLength)
		case at.IsBin() && o.measures(eval.MeasureSpeed):
			return fmt.Errorf("lengths: %s is a bin of a task's lengths, and speed is measured at single numbers of "+
				"tokens; leave out one of the two", at)
		}
	}
	single := slices.ContainsFunc(o.Lengths, func(at task.Span) bool { return !at.IsBin() })
	switch {
	case o.Repeat > 0 && len(o.Lengths) > 0 && !single:
		return errors.New("repeat: bins of lengths are not timed; add single lengths, or leave it out")
	case o.Untimed && o.Repeat > 0:
		return errors.New("repeat: untimed cells are measured once; leave one of the two out")
	case o.Untimed && o.measures(eval.MeasureSpeed):
		return errors.New("untimed: speed is times; leave one of the two out")
	}
	return nil
}

// lengths are those asked for, or else the default ones.
func (o *Options) lengths() ([]task.Span, error) {
	switch {
	case len(o.Lengths) > 0:
		return o.Lengths, nil
	case o.measures(eval.MeasureAccuracy):
		return task.ParseSpans(TaskLengths)
	}
	return task.ParseSpans(SpeedLengths)
}

func (o *Options) measures(measure string) bool { return slices.Contains(o.Measures, measure) }
