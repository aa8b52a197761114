//go:build !cgo

package ort

// openLibrary opens nothing.
func openLibrary(string) (uintptr, error) { return 0, ErrNoCgo }

func driverVersion(string) (int, error) { return 0, ErrNoCgo }
