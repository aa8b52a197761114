//go:build cgo && (linux || darwin)

package ort

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// The places of functions in struct OrtApi of onnxruntime_c_api.h. Releases of
// ONNX Runtime only append to it.
enum { GET_ERROR_MESSAGE = 2, RUN = 9, CREATE_TENSOR = 49, RELEASE_STATUS = 93, RELEASE_VALUE = 96 };

typedef struct { void *(*GetApi)(uint32_t); } zoo_base;
typedef const char *(*zoo_message_fn)(void *);
typedef void *(*zoo_run_fn)(void *, void *, char **, void **, size_t, char **, size_t, void **);
typedef void *(*zoo_tensor_fn)(void *, void *, size_t, const int64_t *, size_t, int, void **);
typedef void (*zoo_release_fn)(void *);

// zoo_api returns the function table of a library that is loaded already.
static void **zoo_api(const char *path, uint32_t version) {
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (!library) return NULL;
	const zoo_base *(*base)(void) = (const zoo_base *(*)(void))dlsym(library, "OrtGetApiBase");
	void **api = base ? base()->GetApi(version) : NULL;
	dlclose(library); // whoever loaded it keeps it
	return api;
}

// zoo_result is a value, or a status that says why there is none.
typedef struct { void *value, *status; } zoo_result;

static zoo_result zoo_tensor(void **api, void *memory, void *data, size_t bytes, const int64_t *dims, size_t rank, int type) {
	zoo_result r = {NULL, NULL};
	r.status = ((zoo_tensor_fn)api[CREATE_TENSOR])(memory, data, bytes, dims, rank, type, &r.value);
	return r;
}

static void zoo_release(void **api, void *value) { ((zoo_release_fn)api[RELEASE_VALUE])(value); }

static void *zoo_run(void **api, void *session, void *options, char **inames, void **in, size_t n, char **onames, size_t m, void **out) {
	return ((zoo_run_fn)api[RUN])(session, options, inames, in, n, onames, m, out);
}

static const char *zoo_message(void **api, void *status) { return ((zoo_message_fn)api[GET_ERROR_MESSAGE])(status); }
static void zoo_forget(void **api, void *status) { ((zoo_release_fn)api[RELEASE_STATUS])(status); }
*/
import "C"

import (
	"errors"
	"reflect"
	"strings"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/graph/tensor"
)

// direct calls ONNX Runtime's C functions itself, where the binding allocates
// on each call: to give a value another shape, and to run.
type direct struct {
	api    *unsafe.Pointer // OrtApi
	memory unsafe.Pointer  // OrtMemoryInfo of the binding's environment
}

// apiVersion is the one that the binding asks for of the library.
const apiVersion = 29

// newDirect returns nil where only the binding can be used: when the path of the
// library that it has loaded is unknown, or its types are not those we know.
func newDirect(path string) *direct {
	memory, err := ort.GetMemoryInfo()
	if err != nil || path == "" || !knownBinding(reflect.TypeFor[ort.DynamicAdvancedSession](), reflect.TypeFor[ort.RunOptions]()) {
		return nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	api := C.zoo_api(name, apiVersion)
	if api == nil {
		return nil
	}
	return &direct{api: api, memory: unsafe.Pointer(memory)}
}

// knownBinding reports whether the private fields of the binding that are read
// below hold what they are taken for. Who builds with another release of it may
// find them renamed.
func knownBinding(session, options reflect.Type) bool {
	s, ok := session.FieldByName("s")
	return ok && s.Type.Kind() == reflect.Pointer && s.Type.Elem().Kind() == reflect.Struct &&
		pointsTo(s.Type.Elem(), "ortSession", "OrtSession") && pointsTo(options, "o", "OrtRunOptions")
}

// pointsTo reports whether a struct has a field that is a pointer to that type of C.
func pointsTo(t reflect.Type, field, to string) bool {
	f, ok := t.FieldByName(field)
	return ok && f.Type.Kind() == reflect.Pointer && strings.HasSuffix(f.Type.Elem().Name(), "_"+to)
}

func sessionPointer(s *ort.DynamicAdvancedSession) unsafe.Pointer {
	return reflect.ValueOf(s).Elem().FieldByName("s").Elem().FieldByName("ortSession").UnsafePointer()
}

func optionsPointer(o *ort.RunOptions) unsafe.Pointer {
	if o == nil {
		return nil
	}
	return reflect.ValueOf(o).Elem().FieldByName("o").UnsafePointer()
}

func (d *direct) error(status unsafe.Pointer) error {
	defer C.zoo_forget(d.api, status)
	return errors.New(C.GoString(C.zoo_message(d.api, status)))
}

// elementNumber returns the ONNXTensorElementDataType, which is that of ONNX files.
func elementNumber(d tensor.DType) C.int {
	switch d {
	case tensor.Float32:
		return 1
	case tensor.Int64:
		return 7
	case tensor.Bool:
		return 9
	case tensor.Float16:
		return 10
	default: // Float64
		return 11
	}
}

// value makes a value over pinned memory.
func (d *direct) value(data unsafe.Pointer, bytes int, dims []int64, dtype tensor.DType) (unsafe.Pointer, error) {
	r := C.zoo_tensor(d.api, d.memory, data, C.size_t(bytes), (*C.int64_t)(&dims[0]), C.size_t(len(dims)), elementNumber(dtype))
	if r.status != nil {
		return nil, d.error(r.status)
	}
	return r.value, nil
}

func (d *direct) release(value unsafe.Pointer) { C.zoo_release(d.api, value) }

// names are the C strings of inputs and outputs, made once per session.
type names struct{ in, out []*C.char }

func newNames(inputs, outputs []string) *names {
	n := &names{}
	for _, s := range inputs {
		n.in = append(n.in, C.CString(s))
	}
	for _, s := range outputs {
		n.out = append(n.out, C.CString(s))
	}
	return n
}

func (n *names) free() {
	for _, s := range append(n.in, n.out...) {
		C.free(unsafe.Pointer(s))
	}
}

// run runs a session on values.
func (d *direct) run(session, options unsafe.Pointer, n *names, in, out []unsafe.Pointer) error {
	status := C.zoo_run(d.api, session, options, &n.in[0], &in[0], C.size_t(len(in)), &n.out[0], C.size_t(len(out)), &out[0])
	if status != nil {
		return d.error(status)
	}
	return nil
}
