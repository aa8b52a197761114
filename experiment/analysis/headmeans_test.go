package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// A head of which each value is a token's, and which attends evenly to all before, as queries of 0 do, gives
// the mean of the values so far: its mean over tokens is known. A head whose values are a constant gives that.
func TestHeadMeans(t *testing.T) {
	m := blank(t, models.Config{Settings: "gpt2", Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4})
	const constant = 0.75
	values := tensor.Data[float32](m.Weights["layers.0.attn.v_proj.weight"]) // [8,8], out × in; head 1 has rows 4 to 7
	bias := tensor.Data[float32](m.Weights["layers.0.attn.v_proj.bias"])
	for i := range 4 {
		values[(4+i)*8+i] = 1
		bias[i] = constant
	}
	embed := tensor.Data[float32](m.Weights["embed.weight"])
	for i := range embed {
		embed[i] = float32(math.Sin(float64(i * i)))
	}
	m.Config.Ablation = "mean:0.0,0.1"
	got, err := HeadMeans(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	mean := tensor.Data[float32](got.Weights[fmt.Sprintf(models.HeadMeanName, 0)])

	copying, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := eval.Sequences(t.Context(), m.Card, eval.Config{Task: copying, N: 64, Seed: 1, Split: task.Validation},
		task.Span{Min: 1, Max: 5})
	if err != nil {
		t.Fatal(err)
	}
	want, tokens := make([]float64, 4), 0.0
	for _, s := range all {
		sum := make([]float64, 4)
		for n, id := range s.IDs[:len(s.IDs)-1] {
			x := normed(embed[id*8 : id*8+8])
			for i := range sum {
				sum[i] += x[i]
				want[i] += sum[i] / float64(n+1)
			}
			tokens++
		}
	}
	for i := range 4 {
		if math.Abs(float64(mean[i])-constant) > 1e-6 || math.Abs(float64(mean[4+i])-want[i]/tokens) > 1e-5 {
			t.Errorf("feature %d: %g and %g, want %g and %g", i, mean[i], mean[4+i], constant, want[i]/tokens)
		}
	}

	m.Config.Ablation = "mean:0.1"
	if got, err = HeadMeans(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if mean := tensor.Data[float32](got.Weights[fmt.Sprintf(models.HeadMeanName, 0)]); mean[0] != 0 || mean[4] == 0 {
		t.Errorf("one head alone: %v", mean)
	}
	if m.Weights[fmt.Sprintf(models.HeadMeanName, 0)] != nil {
		t.Error("the weights of the model that was given were changed")
	}
	if _, err := m.Untrained(); err == nil || !strings.Contains(err.Error(), "ablate with zero or even") {
		t.Errorf("untrained: error %v", err)
	}
	m.Config.Ablation = "even:0.1"
	if got, err = HeadMeans(t.Context(), m); err != nil || got.Weights[fmt.Sprintf(models.HeadMeanName, 0)] != nil {
		t.Errorf("of another ablation: error %v", err)
	}
	unknown := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: m.Card}
	unknown.Config.Ablation, unknown.Card.Task = "mean:0.1", ""
	if _, err := HeadMeans(t.Context(), unknown); err == nil || !strings.Contains(err.Error(), "names no task") {
		t.Errorf("without a task: error %v", err)
	}
}

// normed is LayerNorm with a gain of 1 and no bias.
func normed(x []float32) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (float64(v) - mean) / math.Sqrt(variance+1e-5)
	}
	return out
}
