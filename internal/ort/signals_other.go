//go:build !linux

package ort

// keepSignals runs f. Only on Linux is the CUDA provider known to replace signal
// handlers.
func keepSignals(f func() error) error { return f() }
