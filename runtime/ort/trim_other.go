//go:build !cgo || !linux

package ort

// trimMemory does nothing here.
func trimMemory() {}
