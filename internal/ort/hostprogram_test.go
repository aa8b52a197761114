//go:build cgo

package ort_test

import (
	"errors"
	"strings"
	"testing"

	onnxruntime "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestHostProgram: an environment that the host program made is joined and
// outlives us.
func TestHostProgram(t *testing.T) {
	inChild(t, func(t *testing.T) {
		library := orttest.Require(t)
		onnxruntime.SetSharedLibraryPath(library)
		if err := onnxruntime.InitializeEnvironment(); err != nil {
			t.Fatal(err)
		}
		if _, err := ort.New(addModel(), ort.Options{Library: library}); err == nil ||
			!strings.Contains(err.Error(), "host program has already loaded") {
			t.Errorf("with a library of our own: %v", err)
		}
		v, err := ort.NewValue(tensor.New(tensor.Float32, 1, 3))
		if err != nil {
			t.Fatal(err)
		}
		s, err := ort.New(addModel(), ort.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if lib := s.Library(); lib.Source != ort.FromHost || lib.Version == "" {
			t.Errorf("library is %+v", lib)
		}
		if err := errors.Join(s.RunValues(t.Context(), []engine.Value{v, v}, []engine.Value{v, v}), s.Close(),
			v.Close()); err != nil {
			t.Error(err)
		}
		if !onnxruntime.IsInitialized() {
			t.Fatal("the host's environment was destroyed")
		}
		if err := onnxruntime.DestroyEnvironment(); err != nil {
			t.Error(err)
		}
	})
}

// TestCallInHostProgram: in an environment of the host program's the path of the
// library is unknown, and its functions are found among all that is loaded.
func TestCallInHostProgram(t *testing.T) {
	inChild(t, func(t *testing.T) {
		onnxruntime.SetSharedLibraryPath(orttest.Require(t))
		if err := onnxruntime.InitializeEnvironment(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := onnxruntime.DestroyEnvironment(); err != nil {
				t.Error(err)
			}
		})
		s, err := ort.New(concatModel(), ort.Options{Outputs: []string{"present"}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		growCache(t, s)
		wrongShape(t, s)
		impossibleShape(t)
	})
}
