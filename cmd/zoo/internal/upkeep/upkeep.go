// Package upkeep looks after a catalogue: it measures trained models, adds those that
// have learned their task, and compares a model that was trained again.
package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// ScoreTolerance is how far the mean exact match at trained lengths may lie from the
// manifest's where the bits cannot be the same.
const ScoreTolerance = 0.1

// ErrThere means that the folder holds the same model, made by the same command.
var ErrThere = errors.New("the model is there already")

// NotLearnedError is the error for a model that is not good enough for a catalogue.
type NotLearnedError struct{ Is, Want float64 } // mean exact match at trained lengths, in 0..1

// Error implements error.
func (e *NotLearnedError) Error() string {
	return fmt.Sprintf("mean exact match at trained lengths is %.3f, below %v", e.Is, e.Want)
}

// Options say how a model is put into a catalogue.
type Options struct {
	Command     string   // that trained it
	CPU         []string // features of the processor that trained it
	Lengths     []int    // to measure
	Samples     int      // at each length
	MinAccuracy float64  // mean exact match at trained lengths that it must reach, in 0..1
}

// Add measures a model with its weights rounded to 16 bits, in ONNX Runtime, and
// writes it into a catalogue's folder under its name, in place of another of that
// name. The error wraps ErrThere for the same model, and is a *NotLearnedError for one below
// Options.MinAccuracy; then nothing is written.
func Add(ctx context.Context, folder string, m modelfile.Model, o Options) error {
	manifest := catalogue.Manifest{Name: m.Name(), Command: o.Command, CPU: o.CPU}
	if there, err := (catalogue.Catalogue{FS: os.DirFS(folder)}).Manifest(manifest.Name); err == nil {
		_, hash, err := catalogue.Rounded(m.Weights)
		if err != nil {
			return err
		}
		if there.WeightsSHA256 == hash && there.Command == manifest.Command {
			return ErrThere
		}
	}
	var err error
	if manifest.Scores, err = measure(ctx, m, o.Lengths, o.Samples); err != nil {
		return err
	}
	inside, err := trainedAccuracy(manifest.Scores, m.Card)
	if err != nil {
		return err
	}
	if inside < o.MinAccuracy {
		return &NotLearnedError{inside, o.MinAccuracy}
	}
	return catalogue.Add(folder, manifest, m)
}

// Medians returns the models, in their order, of which each has the median exact match at a length among those of its name: of an
// even number the lower one, of equals the first.
func Medians(ctx context.Context, models []modelfile.Model, length, samples int) ([]int, error) {
	correct, named := make([]int, len(models)), map[string][]int{}
	for i, m := range models {
		named[m.Name()] = append(named[m.Name()], i)
	}
	var out []int
	for name, own := range named {
		if len(own) > 1 {
			for _, i := range own {
				scores, err := measure(ctx, models[i], []int{length}, samples)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				if len(scores) == 0 {
					return nil, fmt.Errorf("%s: a run cannot take length %d; choose by a shorter one", name, length)
				}
				correct[i] = scores[0].Correct
			}
		}
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(correct[a], correct[b]) })
		out = append(out, own[(len(own)-1)/2])
	}
	slices.Sort(out)
	return out, nil
}

// measure returns the scores of a model with its weights rounded to 16 bits.
func measure(ctx context.Context, m modelfile.Model, lengths []int, samples int) ([]catalogue.Score, error) {
	t, err := task.Lookup(m.Card.Task)
	if err != nil {
		return nil, fmt.Errorf("the catalogue holds models of one task: %w", err)
	}
	if m.Weights, _, err = catalogue.Rounded(m.Weights); err != nil {
		return nil, err
	}
	file, err := m.ONNX(card.Portable)
	if err != nil {
		return nil, err
	}
	session, err := runtime.OpenBytes(file, runtime.Options{Provider: "cpu"})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if err := eval.CheckLengths(t, m.Card, task.Spans(lengths...)); err != nil {
		return nil, err
	}
	cfg := eval.Config{Task: t, N: samples, Batch: 32, Seed: 1, Split: task.Test,
		Environment: eval.Environment{Model: m.Name()}}
	var out []catalogue.Score
	for _, length := range lengths {
		r, err := eval.Measure(ctx, eval.Of(session), session.Info().Card, cfg, task.At(length))
		if err != nil {
			return nil, err
		}
		if !r.NA {
			out = append(out, catalogue.Score{Length: r.Length, N: r.N, Correct: r.Correct})
		}
	}
	return out, nil
}

// Comparison is how a model that was trained again compares with its manifest.
type Comparison struct {
	SameBits bool
	// Was and Is are the mean exact match at trained lengths of the manifest and of the
	// model, in 0..1; they are measured where the bits differ.
	Was, Is float64
}

// Compare compares a model that was trained again, on a processor with some features,
// with its manifest. Other bits are an error where the features are the manifest's;
// elsewhere the scores must be within ScoreTolerance.
func Compare(ctx context.Context, m catalogue.Manifest, again modelfile.Model, cpu []string) (Comparison, error) {
	_, hash, err := catalogue.Rounded(again.Weights)
	if err != nil {
		return Comparison{}, err
	}
	if hash == m.WeightsSHA256 {
		return Comparison{SameBits: true}, nil
	}
	if slices.Equal(slices.Sorted(slices.Values(cpu)), m.CPU) {
		return Comparison{}, fmt.Errorf("the weights have the hash %s, and %s in the manifest, "+
			"on a processor with the same features", hash, m.WeightsSHA256)
	}
	var c Comparison
	if c.Was, err = m.TrainedAccuracy(); err != nil {
		return c, fmt.Errorf("the manifest: %w", err)
	}
	var lengths []int
	samples := 0
	for _, s := range m.Scores {
		lengths = append(lengths, s.Length)
		samples = max(samples, s.N) // some lengths have fewer prompts than were asked for
	}
	scores, err := measure(ctx, again, lengths, samples)
	if err != nil {
		return c, err
	}
	if c.Is, err = trainedAccuracy(scores, m.Card); err != nil {
		return c, err
	}
	if math.Abs(c.Was-c.Is) > ScoreTolerance {
		return c, fmt.Errorf("mean exact match at trained lengths is %.3f, and %.3f in the manifest", c.Is, c.Was)
	}
	return c, nil
}

func trainedAccuracy(scores []catalogue.Score, c card.Card) (float64, error) {
	return catalogue.Manifest{Scores: scores, Card: c}.TrainedAccuracy()
}
