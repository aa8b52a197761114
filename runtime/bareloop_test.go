package runtime_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// bareLoop decodes greedily with nothing between the loop and the engine: the
// shapes, buffers, values and lists of every run are made beforehand. It is what
// the speed of Session.Generate is measured against, on the same session. States are in
// place, [B,H,S,K], with the room that the session gives them.
type bareLoop struct {
	b       *testing.B
	model   engine.Model
	call    engine.Call
	info    runtime.Info
	prompts [][]int64
	runs    []bareRun
	ids     []int64              // of a step, [B,1]
	logits  []float32            // [B,V] of the last run
	states  map[string][]float32 // by input, with memory for all slots
	inner   int                  // K
	slots   int                  // of all runs
	room    int                  // of the last run
}

// bareRun is one run; prompt says that it reads some of the prompts.
type bareRun struct {
	prompt          bool
	past, room      int
	inputs, outputs []engine.Value
}

// newBareLoop prepares prompts of one length, read in chunks, and so many new
// tokens of each.
func newBareLoop(b *testing.B, s *runtime.Session, chunk int, prompts [][]int64, tokens int) *bareLoop {
	rows, width := len(prompts), len(prompts[0])
	l := &bareLoop{
		b: b, model: runtime.Loaded(s), info: s.Info(), prompts: prompts, slots: width + tokens - 1,
		ids: make([]int64, rows), logits: make([]float32, rows*s.Info().VocabSize),
		states: map[string][]float32{},
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
	slots := past + n
	room := min((slots+slots/8+63)/64*64, l.slots)
	if last := len(l.runs) - 1; last >= 0 {
		room = max(room, l.runs[last].room)
	}
	r := bareRun{prompt: past < len(l.prompts[0]), past: past, room: room}
	axes := map[string]int{card.Batch: len(l.prompts), card.Seq: n, card.Room: room, card.Kept: 1}
	states := []engine.Value{}
	for _, p := range l.info.Inputs {
		shape := l.shape(p, axes)
		var t *tensor.Tensor
		switch p.Name {
		case card.InputIDs.Name:
			ids := l.ids
			if r.prompt {
				ids = nil
				for _, row := range l.prompts {
					ids = append(ids, row[past:past+n]...)
				}
			}
			t = tensor.Of(ids, shape...)
		case card.PositionIDs.Name, card.CachePosition.Name:
			t = filled(shape, func(i int) int64 { return int64(past + i%n) })
		case card.AttentionMask.Name, card.LogitsToKeep.Name:
			t = filled(shape, func(int) int64 { return 1 })
		default:
			size := tensor.Numel(shape)
			if l.states[p.Name] == nil {
				l.states[p.Name], l.inner = make([]float32, size/room*l.slots), shape[3]
			}
			t = tensor.Of(l.states[p.Name][:size], shape...)
		}
		v := l.value(t)
		if l.states[p.Name] != nil {
			states = append(states, v)
		}
		r.inputs = append(r.inputs, v)
	}
	logits := l.value(tensor.Of(l.logits, l.shape(l.info.Outputs[0], axes)...))
	r.outputs = append([]engine.Value{logits}, states...) // in the order of the inputs
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

func (l *bareLoop) value(t *tensor.Tensor) engine.Value {
	v, err := l.model.Bind(t)
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

// widen gives the states the room of a run.
func (l *bareLoop) widen(r *bareRun) {
	if r.past == 0 {
		l.room = 0
	}
	if r.room == l.room {
		return
	}
	used, from, to := r.past*l.inner, l.room*l.inner, r.room*l.inner
	for _, data := range l.states {
		for o := len(data)/(l.slots*l.inner) - 1; o >= 0; o-- {
			copy(data[o*to:], data[o*from:][:used])
			clear(data[o*to+used : (o+1)*to])
		}
	}
	l.room = r.room
}

// next makes one more token of each row, into ids; the first of at runs reads
// the prompts. It returns the run to go on with.
func (l *bareLoop) next(at int) int {
	for {
		r := &l.runs[at]
		l.widen(r)
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
