//go:build !(cgo && linux)

package ort

import "errors"

var errNoAdapter = errors.New("on this system zoo does not ask the driver for the names of devices")

func webGPUAdapters() ([]string, error) { return nil, errNoAdapter }

func cudaAdapter(int) (string, error) { return "", errNoAdapter }
