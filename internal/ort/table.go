package ort

import (
	"errors"
	"maps"
	goruntime "runtime"
	"slices"
	"unsafe"

	"github.com/nopezoo/zoo/internal/lists"
)

// function is the place of a function in struct OrtApi of onnxruntime_c_api.h.
// Releases of ONNX Runtime only append to it.
type function int

const (
	getErrorMessage        function = 2
	createEnv              function = 3
	disableTelemetryEvents function = 6
	createSessionFromArray function = 8
	run                    function = 9
	createSessionOptions   function = 10
	enableProfiling        function = 14

	disableMemPattern              function = 17
	setSessionLogSeverityLevel     function = 22
	setSessionGraphOptimization    function = 23
	setIntraOpNumThreads           function = 24
	createRunOptions               function = 39
	runOptionsSetTerminate         function = 46
	createTensorAsOrtValue         function = 48
	createTensorWithDataAsOrtValue function = 49
	getTensorMutableData           function = 51
	createCPUMemoryInfo            function = 69
	memoryInfoName                 function = 71
	releaseEnv                     function = 92
	releaseStatus                  function = 93
	releaseMemoryInfo              function = 94
	releaseSession                 function = 95
	releaseValue                   function = 96
	releaseRunOptions              function = 97
	releaseSessionOptions          function = 100
	getAvailableProviders          function = 125
	releaseAvailableProviders      function = 126
	addSessionConfigEntry          function = 130
	createAllocator                function = 131
	releaseAllocator               function = 132
	addInitializer                 function = 150
	appendCUDA                     function = 204
	createCUDAProviderOptions      function = 205
	updateCUDAProviderOptions      function = 206
	releaseCUDAProviderOptions     function = 208
	addExternalInitializers        function = 210
	appendProvider                 function = 216
	memoryOfInputs                 function = 380
	sessionAssignment              function = 407
	assignedProvider               function = 408
	assignedNodes                  function = 409
	assignedNodeName               function = 410
	assignedNodeOperator           function = 412
)

// apiVersion is the one that the binding asks for of the library.
const apiVersion = 29

// handle is the address of an object that ONNX Runtime owns; 0 is none.
type handle uintptr

// api is the loaded library's table of functions. Arguments are addresses and
// integers: memory of Go's that is passed must be pinned while it is in use.
type api struct {
	table       uintptr // of OrtApi
	env, memory handle  // the process's environment, and a description of main memory
}

const (
	logFatal       = 4
	arenaAllocator = 1
	defaultMemory  = 0
)

// newAPI asks for what all sessions and values need. The environment is the one
// that the binding has made: ONNX Runtime has one in a process, and counts its users.
func newAPI(table uintptr) (*api, error) {
	a := &api{table: table}
	var pin goruntime.Pinner
	defer pin.Unpin()
	var err error
	if a.env, err = a.create(createEnv, logFatal, cString(&pin, "zoo")); err != nil {
		return nil, err
	}
	if a.memory, err = a.create(createCPUMemoryInfo, arenaAllocator, defaultMemory); err != nil {
		a.call(releaseEnv, uintptr(a.env))
		return nil, err
	}
	return a, nil
}

func (a *api) close() {
	a.call(releaseMemoryInfo, uintptr(a.memory))
	a.call(releaseEnv, uintptr(a.env))
}

// call calls a function with at most eight arguments, without allocating.
func (a *api) call(f function, args ...uintptr) uintptr { return a.callIn(false, f, args...) }

// callIn is call, and tells invoke whether denormal numbers are 0.
func (a *api) callIn(flush bool, f function, args ...uintptr) uintptr {
	var all [8]uintptr
	copy(all[:], args)
	functions := (*[1 << 16]uintptr)(at(a.table))
	return invoke(flush, functions[f], all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7])
}

// callC calls a C function with at most eight arguments.
func callC(f uintptr, args ...uintptr) uintptr {
	var all [8]uintptr
	copy(all[:], args)
	return invoke(false, f, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7])
}

// do calls a function that returns a status.
func (a *api) do(f function, args ...uintptr) error { return a.check(a.call(f, args...)) }

// check returns the error that a status stands for, and releases it.
func (a *api) check(status uintptr) error {
	if status == 0 {
		return nil
	}
	defer a.call(releaseStatus, status)
	return errors.New(goString(a.call(getErrorMessage, status)))
}

// create calls a function that returns a status and whose last argument is where
// it puts a new object.
func (a *api) create(f function, args ...uintptr) (handle, error) {
	var pin goruntime.Pinner
	defer pin.Unpin()
	made := new(handle)
	pin.Pin(made)
	err := a.do(f, append(args, address(made))...)
	return *made, err
}

// address returns where a pinned variable lies.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// first returns where the elements of a pinned slice lie, 0 for none.
func first[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// at returns an address of ONNX Runtime's as a pointer.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// pinSlice pins the elements of a slice, and returns where they lie.
func pinSlice[T any](pin *goruntime.Pinner, s []T) uintptr {
	if cap(s) > 0 {
		pin.Pin(unsafe.SliceData(s))
	}
	return first(s)
}

// cString pins a copy of s that ends with a zero byte.
func cString(pin *goruntime.Pinner, s string) uintptr { return pinSlice(pin, append([]byte(s), 0)) }

// cStrings pins copies of a list, and the list of their addresses.
func cStrings(pin *goruntime.Pinner, list []string) uintptr {
	addresses := lists.Map(list, func(s string) uintptr { return cString(pin, s) })
	return pinSlice(pin, addresses)
}

// cPairs pins copies of the keys and values of a map, in the order of the keys.
func cPairs(pin *goruntime.Pinner, m map[string]string) (keys, values, n uintptr) {
	sorted := slices.Sorted(maps.Keys(m))
	list := lists.Map(sorted, func(key string) string { return m[key] })
	return cStrings(pin, sorted), cStrings(pin, list), uintptr(len(sorted))
}

// goString copies a string of ONNX Runtime's.
func goString(address uintptr) string {
	n := 0
	for *(*byte)(unsafe.Add(at(address), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(at(address)), n))
}
