package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
)

// meanSequences is how many sequences of each task head means are over.
const meanSequences = 64

// HeadMeans adds the weights that a mean ablation in the model's configuration needs: the mean output of heads in the model as it was
// trained, over validation sequences of the trained lengths without their last tokens. Without such an ablation the model is
// returned as it is.
func HeadMeans(ctx context.Context, m modelfile.Model) (modelfile.Model, error) {
	layers := m.Config.MeanAblated()
	if len(layers) == 0 {
		return m, nil
	}
	trained := m
	trained.Config.Ablation = ""
	model, err := NewModel("what heads give on average", trained)
	if err != nil {
		return m, err
	}
	for _, layer := range layers {
		if !slices.Contains(model.layers, layer) {
			return m, fmt.Errorf("ablation %q: layer %d has no attention", m.Config.Ablation, layer)
		}
	}
	all, err := meanData(ctx, m.Card)
	if err != nil {
		return m, fmt.Errorf("%s: %w", model.Label, err)
	}
	sums, tokens := map[int][]float64{}, 0
	for _, s := range all {
		in, err := model.read(ctx, s.IDs[:len(s.IDs)-1], readOptions{heads: true})
		if err != nil {
			return m, err
		}
		for i, given := range in.heads {
			layer, width := model.layers[i], len(given)/len(in.ids)
			if sums[layer] == nil {
				sums[layer] = make([]float64, width)
			}
			for k, v := range given {
				sums[layer][k%width] += float64(v)
			}
		}
		tokens += len(in.ids)
	}
	means := map[int][]float32{}
	for layer, sum := range sums {
		means[layer] = make([]float32, len(sum))
		for i, v := range sum {
			means[layer][i] = float32(v / float64(tokens))
		}
	}
	m.Weights = maps.Clone(m.Weights)
	maps.Copy(m.Weights, m.Config.HeadMeans(means))
	return m, nil
}

// meanData draws sequences of each of a model's tasks.
func meanData(ctx context.Context, c card.Card) ([]eval.Sequence, error) {
	if c.Task == "" {
		return nil, errors.New("the model names no task to average over")
	}
	tasks, err := task.LookupList(c.Task)
	if err != nil {
		return nil, err
	}
	var all []eval.Sequence
	for _, t := range tasks {
		some, err := eval.Sequences(ctx, c, eval.Config{Task: t, N: meanSequences, Seed: 1, Split: task.Validation},
			task.Span{Min: c.Trained.Min, Max: c.Trained.Max})
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}
