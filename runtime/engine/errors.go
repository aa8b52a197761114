package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Errors of engines, which package runtime describes.
var (
	ErrOptions    = errors.New("unusable options")
	ErrNoProvider = errors.New("no such provider here")
	ErrNoRuntime  = errors.New("no usable ONNX Runtime library")
	ErrNoCgo      = errors.New("ort: this program was built without cgo and purego, one of which loads ONNX Runtime; rebuild it " +
		"with CGO_ENABLED=1 and a C compiler, or for Linux or macOS without the tag static_build, or use the pure-Go engine")
	ErrClosed = errors.New("already closed")
	ErrPanic  = errors.New("panic")
)

// markedError is an error that is another one too, and says the same.
type markedError struct {
	error
	as error
}

// Mark makes an error one that is as, too; nil stays nil.
func Mark(err, as error) error {
	if err == nil {
		return nil
	}
	return markedError{err, as}
}

// Unwrap returns the error itself.
func (e markedError) Unwrap() error { return e.error }

// Is reports whether target is the other error.
func (e markedError) Is(target error) bool { return target == e.as }

// panicError is a panic as an error.
type panicError struct {
	value any    // what was panicked with
	stack []byte // of the goroutine, as debug.Stack has it
}

// Error implements error. The text has the stack.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.value, e.stack) }

// Unwrap returns the value if it is an error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// Is reports whether target is ErrPanic.
func (e *panicError) Is(target error) bool { return target == ErrPanic }

// Guard returns what do returns, or when it panics an ErrPanic with the stack, which wraps what was panicked with
// if that is an error. An ErrPanic of another goroutine that do panics with is returned as it is.
func Guard(do func() error) (err error) {
	defer func() {
		value := recover()
		if earlier, ok := value.(*panicError); ok {
			err = earlier
		} else if value != nil {
			err = &panicError{value, debug.Stack()}
		}
	}()
	return do()
}
