package runtime

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError reports that code panicked that calls of many share, mostly an engine's: what would have
// ended the program ends the calls that it happened to.
type PanicError struct {
	Value any    // what was panicked with
	Stack []byte // of the goroutine, as debug.Stack has it
}

// NewPanicError returns the error for what a deferred function has recovered, with the stack of the
// panic. A *PanicError that was panicked with, since another goroutine had recovered it, is returned
// as it is.
func NewPanicError(value any) *PanicError {
	if e, ok := value.(*PanicError); ok {
		return e
	}
	return &PanicError{value, debug.Stack()}
}

// Error implements error. The text has the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// guarded returns what do returns, or a *PanicError when it panics.
func guarded(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = NewPanicError(value)
		}
	}()
	return do()
}

// panicked reports whether an error is from a panic.
func panicked(err error) bool {
	var e *PanicError
	return errors.As(err, &e)
}
