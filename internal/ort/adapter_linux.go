package ort

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"unsafe"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// The beginnings of Vulkan's structures, as far as they are needed (Vulkan 1.0, vulkan_core.h).
type (
	vulkanInstanceInfo struct {
		kind int32
		_    [7]uint64 // no layers and extensions
	}
	vulkanProperties struct {
		_    [4]uint32 // versions and numbers of driver and device
		kind int32
		name [256]byte
		_    [1024]byte // identifiers and limits
	}
)

// vulkanTypes are the kinds of Vulkan's devices (VkPhysicalDeviceType), and which the WebGPU
// provider prefers: the least rank.
var vulkanTypes = map[int32]struct {
	name string
	rank int
}{2: {"discrete", 0}, 1: {"integrated", 1}, 3: {"virtual", 2}, 4: {"on the processor", 3}, 0: {"other", 4}}

const vulkanLoader = "libvulkan.so.1"

var errNoVulkan = errors.New("there is no Vulkan loader, " + vulkanLoader + "; install it: Debian's package libvulkan1")

// checkVulkan wants a Vulkan loader with a driver. Dawn, behind the provider, looks for the loader where the system does
// and next to the library; where either is missing it writes warnings of its own to standard error.
func checkVulkan(lib Library) error {
	_, err := vulkanDevices(vulkanLoader, filepath.Join(filepath.Dir(lib.Path), vulkanLoader))
	return err
}

// vulkanDevices lists the devices that the first Vulkan loader that opens finds, at most 16.
func vulkanDevices(loaders ...string) ([]vulkanProperties, error) {
	var loader uintptr
	for _, name := range loaders {
		var err error
		if loader, err = openLibrary(name); err == nil {
			break
		}
	}
	if loader == 0 {
		return nil, errNoVulkan
	}
	defer closeLibrary(loader)
	f, err := symbols(loader, "vkCreateInstance", "vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceProperties", "vkDestroyInstance")
	if err != nil {
		return nil, fmt.Errorf("libvulkan.so.1 is no Vulkan loader: %w", err)
	}
	none := errors.New("the Vulkan loader finds no driver; install that of the graphics card")
	const instanceInfo = 1 // VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
	var pin goruntime.Pinner
	defer pin.Unpin()
	info := &vulkanInstanceInfo{kind: instanceInfo}
	asked := &struct {
		instance handle
		count    uint32
		devices  [16]handle
	}{}
	asked.count = uint32(len(asked.devices))
	pin.Pin(info)
	pin.Pin(asked)
	if int32(callC(f[0], address(info), 0, address(&asked.instance))) != 0 {
		return nil, none
	}
	defer callC(f[3], uintptr(asked.instance), 0)
	// VK_INCOMPLETE, which is 5, says that there are more.
	if int32(callC(f[1], uintptr(asked.instance), address(&asked.count), first(asked.devices[:]))) < 0 || asked.count == 0 {
		return nil, none
	}
	found := make([]vulkanProperties, asked.count)
	pinSlice(&pin, found)
	for i := range found {
		callC(f[2], uintptr(asked.devices[i]), address(&found[i]))
	}
	return found, nil
}

// symbols is symbol for each name.
func symbols(library uintptr, names ...string) ([]uintptr, error) {
	all := make([]uintptr, len(names))
	for i, name := range names {
		var err error
		if all[i], err = symbol(library, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// webGPUAdapters names the devices that the WebGPU provider may use, the one that it takes
// first.
func webGPUAdapters() ([]string, error) {
	if !linked {
		return nil, ErrNoCgo
	}
	list, err := vulkanDevices(vulkanLoader)
	if err != nil {
		return nil, err
	}
	rank := func(p vulkanProperties) int { return vulkanTypes[p.kind].rank }
	slices.SortStableFunc(list, func(a, b vulkanProperties) int { return cmp.Compare(rank(a), rank(b)) })
	return lists.Map(list, func(p vulkanProperties) string {
		return fmt.Sprintf("%s (Vulkan, %s)", textOf(p.name[:]), vulkanTypes[p.kind].name)
	}), nil
}

// cudaDriver asks NVIDIA's driver. After a failure it asks no more.
type cudaDriver struct {
	functions map[string]uintptr
	err       error
}

// openCUDADriver opens the driver for what is asked of it.
func openCUDADriver(names ...string) *cudaDriver {
	d := &cudaDriver{functions: map[string]uintptr{}, err: ErrNoCgo}
	if !linked {
		return d
	}
	driver, err := openLibrary(library.Host().CUDADriver())
	for _, name := range append([]string{"cuInit"}, names...) {
		if err == nil {
			d.functions[name], err = symbol(driver, name)
		}
	}
	if d.err = nil; err != nil {
		d.err = noDriver(err, "")
	}
	d.ask("cuInit", 0)
	return d
}

func (d *cudaDriver) ask(function string, args ...uintptr) {
	if d.err != nil {
		return
	}
	if status := int32(callC(d.functions[function], args...)); status != 0 {
		d.err = fmt.Errorf("the NVIDIA driver fails with error %d of cuda.h (%s); nvidia-smi tells more", status, function)
	}
}

// cudaAdapters names NVIDIA's devices in the order of their numbers, as cuda.h does.
func cudaAdapters() (names []string, err error) {
	var pin goruntime.Pinner
	defer pin.Unpin()
	asked := &struct {
		count, device int32
		name          [256]byte
	}{}
	pin.Pin(asked)
	d := openCUDADriver("cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName")
	d.ask("cuDeviceGetCount", address(&asked.count))
	for n := range asked.count {
		d.ask("cuDeviceGet", address(&asked.device), uintptr(n))
		d.ask("cuDeviceGetName", first(asked.name[:]), unsafe.Sizeof(asked.name)-1, uintptr(asked.device))
		names = append(names, textOf(asked.name[:]))
	}
	if d.err == nil && len(names) == 0 {
		d.err = errors.New("the NVIDIA driver sees no device; CUDA_VISIBLE_DEVICES may hide them, and nvidia-smi tells more")
	}
	return names, d.err
}

// FreeMemory returns how many bytes of memory CUDA has free on a device.
func FreeMemory(device int) (int64, error) {
	goruntime.LockOSThread() // contexts are the thread's
	defer goruntime.UnlockOSThread()
	var pin goruntime.Pinner
	defer pin.Unpin()
	asked := &struct {
		device         int32
		context, other uintptr
		free, total    uint64
	}{}
	pin.Pin(asked)
	d := openCUDADriver("cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
		"cuMemGetInfo_v2")
	d.ask("cuDeviceGet", address(&asked.device), uintptr(device))
	d.ask("cuDevicePrimaryCtxRetain", address(&asked.context), uintptr(asked.device))
	if d.err != nil {
		return 0, d.err
	}
	defer callC(d.functions["cuDevicePrimaryCtxRelease_v2"], uintptr(asked.device))
	d.ask("cuCtxPushCurrent_v2", asked.context)
	d.ask("cuMemGetInfo_v2", address(&asked.free), address(&asked.total))
	d.ask("cuCtxPopCurrent_v2", address(&asked.other))
	return int64(asked.free), d.err
}

// textOf returns the C string at the start of room for one.
func textOf(room []byte) string {
	if n := slices.Index(room, 0); n >= 0 {
		room = room[:n]
	}
	return string(room)
}
