//go:build cgo && !linux && !darwin

package ort

import (
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// direct is not there on this system: everything goes through the binding.
type direct struct{}

func newDirect(string) *direct { return nil }

func (*direct) value(unsafe.Pointer, int, []int64, tensor.DType) (unsafe.Pointer, error) {
	return nil, nil
}

func (*direct) release(unsafe.Pointer) {}

func (*direct) run(_, _ unsafe.Pointer, _ *names, _, _ []unsafe.Pointer) error { return nil }

type names struct{}

func newNames(_, _ []string) *names { return nil }

func (*names) free() {}

func sessionPointer(*ort.DynamicAdvancedSession) unsafe.Pointer { return nil }

func optionsPointer(*ort.RunOptions) unsafe.Pointer { return nil }
