package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// batch bounds the sequences generated at once: their memory adds to training's.
const batch = 32

// evaluate has the options measure a run while it trains, by greedy generation in ONNX Runtime from
// the file that would be exported: on validation prompts of the lengths of Recipe.EvalLengths. A
// configuration without evaluations leaves the options as they are.
func evaluate(cfg runfile.Config, o *train.Options) error {
	cfg, err := cfg.Resolve()
	if err != nil || cfg.Train.EvalEvery == 0 {
		return err
	}
	lengths, err := task.ParseLengths(cfg.Train.EvalLengths)
	if err != nil {
		return err
	}
	tasks, err := task.LookupList(cfg.Train.Task)
	if err != nil {
		return err
	}
	seed := cmp.Or(cfg.Train.DataSeed, cfg.Train.Seed)
	var samples []eval.Config
	var texts []eval.TextConfig
	words, err := cfg.From.Words()
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if t.Corpus != nil {
			texts = append(texts, eval.TextConfig{Task: t, N: cfg.Train.EvalSamples, Batch: batch, Seed: seed,
				Split: task.Validation, Words: words})
			continue
		}
		samples = append(samples, eval.Config{Task: t, N: cfg.Train.EvalSamples, Batch: batch,
			Seed: seed, Split: task.Validation, Untimed: true})
	}
	engine := runtime.Options{Provider: cmp.Or(o.Provider, "cpu"), ProviderOptions: o.ProviderOptions, AllowCPUNodes: o.AllowCPUNodes, Threads: cfg.Train.Threads}
	o.Evaluate = func(ctx context.Context, step int, weights map[string]*tensor.Tensor) ([]journal.Result, error) {
		described, err := (&runfile.Checkpoint{Config: cfg, Step: step}).Card("")
		if err != nil {
			return nil, err
		}
		model := modelfile.Model{Config: cfg.Model, Weights: maps.Clone(weights), Card: described}
		out, err := measure(model, engine, func(s *runtime.Session) ([]journal.Result, error) {
			if len(texts) > 0 {
				return measureText(ctx, s, texts, lengths)
			}
			return measureSamples(ctx, s, samples, lengths)
		})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		return out, nil
	}
	return nil
}

// measure opens the model as the file that would be exported, and measures it.
func measure(
	m modelfile.Model, opt runtime.Options, by func(*runtime.Session) ([]journal.Result, error),
) (out []journal.Result, err error) {
	file, err := m.ONNX(card.Portable)
	if err != nil {
		return nil, err
	}
	session, err := runtime.OpenBytes(file, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return by(session)
}

// measureSamples measures accuracy at each length that a task has.
func measureSamples(
	ctx context.Context, session *runtime.Session, samples []eval.Config, lengths []int,
) (out []journal.Result, err error) {
	for _, cfg := range samples {
		for _, length := range lengths {
			if cfg.Task.CheckLength(task.At(length)) != nil {
				continue
			}
			r, err := eval.Measure(ctx, eval.Of(session), session.Info().Card, cfg, task.At(length))
			if err != nil {
				return nil, err
			}
			one := journal.Result{Length: r.Length, N: r.N, Correct: r.Correct, SequenceCorrect: r.SequenceCorrect}
			if len(samples) > 1 {
				one.Task = cfg.Task.Name
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// measureText measures bits per byte at each length that enough documents have.
func measureText(
	ctx context.Context, session *runtime.Session, texts []eval.TextConfig, lengths []int,
) (out []journal.Result, err error) {
	for _, cfg := range texts {
		c := session.Info().Card
		if cfg.Longest, err = cfg.LongestWindow(c, lengths); err != nil {
			return nil, err
		}
		for _, length := range lengths {
			r, err := eval.Measure(ctx, eval.Of(session), c, cfg, task.At(length))
			if err != nil {
				return nil, err
			}
			one := journal.Result{Length: length}
			if r.Text != nil {
				one.N, one.Bits = r.Text.N, &r.Text.Bits
			}
			if len(texts) > 1 {
				one.Task = cfg.Task.Name
			}
			out = append(out, one)
		}
	}
	return out, nil
}
