//go:build !linux

package ort

func webGPUAdapters() ([]string, error) { return nil, noNames() }

// checkVulkan wants nothing: the provider needs no Vulkan here.
func checkVulkan(Library) error { return nil }

func cudaAdapters() ([]string, error) { return nil, noNames() }

// FreeMemory returns how many bytes of memory CUDA has free on a device.
func FreeMemory(int) (int64, error) { return 0, noNames() }

func noNames() error {
	if !linked {
		return ErrNoCgo
	}
	return ErrNoNames
}
