package bench

import (
	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/runtime"
)

// workload counts the operations and bytes that a run of a model file takes.
type workload struct {
	graph   *graph.Graph // nil where it cannot be read: then nothing but states and vocabulary is known
	states  []card.State
	weights float64 // bytes
	vocab   int
	oneStep bool // it reads one token at a time
	atOnce  bool // or a prompt in one run: card.Card.WholePrompts

	words map[string]string // package card's words for axes that a file of another program calls otherwise
}

func newWorkload(f *safety.File, c card.Card, k card.Contract) (workload, error) {
	w := workload{states: c.State, vocab: k.Vocab, oneStep: k.OneToken, atOnce: c.WholePrompts()}
	g, weights, err := export.Read(f)
	if err != nil {
		return w, err
	}
	w.graph, w.words = g, words(c, k)
	for _, t := range weights {
		w.weights += float64(4 * t.Len())
	}
	if _, _, err = w.run(1, 0, 1); err != nil { // another axis has a name that is not known
		w.graph = nil
	}
	return w, err
}

// words has the names that a file's inputs give to axes, and package card's.
func words(c card.Card, k card.Contract) map[string]string {
	m := map[string]string{}
	if k.IDs >= 0 {
		for i, name := range k.Inputs[k.IDs].Shape {
			m[name] = card.InputIDs.Shape[i]
		}
	}
	for i, at := range k.States {
		for a, name := range k.Inputs[at].Shape {
			m[name] = c.State[i].Shape[a]
		}
	}
	if k.Keep >= 0 {
		m[k.Inputs[k.Keep].Name] = card.Kept
	}
	return m
}

// chunk returns how many tokens of each row one run reads.
func (w *workload) chunk(batch int) int {
	switch {
	case w.oneStep:
		return 1
	case w.atOnce:
		return task.MaxLength
	}
	return runtime.Options{}.Chunk(batch)
}

// run counts the work of one run of n tokens of each row after some others.
func (w *workload) run(batch, past, n int) (flops, bytes float64, err error) {
	flops, err = w.graph.MatrixFLOPs(w.axes(batch, past, n))
	bytes = w.weights + float64(4*batch*w.vocab)
	for _, s := range w.states {
		bytes += moved(s, batch, past, n)
	}
	return flops, bytes, err
}

// axes has the lengths of axes, by package card's words and the file's.
func (w *workload) axes(batch, past, n int) map[string]int {
	lengths := map[string]int{card.Batch: batch, card.Seq: n, card.Past: past, card.Room: past + n, card.Kept: 1}
	for name, word := range w.words {
		if length, known := lengths[word]; known {
			lengths[name] = length
		}
	}
	return lengths
}

// moved returns how many bytes of a state a call must read or write: of a state with slots it reads the old ones and
// writes the fresh ones, any other it reads and writes as a whole.
func moved(s card.State, rows, past, fresh int) float64 {
	if s.Slotted() {
		size, _ := s.Bytes(rows, past+fresh)
		return size
	}
	size, _ := s.Bytes(rows, past)
	return 2 * size
}

// state returns the bytes of the state of so many tokens, and how many are held while a run goes on.
func (w *workload) state(batch, tokens int) (size, held float64) {
	for _, s := range w.states {
		a, b := s.Bytes(batch, tokens)
		size, held = size+a, held+b
	}
	return size, held
}

// grows reports whether the state of so many tokens is larger than at first.
func (w *workload) grows(batch, tokens int) bool {
	before, _ := w.state(batch, 0)
	after, _ := w.state(batch, tokens)
	return after > before
}

// work counts reading length tokens of each row, and the middle one of the
// tokens generated after them.
func (w *workload) work(batch, length, newTokens int) (eval.Cost, error) {
	var out eval.Cost
	chunk := w.chunk(batch)
	if w.oneStep && !w.grows(batch, length) { // every step costs the same
		flops, bytes, err := w.run(batch, 0, 1)
		n := float64(length)
		return eval.Cost{PrefillFLOPs: n * flops, PrefillBytes: n * bytes, DecodeFLOPs: flops, DecodeBytes: bytes}, err
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

// The estimate of memory is for a fresh process: the program and ONNX
// Runtime, the weights in the file, in the session and as its kernels pack them,
// the state, twice where a run writes another than it reads, and the values alive in
// the largest run, with what rounding allocations up wastes. It is meant to be
// above what is measured.
const (
	processBytes = 128 << 20
	weightCopies = 3
	arenaWaste   = 2.5
)

// memory estimates the most bytes of resident memory.
func (w *workload) memory(batch, length, newTokens int) (int64, error) {
	n := min(w.chunk(batch), length)
	live, err := w.graph.PeakBytes(w.axes(batch, length-n, n))
	if err != nil {
		return 0, err
	}
	_, held := w.state(batch, length+newTokens)
	return processBytes + int64(weightCopies*w.weights+held+arenaWaste*live), nil
}

// scoringMemory estimates the most bytes of scoring, which has all logits of a run.
func (w *workload) scoringMemory(batch, prompt, target int) (int64, error) {
	bytes, err := w.memory(batch, prompt, target)
	return bytes + 2*4*int64(w.vocab*batch*min(w.chunk(batch), prompt+target)), err
}
