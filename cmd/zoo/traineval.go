package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// evalBatch bounds the sequences generated at once while training, beside whose
// memory that of generation has to find room.
const evalBatch = 32

// evaluator measures a run while it trains: on validation prompts, through the
// file that would be exported.
func evaluator(cfg train.Config) (train.Evaluator, error) {
	cfg, err := cfg.Resolve()
	if err != nil {
		return nil, err
	}
	lengths, err := cfg.EvalLengths()
	if err != nil || len(lengths) == 0 {
		return nil, err
	}
	tasks, err := task.LookupList(cfg.Train.Task)
	if err != nil {
		return nil, err
	}
	var sweeps []eval.Config
	for _, t := range tasks {
		has := slices.DeleteFunc(slices.Clone(lengths), func(n int) bool { return t.CheckLength(n) != nil })
		sweeps = append(sweeps, eval.Config{Task: t, Lengths: has, N: cfg.Train.EvalSamples, Batch: evalBatch, Seed: cfg.Train.Seed, Split: task.Validation})
	}
	return func(ctx context.Context, step int, weights map[string]*tensor.Tensor) ([]train.EvalResult, error) {
		described, err := (&train.Checkpoint{Config: cfg, Step: step}).Card(version())
		if err != nil {
			return nil, err
		}
		s := find.Value(fmt.Sprintf("step %d", step), modelfile.Model{Config: cfg.Model, Weights: maps.Clone(weights), Card: described})
		return evaluateSource(ctx, s, cfg.Train.Threads, sweeps)
	}, nil
}

func evaluateSource(ctx context.Context, s find.Model, threads int, sweeps []eval.Config) (_ []train.EvalResult, err error) {
	session, _, err := engineFlags{provider: "cpu", profile: card.Portable, threads: threads}.open(s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := session.Close(); err == nil {
			err = e
		}
	}()
	var out []train.EvalResult
	for _, sweep := range sweeps {
		rows, err := eval.Sweep(ctx, eval.Of(session), session.Info().Card, sweep, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			one := train.EvalResult{Length: r.Length}
			if len(sweeps) > 1 {
				one.Task = sweep.Task.Name
			}
			if !r.NA {
				one.N, one.Correct, one.SequenceCorrect = r.N, r.Correct, r.SequenceCorrect
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// evaluated describes an evaluation.
func evaluated(e train.Evaluation) string {
	text := []string{fmt.Sprintf("step %d: accuracy %.1f %% at trained lengths", e.Step, 100**e.Accuracy)}
	if e.Beyond != nil {
		text = append(text, fmt.Sprintf("%.1f %% beyond", 100**e.Beyond))
	}
	if e.Best {
		text = append(text, "the best so far")
	}
	if e.Stop {
		text = append(text, "stopping early")
	}
	return strings.Join(text, ", ")
}
