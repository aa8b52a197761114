//go:build !cgo || !linux

package ort

// TrimMemory gives memory that closed sessions and values left with the C
// allocator back to the system, so that it does not count into peaks measured
// later. Here it does nothing.
func TrimMemory() {}
