// Package ort runs ONNX models through the ONNX Runtime shared library: the engine that package runtime/ort gives to
// programs, which says how it is built and linked.
//
// It finds that library (Find, Candidates: in every build), keeps the one environment a process may have, and runs
// sessions over Go memory. It is the only package of zoo that uses cgo. Sessions, values and runs call the
// library's C functions through one table of them (table.go), which allocates nothing.
package ort

import (
	"errors"

	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Version is the ONNX Runtime release that package runtime/ort/install fetches, and the oldest
// one that the binding can use.
const Version = library.Version

// EnvLibrary is the environment variable that names the library to use. It is
// the only one that zoo's libraries read.
const EnvLibrary = "ZOO_ORT_LIB"

// Loader is what loads ONNX Runtime in this build: "cgo", "purego", or "" where nothing can.
const Loader = loader

// The errors of package runtime that this package returns.
var (
	ErrNoRuntime = engine.ErrNoRuntime
	ErrNoCgo     = engine.ErrNoCgo
	ErrClosed    = engine.ErrClosed
)

var errNoContext = errors.New("ort: the context is nil")
