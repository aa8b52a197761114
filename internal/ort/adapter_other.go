//go:build !linux

package ort

func webGPUAdapters() ([]string, error) { return nil, noNames() }

// checkVulkan wants nothing: the provider needs no Vulkan here.
func checkVulkan(Library) error { return nil }

func cudaAdapters() ([]string, error) { return nil, noNames() }

func noNames() error {
	if !linked {
		return ErrNoCgo
	}
	return ErrNoNames
}
