//go:build !cgo && !static_build && ((linux && !android) || (darwin && !ios)) && (amd64 || arm64)

package ort

import (
	"errors"
	goruntime "runtime"
	"sync"

	"github.com/ebitengine/purego"
)

// linked says that this build can load ONNX Runtime.
const linked = true

const loader = "purego"

// binding is the loaded library, which is guarded by env.mu; no host program can have made
// another environment, for that takes cgo.
var binding struct {
	library uintptr // 0 where none is loaded
	version string
	table   uintptr // of OrtApi
}

func started() bool { return binding.library != 0 }

// load loads a library.
func load(path string) error {
	library, err := openLibrary(path)
	if err != nil {
		return err
	}
	if err := bind(library); err != nil {
		closeLibrary(library)
		return err
	}
	return nil
}

// bind asks a library for the table of its functions.
func bind(library uintptr) error {
	get, err := symbol(library, "OrtGetApiBase")
	if err != nil {
		return err
	}
	base := callC(get) // struct OrtApiBase: two functions
	if base == 0 {
		return errors.New("OrtGetApiBase returns nothing")
	}
	functions := (*[2]uintptr)(at(base))
	table := callC(functions[0], apiVersion)
	if table == 0 {
		return errTooOld
	}
	binding.library, binding.table, binding.version = library, table, goString(callC(functions[1]))
	return nil
}

// unload closes the library; with the table's last user its environment has gone.
func unload() error {
	closeLibrary(binding.library)
	binding.library, binding.table = 0, 0
	return nil
}

func loadedVersion() string { return binding.version }

func loadedTable(string) uintptr { return binding.table }

// openLibrary opens a shared library, by its path or by a name that the system's loader
// looks for. It stays open until closeLibrary.
func openLibrary(name string) (uintptr, error) {
	defer onOneThread()()
	return purego.Dlopen(name, purego.RTLD_LAZY|purego.RTLD_LOCAL)
}

// symbol returns where a library has what is called so; library 0 stands for all that are
// loaded with the program.
func symbol(library uintptr, name string) (uintptr, error) {
	defer onOneThread()()
	return purego.Dlsym(library, name)
}

func closeLibrary(library uintptr) { _ = purego.Dlclose(library) } // it can only have been opened

// onOneThread keeps the goroutine on its thread until its result is called: the text of what
// went wrong, which purego asks for, is the thread's.
func onOneThread() func() {
	goruntime.LockOSThread()
	return goruntime.UnlockOSThread
}

// trampoline is the address of zoo_ort_invoke, which is written in assembly.
var trampoline uintptr

// arguments are lists for invoke, which would escape.
var arguments = sync.Pool{New: func() any { return new([10]uintptr) }}

// invoke calls a C function of at most eight arguments, for which denormal numbers are 0
// where flush says so. The processor's mode is the thread's, so it is set and restored
// between Go and C.
func invoke(flush bool, f, a, b, c, d, e, g, h, i uintptr) uintptr {
	mode := uintptr(0)
	if flush {
		mode = 1
	}
	list := arguments.Get().(*[10]uintptr)
	*list = [10]uintptr{mode, f, a, b, c, d, e, g, h, i}
	result, _, _ := purego.SyscallN(trampoline, list[:]...)
	arguments.Put(list)
	return result
}
