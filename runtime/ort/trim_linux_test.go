package ort_test

import (
	"testing"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort"
)

// Whatever the C library, trimming leaves an open session usable.
func TestTrimMemory(t *testing.T) {
	engine, linked := runtime.Linked("cpu")
	if !linked {
		t.Fatal("the package registers no engine for provider cpu")
	}
	engine.TrimMemory()
	s := open(t, addModel(), ort.Options{})
	engine.TrimMemory()
	if n := len(s.Outputs()); n != 2 {
		t.Errorf("%d outputs, want 2", n)
	}
}
