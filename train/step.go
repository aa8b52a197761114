package train

import (
	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// Names of the training step's inputs and outputs; others are card.InputIDs,
// card.PositionIDs (where the encoding reads them) and the weights themselves.
const (
	labelsInput   = "labels"       // [batch, seq] int64: the token to predict at each place
	weightsInput  = "loss_weights" // [batch, seq] float32: its weight in the loss; 0 on prompt and padding
	earlierPrefix = "earlier."     // + weight name; the weight's shape: gradient of the update's earlier runs
	lossOutput    = "loss"         // [1]
	gradPrefix    = "grad."        // + weight name; the weight's shape: the same with this run's
)

// stepGraph builds the training step of a model: forward pass, weighted sum of
// the cross-entropies, and the raw gradient of every weight, added to the gradient of earlier
// runs, with the weights as inputs. An output may be the memory of its earlier sum.
// Sequences are padded on the right, so causality alone keeps padding
// out of sight. Of the mode it takes what is for training: with dropout the graph has
// an input per place for it; Steps is the length of every sequence for a model that is
// unrolled (see models.Architecture), and 0 for the others, whose graph takes any. Loss
// weights come divided by the label count of the whole batch: the loss and gradients of
// micro-batches add up to the batch's.
//
// The sums are the graph's last nodes, in the order of the weights. ONNX Runtime makes
// them from the last one on, each with all that it still needs: so the last layers'
// gradients come first, and the activations they need go before the next layers' are
// read. In another order they would all stay to the end.
func hostStepGraph(m models.Model, mode models.Mode) (*graph.Graph, error) {
	return stepGraph(m, mode, logProbability, func(b *graph.Builder, earlier, grad *graph.Node) *graph.Node {
		return b.Add(earlier, grad)
	})
}

// deviceStepGraph is stepGraph for ONNX Runtime's providers of devices. WebGPU's lacks
// LogSoftmax; losses are the same up to rounding, but 87 nats at most, the logarithm of the
// least positive number of full precision, beyond which a label has no gradient either. And
// no operator may read and write one buffer, so that earlier sums are multiplied with an
// input of 1 first.
func deviceStepGraph(m models.Model, mode models.Mode) (*graph.Graph, error) {
	return stepGraph(m, mode, composedLogProbability, func(b *graph.Builder, earlier, grad *graph.Node) *graph.Node {
		return b.Add(b.Mul(b.Input(oneInput, tensor.Float32, graph.N(1)), earlier), grad)
	})
}

// logProbability returns the logarithms of the probabilities [N,1] of labels [N,1], given
// logits [N,V].
func logProbability(b *graph.Builder, logits, labels *graph.Node) *graph.Node {
	return b.GatherElements(b.Op("LogSoftmax", []*graph.Node{logits}, graph.Attr{Name: "axis", Value: int64(-1)}), labels, 1)
}

func composedLogProbability(b *graph.Builder, logits, labels *graph.Node) *graph.Node {
	const least = 0x1p-126
	return b.Log(b.Max(b.GatherElements(b.Softmax(logits, -1), labels, 1), b.Float(least)))
}

// logProbabilityOf is a way to compute that.
type logProbabilityOf func(b *graph.Builder, logits, labels *graph.Node) *graph.Node

func stepGraph(m models.Model, mode models.Mode, logProbability logProbabilityOf,
	add func(b *graph.Builder, earlier, grad *graph.Node) *graph.Node) (*graph.Graph, error) {
	b := graph.NewBuilder()
	loss, weights := stepLoss(b, m, mode, logProbability)
	outputs := []graph.Output{{Name: lossOutput, Node: loss}}
	grads := graph.Gradient(b, loss, weights)
	for i, p := range m.Params() {
		earlier := b.Input(earlierPrefix+p.Name, tensor.Float32, weights[i].Shape...)
		outputs = append(outputs, graph.Output{Name: gradPrefix + p.Name, Node: add(b, earlier, grads[i])})
	}
	g, err := b.Build(outputs...)
	return wrap.Value(g, err, "train")
}

// stepLoss builds the loss [1] and returns the weights in the order of Params.
func stepLoss(b *graph.Builder, m models.Model, mode models.Mode, logProbability logProbabilityOf) (loss *graph.Node,
	weights []*graph.Node) {
	batch, seq := graph.Sym(card.Batch), graph.Sym(card.Seq)
	if mode.Steps > 0 {
		seq = graph.N(mode.Steps)
	}
	rows := batch.Mul(seq)
	logits := m.Forward(b, mode).Logits // [B·T, V]
	b.In(lossOutput, func() {
		labels := b.Reshape(b.Input(labelsInput, tensor.Int64, batch, seq), rows, graph.N(1))
		each := b.Reshape(b.Input(weightsInput, tensor.Float32, batch, seq), rows, graph.N(1))
		picked := logProbability(b, logits, labels)
		loss = b.Reshape(b.Neg(b.ReduceSum(b.Mul(picked, each), true)), graph.N(1))
	})
	return loss, lists.Map(m.Params(), func(p pe.Param) *graph.Node { return b.Param(p.Name, tensor.Float32, p.Shape...) })
}
