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
// Many callers share one model through a Batcher, whose runs serve all of them. What prompts
// have in common at their beginning is read once by Session.Prefill.
//
// Decoders that Optimum, torch.onnx or onnxruntime-genai exported open too: what is known of them is read from
// their inputs and outputs, and from the files in their folder (package export/foreign). Their
// tokenizers are read where a program links the reader:
//
//	import _ "github.com/nopezoo/zoo/tokenizer/hf"
//
// A file that zoo export --generate wrote (card.Looped) is opened and generates in the same
// way, and one call of the engine is a whole answer: greedy, to the end token, on ONNX Runtime
// only. It gives no logits and no scores.
//
// Errors tell by errors.Is what they are about: see ErrInput and the other variables. What
// a caller gave wrong is always ErrInput, a context's end the context's own error.
//
// Shapes in this package: B batch, T new tokens, S cached and new tokens,
// V vocabulary.
package runtime
