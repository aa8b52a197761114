//go:build cgo && !windows

package ort

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The text of what went wrong is the thread's, so it is copied before Go may go on
// in another; the caller frees it.
static void *zoo_open_library(const char *name, char **problem) {
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (!library) {
		const char *text = dlerror();
		*problem = strdup(text ? text : "the system's loader does not say why");
	}
	return library;
}

// Returns 0 for success.
static int zoo_driver_version(void *driver, int *version) {
	int (*get)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	return get ? get(version) : -1;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// openLibrary opens a shared library, by its path or by a name that the system's loader
// looks for. It stays open.
func openLibrary(name string) (unsafe.Pointer, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var problem *C.char
	library := C.zoo_open_library(text, &problem)
	if library == nil {
		defer C.free(unsafe.Pointer(problem))
		return nil, errors.New(C.GoString(problem))
	}
	return library, nil
}

// driverVersion asks NVIDIA's driver, the library of that name.
func driverVersion(name string) (int, error) {
	driver, err := openLibrary(name)
	if err != nil {
		return 0, err
	}
	var version C.int
	if code := C.zoo_driver_version(driver, &version); code != 0 {
		return 0, fmt.Errorf("%s: cuDriverGetVersion returns %d", name, int(code))
	}
	return int(version), nil
}
