package train

import (
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// Cost is what a run takes, as far as its configuration tells.
type Cost struct {
	Parameters int64 `json:"parameters"`   // of the model
	Memory     int64 `json:"memory_bytes"` // an estimate of the peak
}

const (
	// Bytes of each parameter: weight, gradient and both moments, float32.
	parameterBytes = 16
	// The gradients of each further lane.
	gradientBytes = 4
	// The file of the checkpoint that a resumed run reads; it is gone before the
	// activations of the first step are there.
	checkpointBytes = 12
	// What a process takes without a model: Go, ONNX Runtime, its thread pools.
	processBytes = 96 << 20
	// A token of a batch: id, position, label and loss weight. The pool of the next
	// steps is drawn while this one's is there.
	poolBytes = 2 * (3*8 + 4)
	// An example of a fixed set: its place in the order of an epoch, while the place of the
	// next is drawn.
	orderBytes = 2 * 8
)

// keptActivations is how many values of each hidden unit of an MLP the backward pass reads
// again, by activation function.
var keptActivations = map[string]float64{"relu": 1, "relu2": 2, "gelu": 8}

// keptUnits is how many values of each hidden unit a graph unrolled over a token more
// keeps, by architecture.
var keptUnits = map[string]float64{"cwrnn": 0.6, "lstm": 1.7}

// keptDelta is how many values more than attention a DeltaNet keeps, by feature of all heads.
const keptDelta = 24

// keptNorms is how many values of each feature the residuals and norms of a layer keep, by
// norm: of a LayerNorm what is left of its input without the mean, and its result, whose
// bias stands between it and the product that reads it.
var keptNorms = map[string]float64{"": 3, "rms": 3, "layer": 6}

// EstimateCost predicts a run's cost. The memory is
//
//	16 N + 4 N (l − 1) + max(A, 12 N) + X + 56 P B T + 16 E + 96 MiB
//	A = 4 l b T (L (n D + a F + 4 H K + 2 H T) + 3 F + 4 V)
//	X = l b T (L (2 D + F + 2 H T) + 2 D + 8 F) (with dropout)
//
// for N parameters and b sequences of T tokens, the longest, in each of l runs of the
// step graph side by side, which is what lanes make; each has gradients of its own. A is
// what the backward pass reads again of each layer (n values of each feature, which are
// residuals and what norms make of one; inputs of products; activations, a of them for each
// hidden unit; and the attention's weights), and what it holds by the way in one layer and
// at the logits; 12 N is the file
// of the checkpoint of a run that is resumed. X is the masks of dropout, those of the
// attention's weights twice, since their memory is made anew as lengths grow, and two that are floats for a while. The last are
// the tokens of P pooled steps of B sequences, and the order of E fixed examples. Where queries attend
// in blocks, A has the queries of a block for its last T. A graph
// that is unrolled keeps its memory while graphs of other lengths run. Without
// a checkpoint the presets measure between 0.6 and 1 times the estimate.
func EstimateCost(c runfile.Config) (Cost, error) {
	model, err := models.New(c.Model)
	if err != nil {
		return Cost{}, err
	}
	out := Cost{Parameters: int64(models.Count(model.Params()))}
	src, err := newSource(c)
	if err != nil {
		return Cost{}, err
	}
	longest, err := src.longest()
	if err != nil {
		return Cost{}, err
	}
	// In float64, so that no product of absurd numbers looks small.
	m := model.Config()
	n, t, lanes := float64(out.Parameters), float64(longest), float64(src.lanes)
	layers, heads, width := float64(m.NLayers), float64(m.NHeads), float64(m.DModel)
	queries, err := queriesAtOnce(model, c.Train, t)
	if err != nil {
		return Cost{}, err
	}
	layer := keptNorms[m.Norm]*width + keptActivations[m.Activation]*float64(m.DFF) + 4*heads*float64(m.DHead) + 2*heads*queries
	graphs := 1.0
	if m.BetaMax > 0 { // a DeltaNet
		layer += keptDelta * heads * float64(m.DHead)
		graphs = min(t, 64)/runfile.UnrolledBucket + 4*max(0, math.Log2(t/64))
	}
	tokens := float64(src.batch) * t
	if src.budget > 0 {
		tokens = min(tokens, max(float64(src.budget), t)*lanes)
	}
	perToken := graphs * (layers*layer + 3*float64(m.DFF) + 4*float64(m.VocabSize))
	// Unrolled: the steps themselves, and what the graphs of other lengths keep, which
	// grows with the greatest.
	perToken += keptUnits[m.Architecture] * float64(m.NUnits) * (t + 48)
	memory := n*(parameterBytes+gradientBytes*(lanes-1)) + processBytes + max(4*tokens*perToken, n*checkpointBytes)
	if c.Train.Dropout > 0 {
		memory += tokens * (layers*(2*width+float64(m.DFF)+2*heads*t) + 2*width + 8*float64(m.DFF))
	}
	memory += poolBytes * float64(src.pool) * float64(src.batch) * t
	memory += orderBytes * float64(src.examples)
	out.Memory = int64(min(memory, 1<<62))
	return out, nil
}

// queriesAtOnce returns of how many queries of a sequence of t tokens a step holds the attention's weights at once: of all, but
// where windows are long enough for blocks of queries and the model has them.
func queriesAtOnce(m models.Model, r runfile.Recipe, t float64) (float64, error) {
	if windowLength(r) == 0 {
		return t, nil
	}
	const n = longWindow + 1 // blocks are as large in windows of any length
	b := graph.NewBuilder()
	out := m.Forward(b, models.Mode{Steps: n, Dropout: drawnRate(r.Dropout), Positions: r.Positions})
	g, err := b.Build(graph.Output{Name: "logits", Node: out.Logits})
	if err != nil {
		return 0, wrap.Error(err, "train")
	}
	most := 0
	for _, x := range g.Nodes {
		if x.Op == "Softmax" {
			queries, _ := x.Shape[len(x.Shape)-2].Int()
			most = max(most, queries)
		}
	}
	if most == 0 || most == n {
		return t, nil
	}
	return float64(most), nil
}
