//go:build cgo && linux

package ort

/*
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The beginnings of Vulkan's structures, as far as they are needed (Vulkan 1.0, vulkan_core.h).
typedef struct { int32_t type; const void *next; uint32_t flags; const void *application;
	uint32_t layers; const char *const *layer_names; uint32_t extensions; const char *const *extension_names; } zoo_vk_instance_info;
typedef struct { uint32_t api, driver, vendor, device; int32_t type; char name[256]; uint8_t rest[1024]; } zoo_vk_properties;
typedef struct { char name[256]; int32_t type; uint32_t driver; } zoo_adapter;

enum { zoo_most = 16 };

// zoo_vulkan lists the devices that the system's Vulkan loader finds: at most zoo_most. It
// returns their number, −1 where there is no loader, and −2 where it finds no driver.
static int zoo_vulkan(zoo_adapter *out) {
	void *library = dlopen("libvulkan.so.1", RTLD_NOW);
	if (!library) return -1;
	int32_t (*create)(const zoo_vk_instance_info *, const void *, void **) = (void *)dlsym(library, "vkCreateInstance");
	int32_t (*devices)(void *, uint32_t *, void **) = (void *)dlsym(library, "vkEnumeratePhysicalDevices");
	void (*properties)(void *, zoo_vk_properties *) = (void *)dlsym(library, "vkGetPhysicalDeviceProperties");
	void (*destroy)(void *, const void *) = (void *)dlsym(library, "vkDestroyInstance");
	int n = -2;
	zoo_vk_instance_info info = {.type = 1}; // VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
	void *instance = NULL;
	if (create && devices && properties && destroy && create(&info, NULL, &instance) == 0) {
		void *list[zoo_most];
		uint32_t count = zoo_most;
		if (devices(instance, &count, list) >= 0) { // VK_INCOMPLETE is 5
			for (n = 0; n < (int)count; n++) {
				zoo_vk_properties *p = calloc(1, sizeof *p);
				if (!p) break;
				properties(list[n], p);
				memcpy(out[n].name, p->name, sizeof p->name);
				out[n].name[sizeof p->name - 1] = 0;
				out[n].type = p->type;
				out[n].driver = p->driver;
				free(p);
			}
		}
		destroy(instance, NULL);
	}
	dlclose(library);
	return n;
}

// zoo_cuda_name names an NVIDIA device, as cuda.h does. It returns 0, or the driver's error;
// −1 where the library is no driver.
static int zoo_cuda_name(void *driver, int device, char *name, int size) {
	int (*init)(unsigned) = (void *)dlsym(driver, "cuInit");
	int (*get)(int *, int) = (void *)dlsym(driver, "cuDeviceGet");
	int (*named)(char *, int, int) = (void *)dlsym(driver, "cuDeviceGetName");
	if (!init || !get || !named) return -1;
	int handle = 0, status = init(0);
	if (!status) status = get(&handle, device);
	if (!status) status = named(name, size, handle);
	return status;
}
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/runtime/ort/internal/library"
)

// vulkanTypes are the kinds of Vulkan's devices (VkPhysicalDeviceType), and which the WebGPU
// provider prefers: the least rank.
var vulkanTypes = map[int]struct {
	name string
	rank int
}{2: {"discrete", 0}, 1: {"integrated", 1}, 3: {"virtual", 2}, 4: {"on the processor", 3}, 0: {"other", 4}}

// webGPUAdapters names the devices that the WebGPU provider may use, the one that it takes
// first.
func webGPUAdapters() ([]string, error) {
	var found [C.zoo_most]C.zoo_adapter
	n := int(C.zoo_vulkan(&found[0]))
	switch {
	case n == -1:
		return nil, errors.New("there is no Vulkan loader, libvulkan.so.1; install it: Debian's package libvulkan1")
	case n <= 0:
		return nil, errors.New("the Vulkan loader finds no driver; install that of the graphics card")
	}
	list := slices.Clone(found[:n])
	rank := func(a C.zoo_adapter) int { return vulkanTypes[int(a._type)].rank }
	slices.SortStableFunc(list, func(a, b C.zoo_adapter) int { return cmp.Compare(rank(a), rank(b)) })
	var names []string
	for _, a := range list {
		names = append(names, fmt.Sprintf("%s (Vulkan, %s)", C.GoString(&a.name[0]), vulkanTypes[int(a._type)].name))
	}
	return names, nil
}

// cudaAdapter names an NVIDIA device.
func cudaAdapter(device int) (string, error) {
	driver, err := openLibrary(library.Host().CUDADriver())
	if err != nil {
		return "", noDriver(err, "")
	}
	var name [256]C.char
	if status := C.zoo_cuda_name(driver, C.int(device), &name[0], C.int(len(name))); status != 0 {
		return "", fmt.Errorf("the NVIDIA driver refuses device %d with error %d of cuda.h; nvidia-smi tells more", device, int(status))
	}
	return C.GoString(&name[0]), nil
}
