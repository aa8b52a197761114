package runtime

import "errors"

// ErrInput reports that a call cannot be served because of what it was given: text
// that is not UTF-8 or has a token that is not in the vocabulary (the error then
// wraps a *tokenizer.UnknownError too), token ids that do not exist, an empty row,
// more positions than the model has (ErrTooLong too), or sampling, limits, starts
// and stop tokens out of range. A server answers it with status 400, and other
// errors with 500.
var ErrInput = errors.New("unusable input")

// inputError makes an error one that is ErrInput, and says the same.
type inputError struct{ error }

// Unwrap returns the error itself.
func (e inputError) Unwrap() error { return e.error }

// Is reports whether target is ErrInput.
func (inputError) Is(target error) bool { return target == ErrInput }
