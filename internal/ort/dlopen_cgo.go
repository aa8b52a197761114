//go:build cgo && !windows

package ort

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The text of what went wrong is the thread's, so it is copied before Go may go on
// in another; the caller frees it.
static uintptr_t zoo_failed(char **problem) {
	const char *text = dlerror();
	*problem = strdup(text ? text : "the system's loader does not say why");
	return 0;
}

static uintptr_t zoo_open(const char *name, char **problem) {
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	return library ? (uintptr_t)library : zoo_failed(problem);
}

static uintptr_t zoo_symbol(uintptr_t library, const char *name, char **problem) {
	void *symbol = dlsym((void *)library, name);
	return symbol ? (uintptr_t)symbol : zoo_failed(problem);
}

static void zoo_close(uintptr_t library) { dlclose((void *)library); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// openLibrary opens a shared library, by its path or by a name that the system's loader
// looks for. It stays open until closeLibrary.
func openLibrary(name string) (uintptr, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var problem *C.char
	return orProblem(C.zoo_open(text, &problem), problem)
}

// symbol returns where a library has what is called so; library 0 stands for all that are
// loaded with the program.
func symbol(library uintptr, name string) (uintptr, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var problem *C.char
	return orProblem(C.zoo_symbol(C.uintptr_t(library), text, &problem), problem)
}

func closeLibrary(library uintptr) { C.zoo_close(C.uintptr_t(library)) }

// orProblem returns an address, or the error that stands for 0.
func orProblem(address C.uintptr_t, problem *C.char) (uintptr, error) {
	if address != 0 {
		return uintptr(address), nil
	}
	defer C.free(unsafe.Pointer(problem))
	return 0, errors.New(C.GoString(problem))
}
