package runtime_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
)

// bareLoop decodes greedily with nothing between the loop and the engine: the
// shapes, buffers, values and lists of every run are made beforehand. It is what
// the speed of Session.Generate is measured against, on the same session.
type bareLoop struct {
	b       *testing.B
	model   runtime.Model
	call    runtime.Call
	info    runtime.Info
	prompts [][]int64
	runs    []bareRun
	ids     []int64   // of a step, [B,1]
	logits  []float32 // [B,V] of the last run
	caches  [2]map[string]*tensor.Tensor
	slots   int // at most
}

// bareRun is one run; prompt says that it reads some of the prompts.
type bareRun struct {
	prompt          bool
	inputs, outputs []runtime.Value
}

// newBareLoop prepares prompts of one length, read in chunks, and so many new
// tokens of each.
func newBareLoop(b *testing.B, s *runtime.Session, chunk int, prompts [][]int64, tokens int) *bareLoop {
	rows, width := len(prompts), len(prompts[0])
	l := &bareLoop{
		b: b, model: runtime.Loaded(s), info: s.Info(), prompts: prompts, slots: width + tokens,
		ids: make([]int64, rows), logits: make([]float32, rows*s.Info().VocabSize),
		caches: [2]map[string]*tensor.Tensor{{}, {}},
	}
	var err error
	if l.call, err = l.model.Begin(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.call.Close() })
	for past := 0; past < width+tokens-1; {
		n := 1
		if past < width {
			n = min(chunk, width-past)
		}
		l.runs = append(l.runs, l.prepare(past, n))
		past += n
	}
	return l
}

// prepare makes the values of a run of n slots after past ones.
func (l *bareLoop) prepare(past, n int) bareRun {
	r := bareRun{prompt: past < len(l.prompts[0])}
	turn, state := len(l.runs)%2, 0
	axes := map[string]int{"batch": len(l.prompts), "seq": n, "past": past, "past+seq": past + n, "logits_to_keep": 1}
	for _, p := range l.info.Inputs {
		shape := l.shape(p, axes)
		var v runtime.Value
		switch p.Name {
		case "input_ids":
			ids := l.ids
			if r.prompt {
				ids = nil
				for _, row := range l.prompts {
					ids = append(ids, row[past:past+n]...)
				}
			}
			v = l.value(tensor.Of(ids, shape...), shape)
		case "position_ids":
			v = l.value(filled(shape, func(i int) int64 { return int64(past + i%n) }), shape)
		case "attention_mask", "logits_to_keep":
			v = l.value(filled(shape, func(int) int64 { return 1 }), shape)
		default:
			v = l.value(l.cache(turn, state, p, axes), shape)
			state++
		}
		r.inputs = append(r.inputs, v)
	}
	state = 0
	for _, p := range l.info.Outputs {
		shape := l.shape(p, axes)
		if p.Name == "logits" {
			r.outputs = append(r.outputs, l.value(tensor.Of(l.logits, shape...), shape))
			continue
		}
		r.outputs = append(r.outputs, l.value(l.cache(1-turn, state, p, axes), shape))
		state++
	}
	return r
}

func (l *bareLoop) shape(p card.Port, axes map[string]int) []int {
	shape := make([]int, len(p.Shape))
	for i, axis := range p.Shape {
		d, ok := axes[axis]
		if !ok {
			var err error
			if d, err = strconv.Atoi(axis); err != nil {
				l.b.Fatal(err)
			}
		}
		shape[i] = d
	}
	return shape
}

// cache returns one of the two buffers of a state, with room for all slots.
func (l *bareLoop) cache(turn, state int, p card.Port, axes map[string]int) *tensor.Tensor {
	name := strconv.Itoa(state)
	if l.caches[turn][name] == nil {
		most := map[string]int{"batch": axes["batch"], "past": l.slots, "past+seq": l.slots}
		l.caches[turn][name] = tensor.New(tensor.Float32, l.shape(p, most)...)
	}
	return l.caches[turn][name]
}

func (l *bareLoop) value(memory *tensor.Tensor, shape []int) runtime.Value {
	v, err := l.model.Bind(memory)
	if err == nil {
		err = v.Reshape(shape...)
	}
	if err != nil {
		l.b.Fatal(err)
	}
	l.b.Cleanup(func() { _ = v.Close() })
	return v
}

func filled(shape []int, f func(i int) int64) *tensor.Tensor {
	t := tensor.New(tensor.Int64, shape...)
	for i := range tensor.Data[int64](t) {
		tensor.Data[int64](t)[i] = f(i)
	}
	return t
}

// next makes one more token of each row, into ids; the first of at runs reads
// the prompts. It returns the run to go on with.
func (l *bareLoop) next(at int) int {
	for {
		r := &l.runs[at]
		if err := l.call.Run(r.inputs, r.outputs); err != nil {
			l.b.Fatal(err)
		}
		if at++; at == len(l.runs) || !l.runs[at].prompt {
			break
		}
	}
	vocab := l.info.VocabSize
	for i := range l.ids {
		best, logits := 0, l.logits[i*vocab:][:vocab]
		for id, v := range logits {
			if v > logits[best] {
				best = id
			}
		}
		l.ids[i] = int64(best)
	}
	return at
}
