package runtime

import (
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime/engine"
)

// What opening a model may fail with, apart from the errors of reading a file (fs.ErrNotExist).
var (
	// ErrOptions reports options that are out of range or do not go together, and a provider
	// that does not exist.
	ErrOptions = engine.ErrOptions

	// ErrNoProvider reports that a provider cannot be used here: the program does not link its
	// engine, or the machine lacks a device, a driver or a library that it needs.
	ErrNoProvider = engine.ErrNoProvider

	// ErrNoRuntime reports that no usable ONNX Runtime library was found; the
	// error that wraps it lists what was searched and how to get one.
	ErrNoRuntime = engine.ErrNoRuntime

	// ErrNoCgo reports that the program was built without cgo, on a system or with a build
	// tag that leaves nothing else which could load ONNX Runtime; see runtime/ort.
	ErrNoCgo = engine.ErrNoCgo

	// ErrFile reports a file that is no model that can be run: it is damaged, may not be run
	// under the options (safety.ErrNotAllowed), or is not what its card says.
	ErrFile = errors.New("unusable model file")

	// ErrNoCard reports a file without a model card: it was not written by zoo, and its
	// inputs and outputs are not a decoder's of another exporter (package export/foreign),
	// so nothing says how to feed it.
	ErrNoCard = card.ErrNoCard
)

// What calls may fail with.
var (
	// ErrInput reports that a call cannot be served because of what it was given: text
	// that is not UTF-8 or has a token that is not in the vocabulary (the error then
	// wraps a *tokenizer.UnknownError too), token ids that do not exist, an empty row,
	// more positions than the model has (ErrTooLong too), or sampling, limits, starts, stops
	// and prefixes that do not fit. A server answers it with status 400, ErrBusy with 429, and
	// other errors with 500.
	ErrInput = errors.New("unusable input")

	// ErrTooLong reports that a call needs more positions than the model has;
	// nothing has been computed then.
	ErrTooLong = errors.New("sequence too long")

	// ErrNoTokenizer reports that a model has no vocabulary: it takes and gives
	// token ids only.
	ErrNoTokenizer = errors.New("the model has no tokenizer, so it takes and gives token ids only")

	// ErrLooped reports that a file gives whole completions: it has no logits, and chooses the
	// most probable token each time.
	ErrLooped = errors.New("the file gives whole answers only; use the one that zoo export writes without --generate")

	// ErrLogits reports that the model gave logits that no token can be chosen by: NaN, ∞, or
	// −∞ for all. It is broken, or its input beyond its range.
	ErrLogits = errors.New("unusable logits")

	// ErrBusy reports that a Batcher has as many prompts as it may. Nothing has been
	// computed for the call; it may succeed later.
	ErrBusy = errors.New("too many prompts are waiting")

	// ErrMemory reports that the prefixes of a session would take more memory than
	// Options.PrefixBytes allows.
	ErrMemory = errors.New("no memory left within the limit")

	// ErrClosed reports the use of a session or value after its Close.
	ErrClosed = engine.ErrClosed

	// ErrPanic reports that code panicked that the calls of many share, mostly an engine's: what would
	// have ended the program ends the calls that it happened to. The text has the stack.
	ErrPanic = engine.ErrPanic
)
