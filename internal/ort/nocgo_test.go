package ort_test

import (
	"errors"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
)

// TestNotLinked: CGO_ENABLED=0 go test -tags static_build ./internal/ort
func TestNotLinked(t *testing.T) {
	if ort.Linked {
		t.Skip("this build can load ONNX Runtime")
	}
	if _, err := ort.New(nil, ort.Options{}); !errors.Is(err, ort.ErrNoCgo) {
		t.Errorf("New: %v", err)
	}
	if _, err := ort.NewValue(tensor.New(tensor.Float32, 1)); !errors.Is(err, ort.ErrNoCgo) {
		t.Errorf("NewValue: %v", err)
	}
	if _, _, err := ort.Probe("cpu", ""); !errors.Is(err, ort.ErrNoCgo) {
		t.Errorf("Probe: %v", err)
	}
}
