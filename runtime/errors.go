package runtime

import (
	"errors"

	"github.com/nopezoo/zoo/card"
)

// What opening a model may fail with, beside the errors of reading a file (fs.ErrNotExist).
var (
	// ErrOptions reports options that are out of range or do not go together, and a provider
	// that does not exist.
	ErrOptions = errors.New("unusable options")

	// ErrNoProvider reports that a provider cannot be used here: the program does not link its
	// engine, or the machine lacks a device, a driver or a library that it needs. The error is
	// a *ProviderError.
	ErrNoProvider = errors.New("no such provider here")

	// ErrNoRuntime reports that no usable ONNX Runtime library was found; the
	// error that wraps it lists what was searched and how to get one.
	ErrNoRuntime = errors.New("no usable ONNX Runtime library")

	// ErrNoCgo reports that the program was built without cgo, on a system or with a build
	// tag that leaves nothing else which could load ONNX Runtime; see runtime/ort.
	ErrNoCgo = errors.New("ort: this program was built without cgo and purego, one of which loads ONNX Runtime; rebuild it " +
		"with CGO_ENABLED=1 and a C compiler, or for Linux or macOS without the tag static_build, or use the pure-Go engine")

	// ErrFile reports a file that is no model that can be run: it is damaged, may not be run
	// under the options (safety.ErrNotAllowed), or is not what its card says.
	ErrFile = errors.New("unusable model file")

	// ErrNoCard reports a file without a model card: it was not written by zoo, and its
	// inputs and outputs are not those of a decoder of another exporter (package export/foreign),
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

	// ErrAnswersOnly reports that a file gives whole answers: it has no logits, and chooses the
	// most probable token each time.
	ErrAnswersOnly = errors.New("the file gives whole answers only; use the one that zoo export writes without --generate")

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
	ErrClosed = errors.New("already closed")
)

// ProviderError reports that a provider cannot be used here. It is ErrNoProvider.
type ProviderError struct {
	Provider string
	Err      error // what is missing, and how to get it
}

// Error implements error.
func (e *ProviderError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ProviderError) Unwrap() error { return e.Err }

// Is reports whether target is ErrNoProvider.
func (e *ProviderError) Is(target error) bool { return target == ErrNoProvider }

// markedError is an error that is another one too, and says the same.
type markedError struct {
	error
	as error
}

// mark makes an error one that is as, too; nil stays nil.
func mark(err, as error) error {
	if err == nil {
		return nil
	}
	return markedError{err, as}
}

// Unwrap returns the error itself.
func (e markedError) Unwrap() error { return e.error }

// Is reports whether target is the other error.
func (e markedError) Is(target error) bool { return target == e.as }
