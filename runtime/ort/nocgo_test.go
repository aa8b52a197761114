//go:build !cgo

package ort_test

import (
	"errors"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/ort"
)

func TestWithoutCgo(t *testing.T) {
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
