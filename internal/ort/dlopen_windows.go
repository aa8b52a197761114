//go:build cgo

package ort

import (
	"fmt"
	"path/filepath"
	"syscall"
	"unsafe"
)

var loadLibraryEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LoadLibraryExW")

// besideItself has the loader look for what a library needs in the library's folder
// (LOAD_WITH_ALTERED_SEARCH_PATH), which it allows for full paths alone.
const besideItself = 8

// openLibrary opens a shared library, by its path or by a name that the system's loader
// looks for. It stays open.
func openLibrary(name string) (uintptr, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	flags := uintptr(0)
	if filepath.IsAbs(name) {
		flags = besideItself
	}
	handle, _, err := loadLibraryEx.Call(uintptr(unsafe.Pointer(path)), 0, flags)
	switch {
	case handle != 0:
		return handle, nil
	case err == syscall.Errno(126): // ERROR_MOD_NOT_FOUND
		return 0, fmt.Errorf("%s: cannot open: %w", name, err)
	}
	return 0, fmt.Errorf("%s: %w", name, err)
}

// symbol returns where a library has what is called so.
func symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
