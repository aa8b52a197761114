//go:build !linux

package ort

func webGPUAdapters() ([]string, error) { return nil, noNames() }

func cudaAdapter(int) (string, error) { return "", noNames() }

func noNames() error {
	if !linked {
		return ErrNoCgo
	}
	return ErrNoNames
}
