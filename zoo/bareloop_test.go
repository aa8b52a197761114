package zoo_test

import (
	"strconv"
	"testing"

	onnxruntime "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/runtime"
)

// bareLoop decodes greedily with nothing between the loop and the binding of
// ONNX Runtime: the names, shapes, buffers, values and lists of every run are
// made beforehand. It is what the speed of runtime.Session is measured against.
type bareLoop struct {
	session *onnxruntime.DynamicAdvancedSession
	runs    []bareRun
	ids     [2][]int64 // of the prompt's chunks and of a step
	logits  []float32  // of the last run's last token
	vocab   int
	prompts [][]int64
	chunk   int
	out     [][]int64
}

// bareRun is one call of ONNX Runtime.
type bareRun struct{ inputs, outputs []onnxruntime.Value }

// newBareLoop prepares prompts of one length and so many new tokens of each. The
// environment must run, so a session must be open.
func newBareLoop(b *testing.B, model []byte, info runtime.Info, threads, chunk int, prompts [][]int64, tokens int) *bareLoop {
	b.Helper()
	l := &bareLoop{prompts: prompts, vocab: info.VocabSize, chunk: chunk, out: make([][]int64, len(prompts))}
	l.open(b, model, info, threads)
	rows, width := len(prompts), len(prompts[0])
	l.logits = make([]float32, rows*l.vocab)
	l.ids = [2][]int64{make([]int64, rows*chunk), make([]int64, rows)}
	for i := range l.out {
		l.out[i] = make([]int64, 0, tokens)
	}
	caches := map[string]*[2][]float32{}
	for past := 0; past < width+tokens-1; {
		n := 1
		if past < width {
			n = min(chunk, width-past)
		}
		l.runs = append(l.runs, l.bind(b, info, caches, past, n, width+tokens))
		past += n
	}
	return l
}

func (l *bareLoop) open(b *testing.B, model []byte, info runtime.Info, threads int) {
	var inputs, outputs []string
	for _, p := range info.Inputs {
		inputs = append(inputs, p.Name)
	}
	for _, p := range info.Outputs {
		outputs = append(outputs, p.Name)
	}
	options, err := onnxruntime.NewSessionOptions()
	if err != nil {
		b.Fatal(err)
	}
	defer options.Destroy()
	for _, err := range []error{
		options.SetIntraOpNumThreads(threads), options.SetMemPattern(false), options.SetLogSeverityLevel(onnxruntime.LoggingLevelFatal),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	if l.session, err = onnxruntime.NewDynamicAdvancedSessionWithONNXData(model, inputs, outputs, options); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.session.Destroy() })
}

// bind makes the values of a run of n slots after past ones.
func (l *bareLoop) bind(b *testing.B, info runtime.Info, caches map[string]*[2][]float32, past, n, most int) bareRun {
	rows := len(l.prompts)
	axes := map[string]int{"batch": rows, "seq": n, "past": past, "past+seq": past + n, "logits_to_keep": 1}
	shape := func(p runtime.Port) (onnxruntime.Shape, int) {
		s, size := make(onnxruntime.Shape, len(p.Shape)), 1
		for i, axis := range p.Shape {
			d, ok := axes[axis]
			if !ok {
				var err error
				if d, err = strconv.Atoi(axis); err != nil {
					b.Fatal(err)
				}
			}
			s[i] = int64(d)
			size *= d
		}
		return s, size
	}
	turn := len(l.runs) % 2
	cache := func(key string, p runtime.Port, turn int) onnxruntime.Value {
		s, size := shape(p)
		c := caches[key]
		if c == nil {
			c = &[2][]float32{}
			caches[key] = c
		}
		if c[turn] == nil {
			width := 1
			for i, axis := range p.Shape {
				if axis == "past" || axis == "past+seq" {
					width *= most
				} else {
					width *= int(s[i])
				}
			}
			c[turn] = make([]float32, width)
		}
		return bareValue(b, s, c[turn][:size])
	}
	var r bareRun
	state := 0
	for _, p := range info.Inputs {
		s, size := shape(p)
		var v onnxruntime.Value
		switch p.Name {
		case "input_ids":
			ids := l.ids[1]
			if past < len(l.prompts[0]) {
				ids = l.ids[0][:size]
			}
			v = bareValue(b, s, ids)
		case "attention_mask":
			mask := make([]int64, size)
			for i := range mask {
				mask[i] = 1
			}
			v = bareValue(b, s, mask)
		case "position_ids":
			positions := make([]int64, size)
			for i := range positions {
				positions[i] = int64(past + i%n)
			}
			v = bareValue(b, s, positions)
		case "logits_to_keep":
			v = bareValue(b, s, []int64{1})
		default:
			v = cache(strconv.Itoa(state), p, turn)
			state++
		}
		r.inputs = append(r.inputs, v)
	}
	state = 0
	for _, p := range info.Outputs {
		if p.Name == "logits" {
			s, _ := shape(p)
			r.outputs = append(r.outputs, bareValue(b, s, l.logits))
			continue
		}
		r.outputs = append(r.outputs, cache(strconv.Itoa(state), p, 1-turn))
		state++
	}
	return r
}

func bareValue[T int64 | float32](b *testing.B, shape onnxruntime.Shape, data []T) onnxruntime.Value {
	if len(data) == 0 {
		data = make([]T, 1)
	}
	v, err := onnxruntime.NewTensor(shape, data)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { v.Destroy() })
	return v
}

// generate continues the prompts.
func (l *bareLoop) generate(b *testing.B) [][]int64 {
	width, past := len(l.prompts[0]), 0
	for _, r := range l.runs {
		if past < width {
			n := min(l.chunk, width-past)
			for i, p := range l.prompts {
				copy(l.ids[0][i*n:][:n], p[past:])
			}
			past += n
		} else {
			for i := range l.out {
				l.ids[1][i] = l.out[i][len(l.out[i])-1]
			}
		}
		if err := l.session.Run(r.inputs, r.outputs); err != nil {
			b.Fatal(err)
		}
		if past < width {
			continue
		}
		for i := range l.out {
			l.out[i] = append(l.out[i], int64(largest(l.logits[i*l.vocab:][:l.vocab])))
		}
	}
	return l.out
}

func (l *bareLoop) reset() {
	for i := range l.out {
		l.out[i] = l.out[i][:0]
	}
}

func largest(logits []float32) int {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return best
}
