// Package ort is the engine that runs ONNX models through the ONNX Runtime shared library. Importing it
// registers the engine of package runtime for the providers "cpu", "cuda" and "webgpu":
//
//	import _ "github.com/nopezoo/zoo/runtime/ort"
//
// The library is the one that runtime.Options or the environment variable ZOO_ORT_LIB names, else the first usable one in
// the per-user cache, beside the executable, and in the system's library folders. Package install fetches one.
//
// With cgo the binding loads the library and keeps the environment. Without cgo, on Linux
// and macOS on amd64 and arm64, purego does: then a program needs no C compiler, and can be
// built for another system, at the same speed (runtime/PERFORMANCE.md). In other builds
// without cgo opening a session reports runtime.ErrNoCgo.
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

import _ "github.com/nopezoo/zoo/internal/ort" // registers itself
