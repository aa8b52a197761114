package ort_test

import (
	"testing"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/engine"
)

// With any C library, trimming leaves an open session usable.
func TestTrimMemory(t *testing.T) {
	cpu, err := engine.Find(engine.CPU)
	if err != nil {
		t.Fatal(err)
	}
	cpu.TrimMemory()
	s := open(t, addModel(), ort.Options{})
	cpu.TrimMemory()
	if n := len(s.Outputs()); n != 2 {
		t.Errorf("%d outputs, want 2", n)
	}
}
