// Package runtime runs zoo's model files inside Go programs: it opens a file,
// turns text into tokens and back, computes logits and scores, and generates.
//
//	s, err := runtime.Open("model.onnx", runtime.Options{})
//	if err != nil { … }
//	defer s.Close()
//	text, err := s.Complete(ctx, "a prompt", runtime.GenerateOptions{MaxNew: 50})
//
// A file is self-describing: its card (package card) names its vocabulary, its
// greatest length and its state, so the same code runs every encoding and
// architecture. Beneath the package are two engines: ONNX Runtime (runtime/ort;
// providers "cpu" and "cuda") and pure Go (runtime/native; provider "go").
//
// Shapes in this package: B batch, T new tokens, S cached and new tokens,
// V vocabulary.
package runtime

import (
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime/ort"
)

var (
	// ErrNoRuntime reports that no usable ONNX Runtime library was found; the
	// error that wraps it lists what was searched and how to get one.
	ErrNoRuntime = ort.ErrNoRuntime

	// ErrNoCgo reports that the program was built without cgo, so that only
	// provider "go" is there.
	ErrNoCgo = ort.ErrNoCgo

	// ErrClosed reports the use of a session after its Close.
	ErrClosed = ort.ErrClosed

	// ErrNoCard reports a file without a model card: it was not written by zoo,
	// so nothing says how to feed it.
	ErrNoCard = card.ErrNoCard

	// ErrTooLong reports that a call needs more positions than the model has;
	// nothing has been computed then.
	ErrTooLong = errors.New("sequence too long")
)
