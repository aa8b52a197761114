package ort

import (
	"cmp"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// device is where a session computes that does not do so in main memory.
type device struct {
	api       *api
	provider  string // of the options
	adapter   string // its name, "" where it is not known
	allocator handle // OrtAllocator of the device's memory
	memory    handle // OrtMemoryInfo of it, which belongs to the session
	reads     []bool // whether an input is read on the device, by input

	mu      sync.Mutex
	arrange *Session          // see arranger
	options map[string]string // of the provider

	toDevice, toHost atomic.Int64 // bytes that runs have moved
}

// memoryNames are the names that ONNX Runtime has for the memory of providers' devices.
var memoryNames = map[string]string{providerCUDA: "Cuda", providerWebGPU: "WebGPU_Buf"}

// newDevice looks where a session's inputs lie, checks where its nodes run, and prepares the
// use of the device's memory.
func (s *Session) newDevice(model []byte, opt Options) (*device, error) {
	name, ok := memoryNames[opt.Provider]
	if !ok {
		return nil, nil
	}
	host, err := safety.FindHostPart(model)
	if err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	if err := s.checkPlacement(host, opt); err != nil {
		return nil, err
	}
	d := &device{api: s.api, provider: opt.Provider, options: opt.ProviderOptions}
	d.adapter, _ = adapterOf(opt.Provider, opt.ProviderOptions) // it works without a name
	var pin goruntime.Pinner
	defer pin.Unpin()
	infos := make([]handle, len(s.inputs))
	if err := s.api.do(memoryOfInputs, uintptr(s.model), pinSlice(&pin, infos), uintptr(len(infos))); err != nil {
		return nil, fmt.Errorf("ort: memory of inputs: %w", err)
	}
	for i, info := range infos {
		where, err := s.api.text(memoryInfoName, info)
		if err != nil {
			return nil, fmt.Errorf("ort: memory of inputs: %w", err)
		}
		d.reads = append(d.reads, !slices.Contains(host.OnlyHost, s.inputs[i].Name))
		if where == name {
			d.memory = info
		}
	}
	if d.memory == 0 {
		return d, nil // nothing can be kept on the device
	}
	if d.allocator, err = s.api.create(createAllocator, uintptr(s.model), uintptr(d.memory)); err != nil {
		return nil, fmt.Errorf("ort: memory of provider %s: %w", opt.Provider, err)
	}
	return d, nil
}

// close gives back what was made for the device.
func (d *device) close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.arrange != nil {
		err = d.arrange.Close()
	}
	if d.allocator != 0 {
		d.api.call(releaseAllocator, uintptr(d.allocator))
	}
	return err
}

// count adds what a run moves between main memory and the device's.
func (d *device) count(inputs, outputs []*Value) {
	if d == nil {
		return
	}
	for i, v := range inputs {
		if d.reads[i] && !v.onDevice() {
			d.toDevice.Add(v.bytes())
		}
	}
	for _, v := range outputs {
		if !v.onDevice() {
			d.toHost.Add(v.bytes())
		}
	}
}

// Transferred returns how many bytes runs have moved between main memory and that of the
// provider's device so far: inputs that are read there, and outputs, unless they lie there.
func (s *Session) Transferred() (toDevice, toHost int64) {
	if s.device == nil {
		return 0, 0
	}
	return s.device.toDevice.Load(), s.device.toHost.Load()
}

// Adapter names the device that the session computes on, as its driver does; "" for the
// processor, and where zoo cannot ask the driver.
func (s *Session) Adapter() string {
	if s.device == nil {
		return ""
	}
	return s.device.adapter
}

// Devices names those that a provider may compute on, the one that it takes first. Nothing
// is started.
func Devices(provider string) ([]string, error) {
	switch provider {
	case providerWebGPU:
		return webGPUAdapters()
	case providerCUDA:
		name, err := cudaAdapter(0)
		return []string{name}, err
	}
	return nil, fmt.Errorf("ort: provider %q computes on no device", provider)
}

// adapterOf names the device that a provider takes.
func adapterOf(provider string, options map[string]string) (string, error) {
	if provider == providerCUDA {
		device, err := strconv.Atoi(cmp.Or(options[cudaDevice], "0"))
		if err != nil {
			return "", fmt.Errorf("option %s is %q, expected a number", cudaDevice, options[cudaDevice])
		}
		return cudaAdapter(device)
	}
	names, err := webGPUAdapters()
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// OnDevice reports whether the session's provider has memory of its own; see Allocate.
func (s *Session) OnDevice() bool { return s.device != nil && s.device.allocator != 0 }

var errNoDevice = errors.New("the session's provider has no memory of its own")

// Allocate makes a value of n float32 in the memory of the provider's device. What it holds
// is not defined. It must be closed before the session is.
func (s *Session) Allocate(n int) (*Value, error) {
	d := s.device
	if !s.OnDevice() {
		return nil, fmt.Errorf("ort: allocate: %w", errNoDevice)
	}
	api, err := retain()
	if err != nil {
		return nil, err
	}
	b := &bound{api: api, where: d.memory}
	b.pin.Pin(b)
	dims := b.newDims(1)
	dims = append(dims, int64(max(n, 1)))
	const float32Type = 1 // ONNXTensorElementDataType
	b.owner, err = api.create(createTensorAsOrtValue, uintptr(d.allocator), first(dims), 1, float32Type)
	if err == nil {
		var data handle
		data, err = api.create(getTensorMutableData, uintptr(b.owner))
		b.data = uintptr(data)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ort: allocate %d numbers with provider %s: %w", n, d.provider, err), b.free())
	}
	v, err := newValue(b, tensor.Float32, max(n, 1), []int{max(n, 1)})
	if err != nil {
		return nil, fmt.Errorf("ort: allocate: %w", err)
	}
	return v, nil
}
