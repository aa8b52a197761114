package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
)

// The providers that zoo knows: ONNX Runtime's, and pure Go.
const (
	CPU    = "cpu"
	CUDA   = "cuda"
	WebGPU = "webgpu"
	Go     = "go"
)

// Providers lists the providers that zoo knows, whether the program links their engines or not.
func Providers() []string { return []string{CPU, CUDA, WebGPU, Go} }

// OnDevice reports whether a provider computes on a device, which has memory of its own.
func OnDevice(provider string) bool { return provider == CUDA || provider == WebGPU }

// registered holds the engines of the program, by provider.
var registered = map[string]Engine{}

// Register makes an engine known. It is for init functions; two engines for one provider are a fault of the
// program, and panic.
func Register(e Engine) {
	for _, p := range e.Providers {
		if other, taken := registered[p]; taken {
			panic(fmt.Sprintf("runtime: the engines %s and %s both serve provider %s", other.Name, e.Name, p))
		}
		registered[p] = e
	}
}

const (
	importORT    = `import _ "github.com/nopezoo/zoo/runtime/ort"`
	importNative = `import _ "github.com/nopezoo/zoo/runtime/native"`
)

// Find returns the engine that serves a provider; for "" ONNX Runtime where the program links it, else
// pure Go. The error is ErrNoProvider where the program links none, and ErrOptions for an unknown provider.
func Find(provider string) (Engine, error) {
	if provider == "" {
		for _, p := range []string{CPU, Go} {
			if e, linked := registered[p]; linked {
				return e, nil
			}
		}
		return Engine{}, Mark(errors.New("the program links no engine; add one: "+importORT+
			" (ONNX Runtime), or "+importNative+" (pure Go)"), ErrNoProvider)
	}
	if e, linked := registered[provider]; linked {
		return e, nil
	}
	if slices.Contains(Providers(), provider) {
		line := importORT
		if provider == Go {
			line = importNative
		}
		return Engine{}, Mark(fmt.Errorf("the program does not link the engine of provider %s; add it: %s", provider, line),
			ErrNoProvider)
	}
	known := slices.Compact(slices.Sorted(maps.Keys(registered)))
	known = append(known, Providers()...)
	slices.Sort(known)
	return Engine{}, Mark(fmt.Errorf("unknown provider %q, known are %s", provider,
		strings.Join(slices.Compact(known), ", ")), ErrOptions)
}

// CheckDType refuses a precision, named as in card.Card.DType, that a provider does not compute
// in, and says which does.
func CheckDType(dtype, provider string) error {
	switch {
	case dtype == card.Int8 && provider == WebGPU: // nor with the rest on the CPU: its Expand of integers fails
		return fmt.Errorf("provider %s multiplies no matrices of 8 bits; use provider %s, for which files in %s are made, "+
			"or a file in %s or %s", provider, CPU, card.Int8, card.Float32, card.Float16)
	case dtype == card.BFloat16 && (provider == CPU || provider == WebGPU):
		return fmt.Errorf("provider %s multiplies no matrices of %s; use provider %s, or %s, which is pure Go, "+
			"or a file in %s or %s", provider, card.BFloat16, CUDA, Go, card.Float32, card.Float16)
	}
	return nil
}
