//go:build !linux

package ort

// trimMemory does nothing here.
func trimMemory() {}
