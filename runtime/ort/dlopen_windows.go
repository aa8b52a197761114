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
func openLibrary(name string) (syscall.Handle, error) {
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
		return syscall.Handle(handle), nil
	case err == syscall.Errno(126): // ERROR_MOD_NOT_FOUND
		return 0, fmt.Errorf("%s: cannot open: %w", name, err)
	}
	return 0, fmt.Errorf("%s: %w", name, err)
}

// driverVersion asks NVIDIA's driver, the library of that name.
func driverVersion(name string) (int, error) {
	driver, err := openLibrary(name)
	if err != nil {
		return 0, err
	}
	get, err := syscall.GetProcAddress(driver, "cuDriverGetVersion")
	if err != nil {
		return 0, fmt.Errorf("%s: cuDriverGetVersion: %w", name, err)
	}
	var version int32
	if code, _, _ := syscall.SyscallN(get, uintptr(unsafe.Pointer(&version))); code != 0 {
		return 0, fmt.Errorf("%s: cuDriverGetVersion returns %d", name, code)
	}
	return int(version), nil
}
