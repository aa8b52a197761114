package bench

import (
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/runtime/ort"
)

// memoryMeter measures peak memory, nil where the system does not tell.
func memoryMeter() eval.MemoryMeter {
	m, err := eval.ProcessMemory()
	if err != nil {
		return nil
	}
	return trimmed{m}
}

// trimmed starts without what earlier cells left with the C allocator.
type trimmed struct{ eval.MemoryMeter }

func (t trimmed) Reset() {
	ort.TrimMemory()
	t.MemoryMeter.Reset()
}
