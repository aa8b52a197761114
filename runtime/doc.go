// Package runtime runs zoo's model files inside Go programs: it opens a file,
// turns text into tokens and back, computes logits and scores, and generates.
//
//	import _ "github.com/nopezoo/zoo/runtime/ort" // the engine: ONNX Runtime
//
//	s, err := runtime.Open("model.onnx", runtime.Options{})
//	if err != nil { … }
//	defer s.Close()
//	text, err := s.Complete(ctx, "a prompt", runtime.GenerateOptions{MaxNew: 50})
//
// A file is self-describing: its card (package card) names its vocabulary, its
// greatest length and its state, so the same code runs every encoding and
// architecture. What runs it is an engine, which a program links by importing it, as
// it links image formats: ONNX Runtime (runtime/ort; providers "cpu", "cuda" and "webgpu") or
// pure Go (runtime/native; provider "go").
//
// Decoders that Optimum, torch.onnx or onnxruntime-genai exported open too: what is known of them is read from
// their inputs and outputs, and from the files beside them (package export/foreign). Their
// tokenizers are read where a program links the reader:
//
//	import _ "github.com/nopezoo/zoo/tokenizer/hf"
//
// A file that zoo export --generate wrote (card.Answers) is opened and generates in the same
// way, and one call of the engine is a whole answer: greedy, to the end token, on ONNX Runtime
// only. It gives no logits and no scores.
//
// Shapes in this package: B batch, T new tokens, S cached and new tokens,
// V vocabulary.
package runtime

import (
	"errors"

	"github.com/nopezoo/zoo/card"
)

var (
	// ErrNoRuntime reports that no usable ONNX Runtime library was found; the
	// error that wraps it lists what was searched and how to get one.
	ErrNoRuntime = errors.New("no usable ONNX Runtime library")

	// ErrNoCgo reports that the program was built without cgo, so that it
	// cannot load ONNX Runtime.
	ErrNoCgo = errors.New("ort: ONNX Runtime needs cgo, and this program was built without it; rebuild with " +
		"CGO_ENABLED=1 and a C compiler, or use the pure-Go engine")

	// ErrClosed reports the use of a session or value after its Close.
	ErrClosed = errors.New("already closed")

	// ErrNoCard reports a file without a model card: it was not written by zoo, and its
	// inputs and outputs are not those of a decoder of another exporter (package export/foreign),
	// so nothing says how to feed it.
	ErrNoCard = card.ErrNoCard

	// ErrTooLong reports that a call needs more positions than the model has;
	// nothing has been computed then.
	ErrTooLong = errors.New("sequence too long")
)
