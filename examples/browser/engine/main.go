//go:build js && wasm

// Engine is zoo's pure-Go engine as WebAssembly. It gives the worker of the page an object
// zoo, whose functions return what they are asked for, or an object with a field error:
//
//	zoo.open(bytes)      → {version, vocabulary, end}
//	zoo.encode(text)     → {ids}
//	zoo.begin(ids, most) → {}
//	zoo.next()           → {id}
//	zoo.attention(ids)   → {layers: [{heads, weights}]}
//
// A function returns when its work is done. begin starts an answer, and next makes one token
// of it, so that the worker decides after each whether to go on.
package main

import (
	"context"
	"errors"
	"iter"
	"syscall/js"
	"unsafe"

	"github.com/nopezoo/zoo/examples/browser/attention"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/tokenizer"
)

func main() {
	e := &engine{}
	object := map[string]any{}
	for name, do := range map[string]func(args []js.Value) (map[string]any, error){
		"open": e.open, "encode": e.encode, "begin": e.begin, "next": e.next, "attention": e.attention,
	} {
		object[name] = js.FuncOf(func(_ js.Value, args []js.Value) any {
			result, err := do(args)
			if err != nil {
				return map[string]any{"error": err.Error()}
			}
			return result
		})
	}
	js.Global().Set("zoo", object)
	select {} // the functions are called until the worker ends
}

// engine is an open model and the answer that it is at.
type engine struct {
	file    []byte
	session *runtime.Session
	weights *attention.Model // opened when it is first asked for
	step    func() (runtime.Step, error, bool)
	stop    func()
}

func (e *engine) open(args []js.Value) (map[string]any, error) {
	e.close()
	e.file = make([]byte, args[0].Length())
	js.CopyBytesToGo(e.file, args[0])
	var err error
	if e.session, err = runtime.OpenBytes(e.file, runtime.Options{}); err != nil {
		return nil, err
	}
	info := e.session.Info()
	vocabulary := make([]any, len(info.Card.Tokenizer))
	for i, piece := range info.Card.Tokenizer {
		vocabulary[i] = piece
	}
	return map[string]any{"version": info.Version, "vocabulary": vocabulary, "end": tokenizer.EOS}, nil
}

// close ends what was open.
func (e *engine) close() {
	if e.stop != nil {
		e.stop()
	}
	if e.weights != nil {
		e.weights.Close()
	}
	if e.session != nil {
		e.session.Close()
	}
	*e = engine{}
}

// opened is an error before a model is open.
func (e *engine) opened() error {
	if e.session == nil {
		return errors.New("no model is open")
	}
	return nil
}

func (e *engine) encode(args []js.Value) (map[string]any, error) {
	if err := e.opened(); err != nil {
		return nil, err
	}
	ids, err := e.session.EncodePrompt(context.Background(), args[0].String())
	if err != nil {
		return nil, err
	}
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return map[string]any{"ids": list}, nil
}

// numbers returns a list of token ids.
func numbers(list js.Value) []int64 {
	ids := make([]int64, list.Length())
	for i := range ids {
		ids[i] = int64(list.Index(i).Int())
	}
	return ids
}

// begin starts to continue token ids by so many at most. What ends an answer is left to the worker.
func (e *engine) begin(args []js.Value) (map[string]any, error) {
	if err := e.opened(); err != nil {
		return nil, err
	}
	if e.stop != nil {
		e.stop()
	}
	e.step, e.stop = iter.Pull2(e.session.Generate(context.Background(), [][]int64{numbers(args[0])},
		runtime.GenerateOptions{MaxNew: args[1].Int(), Stop: []int64{}}))
	return map[string]any{}, nil
}

func (e *engine) next([]js.Value) (map[string]any, error) {
	if e.step == nil {
		return nil, errors.New("no answer was begun")
	}
	step, err, more := e.step()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, errors.New("the answer has as many tokens as it may have")
	}
	return map[string]any{"id": step.Tokens[0]}, nil
}

func (e *engine) attention(args []js.Value) (map[string]any, error) {
	if err := e.opened(); err != nil {
		return nil, err
	}
	if e.weights == nil {
		var err error
		if e.weights, err = attention.Open(e.file, e.session.Info().Provider); err != nil {
			return nil, err
		}
	}
	layers, err := e.weights.Weights(context.Background(), numbers(args[0]))
	if err != nil {
		return nil, err
	}
	list := make([]any, len(layers))
	for i, w := range layers {
		list[i] = map[string]any{"heads": w.Shape()[0], "weights": floats(tensor.Data[float32](w))}
	}
	return map[string]any{"layers": list}, nil
}

// floats copies numbers into a Float32Array. WebAssembly is little-endian, as typed arrays
// are on all processors that browsers run on.
func floats(x []float32) js.Value {
	bytes := js.Global().Get("Uint8Array").New(4 * len(x))
	if len(x) > 0 {
		js.CopyBytesToJS(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x)))
	}
	return js.Global().Get("Float32Array").New(bytes.Get("buffer"))
}
