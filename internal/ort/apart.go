package ort

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/runtime/engine"
)

// handed is initializers that a session's options refer to, where they lie in Go's memory.
type handed struct {
	api    *api
	values []handle
	pin    goruntime.Pinner
}

// release ends the use of the memory. Releasing again does nothing.
func (h *handed) release() {
	for _, v := range h.values {
		h.api.call(releaseValue, uintptr(v))
	}
	h.values = nil
	h.pin.Unpin()
}

// value makes a value of an initializer.
func (h *handed) value(t *onnxpb.TensorProto) (handle, error) {
	made, err := h.api.create(createTensorWithDataAsOrtValue, uintptr(h.api.memory), pinSlice(&h.pin, t.RawData), uintptr(len(t.RawData)),
		pinSlice(&h.pin, t.Dims), uintptr(len(t.Dims)), uintptr(t.DataType))
	if err != nil {
		return 0, fmt.Errorf("ort: initializer %s: %w", onnxpb.Quote(t.Name), err)
	}
	h.values = append(h.values, made)
	return made, nil
}

// handOver adds to session options the initializers whose data the file's bytes lack. ONNX Runtime copies them while it
// makes the session, and frees the copies of matrices that it has packed. It packs no table of embeddings: those are kept,
// and read where they lie as long as the session lives.
func (a *api) handOver(options handle, file *safety.File, provider string) (copied, kept *handed, err error) {
	copied, kept = &handed{api: a}, &handed{api: a}
	if len(file.Apart) == 0 {
		return copied, kept, nil
	}
	debug.FreeOSMemory() // what reading the file has left would be there beside the copies
	tables := map[string]bool{}
	for _, n := range file.Proto.Graph.Node {
		if n.OpType == "Gather" && onnxpb.DefaultDomain(n.Domain) && file.Scattered && !engine.OnDevice(provider) {
			tables[n.Input[0]] = true
		}
	}
	var names, values []uintptr
	for _, t := range file.Apart {
		made, err := copied.value(t)
		if err == nil && tables[t.Name] {
			var table handle
			if table, err = kept.value(t); err == nil {
				err = a.do(addInitializer, uintptr(options), cString(&kept.pin, t.Name), uintptr(table))
			}
		}
		if err != nil {
			return copied, kept, err
		}
		names, values = append(names, cString(&copied.pin, t.Name)), append(values, uintptr(made))
	}
	if err := a.do(addExternalInitializers, uintptr(options), pinSlice(&copied.pin, names), pinSlice(&copied.pin, values),
		uintptr(len(values))); err != nil {
		return copied, kept, fmt.Errorf("ort: initializers: %w", err)
	}
	return copied, kept, nil
}
