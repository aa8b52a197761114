//go:build cgo

package ort

/*
#cgo linux LDFLAGS: -ldl
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	const void *(*GetApi)(uint32_t);
	const char *(*GetVersionString)(void);
} zoo_base;

typedef const zoo_base *(*zoo_base_fn)(void);

// zoo_table_of returns the function table behind OrtGetApiBase, or null where the
// library is of another version.
static uintptr_t zoo_table_of(void *base, const char *version, uint32_t api) {
	if (!base) return 0;
	const zoo_base *b = ((zoo_base_fn)base)();
	return strcmp(b->GetVersionString(), version) == 0 ? (uintptr_t)b->GetApi(api) : 0;
}

#ifdef _WIN32

#define PSAPI_VERSION 2
#include <windows.h>
#include <psapi.h>

static uintptr_t zoo_table(const char *version, uint32_t api) {
	HMODULE modules[4096];
	DWORD bytes = 0;
	if (!EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes)) return 0;
	size_t n = bytes < sizeof modules ? bytes / sizeof(HMODULE) : 4096;
	uintptr_t table = 0;
	for (size_t i = 0; i < n && !table; i++)
		table = zoo_table_of((void *)GetProcAddress(modules[i], "OrtGetApiBase"), version, api);
	return table;
}

#else

#include <dlfcn.h>

static uintptr_t zoo_table_in(const char *path, const char *version, uint32_t api) {
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library) return 0;
	uintptr_t table = zoo_table_of(dlsym(library, "OrtGetApiBase"), version, api);
	dlclose(library); // whoever loaded it keeps it
	return table;
}

#ifdef __APPLE__

#include <mach-o/dyld.h>

static uintptr_t zoo_table(const char *version, uint32_t api) {
	uintptr_t table = 0;
	for (uint32_t i = 0; i < _dyld_image_count() && !table; i++)
		table = zoo_table_in(_dyld_get_image_name(i), version, api);
	return table;
}

#else

#include <link.h>

typedef struct { char **paths; size_t n; } zoo_list;

static int zoo_append(struct dl_phdr_info *info, size_t size, void *to) {
	zoo_list *l = to;
	if (!info->dlpi_name || !*info->dlpi_name) return 0;
	char **more = realloc(l->paths, (l->n + 1) * sizeof *more);
	if (!more) return 1;
	l->paths = more;
	if ((l->paths[l->n] = strdup(info->dlpi_name))) l->n++;
	return 0;
}

// The list is made first: opening a library inside the walk could wait forever for
// another thread that opens one.
static uintptr_t zoo_table(const char *version, uint32_t api) {
	zoo_list l = {NULL, 0};
	dl_iterate_phdr(zoo_append, &l);
	uintptr_t table = 0;
	for (size_t i = 0; i < l.n; i++) {
		if (!table) table = zoo_table_in(l.paths[i], version, api);
		free(l.paths[i]);
	}
	free(l.paths);
	return table;
}

#endif
#endif

// The mode of this thread's floating-point unit, and in it what makes denormal numbers 0.
#if defined(__x86_64__)
#include <immintrin.h>
enum { zoo_flush = 0x8040 };
static uint64_t zoo_mode(void) { return _mm_getcsr(); }
static void zoo_set_mode(uint64_t mode) { _mm_setcsr((unsigned)mode); }
#elif defined(__aarch64__)
enum { zoo_flush = 1 << 24 };
static uint64_t zoo_mode(void) { uint64_t mode; __asm__ volatile("mrs %0, fpcr" : "=r"(mode)); return mode; }
static void zoo_set_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
enum { zoo_flush = 0 };
static uint64_t zoo_mode(void) { return 0; }
static void zoo_set_mode(uint64_t mode) {}
#endif

// A function of fewer arguments does not look at the others: on every system that
// ONNX Runtime is built for the caller removes them. The thread gets its mode back, which
// loading a session may change.
static uintptr_t zoo_invoke(int flush, uintptr_t f, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
	uintptr_t g, uintptr_t h, uintptr_t i) {
	uint64_t mode = zoo_mode();
	if (flush) zoo_set_mode(mode | zoo_flush);
	uintptr_t result = ((uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
		uintptr_t))f)(a, b, c, d, e, g, h, i);
	zoo_set_mode(mode);
	return result;
}
*/
import "C"

import (
	"strings"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// linked says that this build can load ONNX Runtime.
const linked = true

const loader = "cgo"

// started reports whether there is an environment, which the host program may have made.
func started() bool { return ort.IsInitialized() }

// load loads a library and makes an environment of it.
func load(path string) error {
	ort.SetSharedLibraryPath(path)
	err := ort.InitializeEnvironment(ort.WithLogLevelFatal())
	if err != nil && strings.Contains(err.Error(), "ORT API base: 2") { // GetApi has returned NULL
		return errTooOld
	}
	return err
}

// unload ends the environment and closes the library.
func unload() error { return ort.DestroyEnvironment() }

// loadedVersion is the version of the loaded library.
func loadedVersion() string { return ort.GetVersion() }

// loadedTable returns the function table of the ONNX Runtime of a version that is
// loaded into this process, whoever loaded it, or 0.
func loadedTable(version string) uintptr {
	name := C.CString(version)
	defer C.free(unsafe.Pointer(name))
	return uintptr(C.zoo_table(name, apiVersion))
}

// invoke calls a C function of at most eight arguments, for which denormal numbers are 0
// where flush says so.
func invoke(flush bool, f, a, b, c, d, e, g, h, i uintptr) uintptr {
	mode := C.int(0)
	if flush {
		mode = 1
	}
	return uintptr(C.zoo_invoke(mode, C.uintptr_t(f), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d),
		C.uintptr_t(e), C.uintptr_t(g), C.uintptr_t(h), C.uintptr_t(i)))
}
