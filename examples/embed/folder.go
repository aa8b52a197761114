//go:build folder

package main

import (
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/tokenizer/hf" // reads tokenizer.json
	"github.com/nopezoo/zoo/zoo"
)

// openPath opens a model file, a folder of weights in Hugging Face's layout, or a GGUF file.
func openPath(path string) (*runtime.Session, error) { return zoo.Open(path, zoo.Options{}) }
