// Package ort runs ONNX models through the ONNX Runtime shared library. It
// finds and installs that library (Find, Candidates, Setup: also without cgo),
// keeps the one environment a process may have, and runs sessions over Go
// memory. It is the only package of zoo that uses cgo; built without it,
// opening a session reports ErrNoCgo.
//
// The binding loads the library and keeps the environment. Sessions, values and
// runs call the library's C functions through one table of them (table.go), which
// allocates nothing.
//
// A host program may start the environment itself, before the first session; it
// must not destroy one, its own or another's, while sessions or values are open.
package ort

import "errors"

// Version is the ONNX Runtime release that Setup installs, and the oldest one
// that the binding can use.
const Version = "1.29.0"

// EnvLibrary is the environment variable that names the library to use. It is
// the only one that zoo's libraries read.
const EnvLibrary = "ZOO_ORT_LIB"

var (
	// ErrNoRuntime reports that no usable ONNX Runtime library was found. The
	// error that wraps it lists what was searched and how to get one.
	ErrNoRuntime = errors.New("no usable ONNX Runtime library")

	// ErrNoCgo reports that the program was built without cgo.
	ErrNoCgo = errors.New("ort: ONNX Runtime needs cgo, and this program was built without it; rebuild with CGO_ENABLED=1 and a C compiler, or use the pure-Go engine")

	// ErrClosed reports the use of a session or value after its Close.
	ErrClosed = errors.New("ort: already closed")
)

var errNoContext = errors.New("ort: the context is nil")
