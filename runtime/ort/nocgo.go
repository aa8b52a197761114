//go:build !cgo

package ort

import (
	"context"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Session is a loaded model. Without cgo there is none: New returns ErrNoCgo.
type Session struct{}

// New returns ErrNoCgo.
func New([]byte, Options) (*Session, error) { return nil, ErrNoCgo }

// Library returns nothing.
func (*Session) Library() Library { return Library{} }

// Inputs returns nothing.
func (*Session) Inputs() []IO { return nil }

// Outputs returns nothing.
func (*Session) Outputs() []IO { return nil }

// Metadata returns nothing.
func (*Session) Metadata() map[string]string { return nil }

// Run returns ErrNoCgo.
func (*Session) Run(context.Context, map[string]*tensor.Tensor, ...string) ([]*tensor.Tensor, error) {
	return nil, ErrNoCgo
}

// RunValues returns ErrNoCgo.
func (*Session) RunValues(context.Context, []*Value, []*Value) error { return ErrNoCgo }

// Begin returns ErrNoCgo.
func (*Session) Begin(context.Context) (*Call, error) { return nil, ErrNoCgo }

// Close does nothing.
func (*Session) Close() error { return nil }

// Call runs a session again and again. Without cgo there is none.
type Call struct{}

// Run returns ErrNoCgo.
func (*Call) Run(_, _ []*Value) error { return ErrNoCgo }

// Close does nothing.
func (*Call) Close() error { return nil }

// Value is a tensor bound to ONNX Runtime. Without cgo there is none.
type Value struct{}

// NewValue returns ErrNoCgo.
func NewValue(*tensor.Tensor) (*Value, error) { return nil, ErrNoCgo }

// Reshape returns ErrNoCgo.
func (*Value) Reshape(...int) error { return ErrNoCgo }

// Close does nothing.
func (*Value) Close() error { return nil }

// Probe returns ErrNoCgo.
func Probe(string) (Library, map[string]error, error) { return Library{}, nil, ErrNoCgo }
