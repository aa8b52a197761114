//go:build !folder

package main

import "github.com/nopezoo/zoo/runtime"

// openPath opens a model file.
func openPath(path string) (*runtime.Session, error) { return runtime.Open(path, runtime.Options{}) }
