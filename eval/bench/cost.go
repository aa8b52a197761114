package bench

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
)

// workload counts what running a model file takes.
type workload struct {
	graph   *graph.Graph
	states  []card.State
	weights float64 // bytes
	vocab   int
	oneStep bool // it reads one token at a time
}

func newWorkload(data []byte, c card.Card) (workload, error) {
	m, err := export.ReadDamaged(data) // its weights were checked, or need not be
	if err != nil {
		return workload{}, err
	}
	w := workload{graph: m.Graph, states: c.State}
	for _, t := range m.Weights {
		w.weights += float64(4 * t.Len())
	}
	for _, o := range m.Graph.Outputs {
		if o.Name == "logits" {
			w.vocab, _ = o.Node.Dim(-1).Int()
		}
	}
	ids := m.Graph.Input("input_ids")
	if ids == nil || w.vocab == 0 {
		return w, fmt.Errorf("the file has no input input_ids, or no output logits over a vocabulary of known size")
	}
	w.oneStep = ids.Dim(1).Is(1)
	return w, nil
}

// A run reads so many tokens over all rows of a batch, and so many of a row at
// least: enough for full matrix speed, little enough to keep memory linear.
const (
	chunkTokens = 512
	chunkLeast  = 16
)

// chunk returns how many tokens of each row one run reads.
func (w *workload) chunk(batch int) int {
	if w.oneStep {
		return 1
	}
	return max(chunkTokens/batch, chunkLeast)
}

// run counts the work of one run of n tokens of each row after some others.
func (w *workload) run(batch, past, n int) (flops, bytes float64, err error) {
	flops, err = w.graph.MatrixFLOPs(axes(batch, past, n))
	if err != nil {
		return 0, 0, err
	}
	old, err := w.state(batch, past)
	if err != nil {
		return 0, 0, err
	}
	all, err := w.state(batch, past+n)
	if err != nil {
		return 0, 0, err
	}
	written := all - old
	if !w.grows() {
		written = all
	}
	return flops, w.weights + old + written + float64(4*batch*w.vocab), nil
}

func axes(batch, past, n int) map[string]int {
	return map[string]int{"batch": batch, "seq": n, "past": past, "logits_to_keep": 1}
}

func (w *workload) grows() bool {
	return slices.ContainsFunc(w.states, func(s card.State) bool { return s.Grows })
}

// state returns the bytes of the state of so many tokens.
func (w *workload) state(batch, tokens int) (float64, error) {
	sum := 0.0
	for _, s := range w.states {
		size := 4.0
		for i, axis := range s.Shape {
			n, err := strconv.Atoi(axis)
			switch {
			case s.Grows && i == s.Axis:
				n = tokens
			case axis == "batch":
				n = batch
			case err != nil:
				return 0, fmt.Errorf("state %s of the card has the axis %q", s.Past, axis)
			}
			size *= float64(n)
		}
		sum += size
	}
	return sum, nil
}

// work counts reading length tokens of each row, and the middle one of the
// tokens generated after them.
func (w *workload) work(batch, length, newTokens int) (eval.Work, error) {
	var out eval.Work
	chunk := w.chunk(batch)
	if w.oneStep && !w.grows() { // every step costs the same
		flops, bytes, err := w.run(batch, 0, 1)
		n := float64(length)
		return eval.Work{PrefillFLOPs: n * flops, PrefillBytes: n * bytes, DecodeFLOPs: flops, DecodeBytes: bytes}, err
	}
	for past := 0; past < length; past += chunk {
		flops, bytes, err := w.run(batch, past, min(chunk, length-past))
		if err != nil {
			return out, err
		}
		out.PrefillFLOPs += flops
		out.PrefillBytes += bytes
	}
	var err error
	out.DecodeFLOPs, out.DecodeBytes, err = w.run(batch, length+newTokens/2, 1)
	return out, err
}

// The estimate of memory is that of a fresh process: the program and ONNX
// Runtime, the weights in the file, in the session and as its kernels pack them,
// the state twice (what a run reads and what it writes), and the values alive in
// the largest run, with what rounding allocations up wastes. It is meant to be
// above what is measured.
const (
	processBytes = 128 << 20
	weightCopies = 3
	arenaWaste   = 2.5
)

// memory estimates the most bytes of resident memory.
func (w *workload) memory(batch, length, newTokens int) (int64, error) {
	state, err := w.state(batch, length+newTokens)
	if err != nil {
		return 0, err
	}
	n := min(w.chunk(batch), length)
	live, err := w.graph.PeakBytes(axes(batch, length-n, n))
	if err != nil {
		return 0, err
	}
	return processBytes + int64(weightCopies*w.weights+2*state+arenaWaste*live), nil
}
