package bench

import (
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/runtime"
)

// memoryMeter measures peak memory, nil where the system does not tell.
func memoryMeter() eval.MemoryMeter {
	m, err := eval.ProcessMemory()
	if err != nil {
		return nil
	}
	return trimmed{m}
}

// trimmed starts without what earlier cells left with ONNX Runtime's allocator.
type trimmed struct{ eval.MemoryMeter }

func (t trimmed) Reset() {
	if e, linked := runtime.Linked("cpu"); linked && e.TrimMemory != nil {
		e.TrimMemory()
	}
	t.MemoryMeter.Reset()
}
