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

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// device is where a session computes that does not do so in main memory. It owns the
// session: values in its memory may be closed after that, and the last one to go frees both.
type device struct {
	api       *api
	session   handle // OrtSession
	provider  string // of the options
	options   map[string]string
	allocator handle // OrtAllocator of the device's memory; 0 where no input is read there
	memory    handle // OrtMemoryInfo of it, which belongs to the session
	reads     []bool // whether an input is read on the device, by input
	lies      []bool // whether ONNX Runtime wants it there, by input
	adapter   func() string

	mu      sync.Mutex
	users   int // values in the memory, and the session while it is open
	closed  bool
	arrange *session // see helper
	copy    *session

	toDevice, toHost atomic.Int64 // bytes that runs have moved
}

// memoryNames are the names that ONNX Runtime has for the memory of providers' devices.
var memoryNames = map[string]string{engine.CUDA: "Cuda", engine.WebGPU: "WebGPU_Buf"}

// newDevice checks where a session's nodes run, looks where its inputs lie, and prepares the
// use of the device's memory.
func newDevice(a *api, session handle, host hostPart, inputs []port, opt engine.Options) (*device, error) {
	name, ok := memoryNames[opt.Provider]
	if !ok {
		return nil, nil
	}
	if err := a.checkPlacement(session, host, opt); err != nil {
		return nil, err
	}
	d := &device{api: a, session: session, provider: opt.Provider, options: opt.ProviderOptions, users: 1,
		adapter: sync.OnceValue(func() string { return adapterOf(opt.Provider, opt.ProviderOptions) })}
	var pin goruntime.Pinner
	defer pin.Unpin()
	infos := make([]handle, len(inputs))
	if err := a.do(memoryOfInputs, uintptr(session), pinSlice(&pin, infos), uintptr(len(infos))); err != nil {
		return nil, fmt.Errorf("ort: memory of inputs: %w", err)
	}
	onHost := host.inputsOf(host.shapes)
	if opt.Provider == engine.WebGPU {
		onHost = host.inputsOf(host.shapes, host.angles)
	}
	for i, info := range infos {
		where, err := a.text(memoryInfoName, info)
		if err != nil {
			return nil, fmt.Errorf("ort: memory of inputs: %w", err)
		}
		d.reads = append(d.reads, !slices.Contains(onHost, inputs[i].Name))
		d.lies = append(d.lies, where == name)
		if where == name {
			d.memory = info
		}
	}
	if d.memory == 0 {
		return d, nil
	}
	var err error
	if d.allocator, err = a.create(createAllocator, uintptr(session), uintptr(d.memory)); err != nil {
		return nil, fmt.Errorf("ort: memory of provider %s: %w", opt.Provider, err)
	}
	return d, nil
}

// lock is lockProvider for the device's provider, or for main memory.
func (d *device) lock() (unlock func()) {
	if d == nil {
		return lockProvider("")
	}
	return lockProvider(d.provider)
}

// hold keeps the device for one more value.
func (d *device) hold() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.users++
	return nil
}

// drop ends what hold began. The last one frees everything.
func (d *device) drop() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users--; d.users > 0 {
		return nil
	}
	var err error
	for _, s := range []*session{d.arrange, d.copy} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	defer d.lock()()
	if d.allocator != 0 {
		d.api.call(releaseAllocator, uintptr(d.allocator))
	}
	d.api.call(releaseSession, uintptr(d.session))
	return err
}

// close ends the session's use of the device.
func (d *device) close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	return d.drop()
}

// count adds what a run moves between main memory and the device's.
func (d *device) count(inputs, outputs []engine.Value) {
	if d == nil {
		return
	}
	for i, v := range inputs {
		if v := v.(*value); d.reads[i] && !v.onDevice() {
			d.toDevice.Add(v.bytes())
		}
	}
	for _, v := range outputs {
		if v := v.(*value); !v.onDevice() {
			d.toHost.Add(v.bytes())
		}
	}
}

// ErrNoNames reports that zoo does not ask this system's drivers for the names of devices.
var ErrNoNames = errors.New("ort: on this system zoo does not ask drivers for the names of devices")

// Devices names those that a provider may compute on, the one that it takes first. Nothing
// is started. The error is ErrNoNames where that says nothing of them.
func Devices(provider string) ([]string, error) {
	switch provider {
	case engine.WebGPU:
		return webGPUAdapters()
	case engine.CUDA:
		return cudaAdapters()
	}
	return nil, fmt.Errorf("ort: provider %q computes on no device", provider)
}

// adapterOf names the device that a provider takes; "" where that is not known, as options of WebGPU may choose another.
func adapterOf(provider string, options map[string]string) string {
	device, err := strconv.Atoi(cmp.Or(options[CUDADevice], "0"))
	names, unknown := Devices(provider)
	if err != nil || unknown != nil || device < 0 || device >= len(names) || provider == engine.WebGPU && len(options) > 0 {
		return ""
	}
	return names[device]
}

// onDevice reports whether the session's provider has memory of its own.
func (s *session) onDevice() bool { return s.device != nil && s.device.allocator != 0 }

// deviceSession is a session whose provider has memory of its own: an engine.DeviceModel.
type deviceSession struct{ *session }

// Reads implements engine.DeviceModel.
func (s deviceSession) Reads(input int) bool { return s.device.lies[input] }

// Adapter implements engine.DeviceModel: it is the device that ONNX Runtime is expected to take, and "" where zoo
// cannot tell.
func (s deviceSession) Adapter() string { return s.device.adapter() }

// Transferred implements engine.DeviceModel: inputs that are read on the device count, and outputs, unless they lie
// there, with Arrange's. What ONNX Runtime moves within a run does not.
func (s deviceSession) Transferred() (toDevice, toHost int64) {
	s.device.mu.Lock()
	devices := []*device{s.device}
	for _, helper := range []*session{s.device.arrange, s.device.copy} {
		if helper != nil {
			devices = append(devices, helper.device)
		}
	}
	s.device.mu.Unlock()
	for _, d := range devices {
		toDevice, toHost = toDevice+d.toDevice.Load(), toHost+d.toHost.Load()
	}
	return toDevice, toHost
}

// Allocate implements engine.DeviceModel.
func (s deviceSession) Allocate(n int) (engine.Value, error) {
	v, err := s.allocate(tensor.Float32, max(n, 1))
	return wrap.Value[engine.Value](v, err, "ort: allocate %d numbers", n)
}

func (s deviceSession) allocate(dtype tensor.DType, n int) (*value, error) {
	d := s.device
	if err := d.hold(); err != nil {
		return nil, err
	}
	api, err := retain()
	if err != nil {
		return nil, errors.Join(err, d.drop())
	}
	b := &bound{api: api, where: d.memory, device: d}
	b.pin.Pin(b)
	dims := append(b.newDims(1), int64(n))
	if err := b.allocate(dtype, dims); err != nil {
		return nil, errors.Join(err, b.free())
	}
	return newValue(b, dtype, n, []int{n})
}

// allocate makes memory of the device of as many numbers as dims say.
func (b *bound) allocate(dtype tensor.DType, dims []int64) (err error) {
	defer b.device.lock()()
	if b.owner, err = b.api.create(createTensorAsOrtValue, uintptr(b.device.allocator), first(dims), uintptr(len(dims)),
		uintptr(dtype.ONNX())); err != nil {
		return err
	}
	data, err := b.api.create(getTensorMutableData, uintptr(b.owner))
	b.data = uintptr(data)
	return err
}
