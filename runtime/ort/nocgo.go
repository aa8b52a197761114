//go:build !cgo

package ort

// linked says that this build cannot load ONNX Runtime.
const linked = false

func acquire(_, _ string) (Library, *api, error) { return Library{}, nil, ErrNoCgo }

func retain() (*api, error) { return nil, ErrNoCgo }

func release() error { return nil }

// invoke is never called: there is no table of functions.
func invoke(_ bool, _, _, _, _, _, _, _, _, _ uintptr) uintptr { panic(ErrNoCgo) }
