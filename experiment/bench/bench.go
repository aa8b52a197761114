// Package bench measures many models: it plans the cells that models, engines,
// tasks and lengths multiply out to, says what they would cost, measures them
// one after another, and keeps the rows in a file from which it goes on.
//
//	plan, err := bench.NewPlan(options)
//	err = plan.Add(ctx, models...)
//	rows, err := plan.Run(ctx, "results.jsonl", bench.Watch{})
package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Model is a model file to measure.
type Model struct {
	Label   string // its name in rows
	From    string // where it is from, for people: "file a.onnx"
	Profile string // that the file must have, card.Portable or card.Fused; "" for any
	// ONNX reads or builds the file, and gives what belongs beside it (runtime.Options), nil for nothing.
	ONNX    func() (file []byte, beside fs.FS, err error)
	Trained bool   // measure it on tasks alone that it was trained on, in any form
	Kind    string // measure it on forms of this task alone; "" for all
}

// File is the model in an ONNX file.
func File(path string) Model {
	return Model{
		Label: strings.TrimSuffix(filepath.Base(path), ".onnx"), From: "file " + path,
		ONNX: func() ([]byte, fs.FS, error) {
			data, external, err := safety.ReadFile(path, "")
			return data, foreign.With(foreign.Folder(path), external), err
		},
	}
}

// Options say what to measure. Lists multiply out: each combination of model,
// provider, threads, batch, task, seed and length is a cell.
type Options struct {
	Measures []string // eval.MeasureAccuracy (and speed) on tasks, eval.MeasureSpeed without one; a corpus has eval.MeasureText
	// Lengths of samples, or bins of them, whose rows have no times; for speed in tokens.
	// None are TaskLengths, of running text TextLengths, or SpeedLengths for speed alone.
	Lengths   []task.Span
	Providers []string // of engine.Providers
	Threads   []int    // 0: one per physical core, shared by sessions side by side where nothing is timed
	Batches   []int    // most sequences at a time
	Seeds     []uint64 // of the samples
	Samples   int      // different ones at each length, or all if there are fewer
	Repeat    int      // times that each cell is timed; 0: 1, for speed 3
	Untimed   bool     // of accuracy: rows without times, which takes less (see eval.Config.Untimed)
	OneTimed  bool     // of accuracy: times at one length alone, the longest that all models were trained on, or else the shortest
	Halve     bool     // of accuracy without times: half of the samples where none of these is right (see eval.Config.Halve)
	// Depths are where in a text a task in tokens (task.Task.InTokens) hides what it asks for, in percent of the text. Its
	// samples are divided among them.
	Depths    []int
	NewTokens int // generated after the length, for speed
	// Split has the documents of running text that windows are of; "" is task.Test. task.Whole has all, of which a model that zoo
	// trained on the text has seen most: for such models it is refused.
	Split task.Split

	Tasks []task.Task // to measure accuracy on; none stands for the tasks that each model was trained on

	Runtime     runtime.Options // how files are opened; provider, threads and chunks are the cells'
	ToolVersion string          // recorded in rows
	// Ready, where not nil, is called for each provider that cells without a row need, before any is measured;
	// its error ends measuring.
	Ready func(ctx context.Context, provider string) error
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
		Seeds: []uint64{1}, Samples: 64, NewTokens: 32, Depths: []int{0, 25, 50, 75, 100},
	}
}

// check reports what is out of range, unknown or missing. The error begins with the
// name that "zoo bench" has for it.
func (o Options) check() error {
	for _, list := range []struct {
		name  string
		empty bool
	}{
		{"measure", len(o.Measures) == 0}, {"provider", len(o.Providers) == 0}, {"threads", len(o.Threads) == 0},
		{"batch", len(o.Batches) == 0}, {"seeds", len(o.Seeds) == 0}, {"depths", len(o.Depths) == 0},
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
		{"repeat", []int{o.Repeat}, 0, eval.MaxRepeats}, {"new-tokens", []int{o.NewTokens}, 2, eval.MaxNewTokens}, {"depths", o.Depths, 0, 100},
	} {
		for _, n := range list.n {
			if n < list.least || n > list.most {
				return fmt.Errorf("%s is %d, expected %d to %d", list.name, n, list.least, list.most)
			}
		}
	}
	for _, n := range o.Threads {
		if err := engine.CheckThreads(n); err != nil {
			return fmt.Errorf("threads: %w", err)
		}
	}
	return o.checkLengths()
}

func (o Options) checkLengths() error {
	speed, timed := slices.Contains(o.Measures, eval.MeasureSpeed), len(o.Lengths) == 0
	for _, length := range o.Lengths {
		timed = timed || !length.IsBin()
		switch {
		case length.Min < 1 || length.Max < length.Min || length.Max > task.MaxLength:
			return fmt.Errorf("lengths: length is %s, expected 1 to %d", length, task.MaxLength)
		case length.IsBin() && speed:
			return fmt.Errorf("lengths: %s is a bin of a task's lengths, and speed is measured at single numbers of "+
				"tokens; leave out one of the two", length)
		}
	}
	switch {
	case o.Repeat > 0 && !timed:
		return errors.New("repeat: bins of lengths are not timed; add single lengths, or leave it out")
	case o.Untimed && o.Repeat > 0:
		return errors.New("repeat: untimed cells are measured once; leave one of the two out")
	case o.Untimed && speed:
		return errors.New("untimed: speed is times; leave one of the two out")
	}
	return nil
}
