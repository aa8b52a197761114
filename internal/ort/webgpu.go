package ort

import (
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/nopezoo/zoo/runtime/engine"
)

// webGPU is held while anything is done with the WebGPU provider: its sessions share one
// context, which is not safe for concurrent use (microsoft/onnxruntime#31627).
var webGPU sync.Mutex

// lockProvider waits until nobody else uses what the sessions of a provider share. What it
// returns lets others go on.
func lockProvider(provider string) (unlock func()) {
	if provider != engine.WebGPU {
		return func() {}
	}
	webGPU.Lock()
	return webGPU.Unlock
}

const noWebGPURemedy = "this library has no WebGPU; that which zoo setup installs has it on Linux and Windows on x64, and on macOS"

const webGPURemedy = "the provider needs a graphics card and its driver, Vulkan on Linux (the loader is libvulkan.so.1, " +
	"Debian's package libvulkan1); zoo doctor --provider webgpu looks for each"

// useWebGPU appends the WebGPU provider, which is part of ONNX Runtime's library on some
// platforms, to the session options. Masks and distances are int64, which is an option of the
// provider. What computes with shapes stays in main memory, where sizes are needed: else
// each would wait for the device. Angles stay there for their precision.
func (a *api) useWebGPU(session handle, lib Library, host hostPart, options map[string]string) error {
	built, err := a.available("WebGpuExecutionProvider")
	if err == nil && built { // else the error says that it is not
		err = checkVulkan(lib)
	}
	if err != nil {
		return fmt.Errorf("ort: provider webgpu: %w%s", err, elsewhere(engine.WebGPU, lib))
	}
	// The other layout is for convolutions, and would move transpositions to integers, which
	// the provider does not transpose.
	all := map[string]string{"enableInt64": "1", "preferredLayout": "NCHW"}
	if names := slices.Concat(host.shapes, host.angles); len(names) > 0 {
		all["forceCpuNodeNames"] = strings.Join(names, "\n")
	}
	maps.Copy(all, options)
	var pin goruntime.Pinner
	defer pin.Unpin()
	keys, values, n := cPairs(&pin, all)
	if err := a.do(appendProvider, uintptr(session), cString(&pin, "WebGPU"), keys, values, n); err != nil {
		remedy := webGPURemedy
		if strings.Contains(err.Error(), "not supported in this build") {
			remedy = noWebGPURemedy
		}
		return fmt.Errorf("ort: provider webgpu: %w; %s%s", plainer(err), remedy, elsewhere(engine.WebGPU, lib))
	}
	return nil
}

// available reports whether the library was built with a provider, by ONNX Runtime's name.
func (a *api) available(provider string) (bool, error) {
	var pin goruntime.Pinner
	defer pin.Unpin()
	found := &struct {
		names uintptr // of an array of strings
		n     int32
	}{}
	pin.Pin(found)
	if err := a.do(getAvailableProviders, address(&found.names), address(&found.n)); err != nil {
		return false, err
	}
	defer a.call(releaseAvailableProviders, found.names, uintptr(found.n))
	for _, name := range unsafe.Slice((*uintptr)(at(found.names)), found.n) {
		if goString(name) == provider {
			return true, nil
		}
	}
	return false, nil
}

// plainer shortens what Dawn, which is behind the provider, says of a machine without a card.
func plainer(err error) error {
	if _, why, found := strings.Cut(err.Error(), "Failed to get a WebGPU adapter: "); found {
		return errors.New(strings.TrimSpace(why))
	}
	return err
}

// runError adds the remedy to the error of a run on a device that has no 16-bit floats, or that CUDA failed.
func runError(d *device, err error) error {
	if err != nil && strings.Contains(err.Error(), "requires f16") {
		return fmt.Errorf("the device computes in no 16-bit floats, use a file of 32-bit ones (zoo export --dtype float32): %w", err)
	}
	if remedy, short := cudaCause(err); remedy != "" && d != nil && d.provider == engine.CUDA {
		return fmt.Errorf("%w: %s", short, remedy)
	}
	return err
}
