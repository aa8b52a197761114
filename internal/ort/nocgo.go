//go:build !cgo && (static_build || !((linux && !android) || (darwin && !ios)) || !(amd64 || arm64))

package ort

// linked says that this build cannot load ONNX Runtime.
const linked = false

const loader = ""

func started() bool { return false }

func load(string) error { return ErrNoCgo }

func unload() error { return nil }

func loadedVersion() string { return "" }

func loadedTable(string) uintptr { return 0 }

func openLibrary(string) (uintptr, error) { return 0, ErrNoCgo }

func symbol(uintptr, string) (uintptr, error) { return 0, ErrNoCgo }

func closeLibrary(uintptr) {}

// invoke is never called: there is no table of functions.
func invoke(_ bool, _, _, _, _, _, _, _, _, _ uintptr) uintptr { panic(ErrNoCgo) }
