// Package ort runs ONNX models through the ONNX Runtime shared library. Importing it
// registers the engine of package runtime for the providers "cpu", "cuda" and "webgpu":
//
//	import _ "github.com/nopezoo/zoo/runtime/ort"
//
// It finds that library (Find, Candidates: in every build; package install fetches
// one), keeps the one environment a process may have, and runs sessions over Go
// memory. It is the only package of zoo that uses cgo.
//
// With cgo the binding loads the library and keeps the environment. Without cgo, on Linux
// and macOS on amd64 and arm64, purego does: then a program needs no C compiler, and can be
// built for another system, at the same speed (runtime/PERFORMANCE.md). In other builds
// without cgo opening a session reports ErrNoCgo. Sessions, values and runs call the
// library's C functions through one table of them (table.go), which allocates nothing.
//
// A program for Linux that imports this package is linked to the C library without cgo too,
// to glibc: it does not start where that is missing, as in an empty container or on Alpine
// Linux, where ONNX Runtime could not be loaded either. A program that also links the pure-Go
// engine, and is to run there with it, is built with CGO_ENABLED=0 and the build tag
// static_build: it is static, and cannot load ONNX Runtime. Programs that import
// runtime/native alone are static anyway.
//
// With cgo a host program may start the environment itself, through the binding, before the
// first session; it must not destroy one, its own or another's, while sessions or values are
// open.
package ort

import (
	"errors"

	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/runtime/ort/internal/library"
)

// Version is the ONNX Runtime release that package install fetches, and the oldest
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
