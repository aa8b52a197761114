// Package ort runs ONNX models through the ONNX Runtime shared library. Importing it
// registers the engine of package runtime for the providers "cpu", "cuda" and "webgpu":
//
//	import _ "github.com/nopezoo/zoo/runtime/ort"
//
// It finds that library (Find, Candidates: also without cgo; package install fetches
// one), keeps the one environment a process may have, and runs sessions over Go
// memory. It is the only package of zoo that uses cgo; built without it, opening a
// session reports ErrNoCgo.
//
// The binding loads the library and keeps the environment. Sessions, values and
// runs call the library's C functions through one table of them (table.go), which
// allocates nothing.
//
// A host program may start the environment itself, before the first session; it
// must not destroy one, its own or another's, while sessions or values are open.
package ort

import (
	"errors"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort/internal/library"
)

// Version is the ONNX Runtime release that package install fetches, and the oldest
// one that the binding can use.
const Version = library.Version

// EnvLibrary is the environment variable that names the library to use. It is
// the only one that zoo's libraries read.
const EnvLibrary = "ZOO_ORT_LIB"

// The errors of package runtime that this package returns.
var (
	ErrNoRuntime = runtime.ErrNoRuntime
	ErrNoCgo     = runtime.ErrNoCgo
	ErrClosed    = runtime.ErrClosed
)

var errNoContext = errors.New("ort: the context is nil")
