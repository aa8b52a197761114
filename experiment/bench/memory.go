package bench

import (
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/runtime/engine"
)

// memoryMeter measures peak memory, nil where the system does not tell.
func memoryMeter() eval.MemoryMeter {
	m, err := eval.ProcessMemory()
	if err != nil {
		return nil
	}
	return trimmed{m}
}

// trimmed frees the memory that earlier cells left with ONNX Runtime's allocator before it starts.
type trimmed struct{ eval.MemoryMeter }

func (t trimmed) Reset() {
	if e, err := engine.Find(engine.CPU); err == nil && e.TrimMemory != nil {
		e.TrimMemory()
	}
	t.MemoryMeter.Reset()
}
