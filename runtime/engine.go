package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Engine is a way to run models. A package that holds one registers it when it is
// imported, as the packages of image formats do: see runtime/ort and runtime/native.
type Engine struct {
	Name      string   // as Info gives it
	Providers []string // the values of Options.Provider that it serves
	// Open loads a model. An option that the engine cannot heed is an error.
	Open func(file File, opt Options) (Model, error)
	// Check reports why no model can be opened with such options on this machine. It may
	// be nil.
	Check func(opt Options) error
	// TrimMemory gives memory that closed models left with the engine's allocator back
	// to the system, so that it does not count into peaks measured later. It may be nil.
	TrimMemory func()
}

// File is a model file that has been validated under the options.
type File struct {
	Data            []byte      // not to be changed, and not needed after Open
	Inputs, Outputs []card.Port // what runs take and give, in this order; the file may have more outputs
}

// Model is a model that an engine has loaded. It runs on memory that the caller
// owns, and is safe for concurrent use.
type Model interface {
	// Version is that of what runs the model, and library the path of its shared
	// library, "" for none.
	Version() (version, library string)
	// Bind makes t's memory an input or output of runs, until the value's Close.
	Bind(t *tensor.Tensor) (Value, error)
	// Begin prepares any number of runs under ctx, one after the other.
	Begin(ctx context.Context) (Call, error)
	// Close releases the model. Runs in progress end first.
	Close() error
}

// DeviceModel is a Model whose provider computes in memory of its own, that of a device.
// States stay there from run to run; other inputs and outputs are Go memory, and move over
// the bus.
type DeviceModel interface {
	Model
	// Allocate makes a value of n float32 on the device, until the value's Close. What it
	// holds is not defined.
	Allocate(n int) (Value, error)
	// Reads reports whether an input is read on the device alone.
	Reads(input int) bool
	// Copy makes a value on the device with the contents of a tensor of int64, until the
	// value's Close.
	Copy(t *tensor.Tensor) (Value, error)
	// Arrange sets to [outer, len(index), inner] from from [outer, slots, inner], both on the
	// device in memory of their own: place i of the middle axis to what from has at index[i],
	// or to fill where index[i] is −1.
	Arrange(to, from Value, index []int, fill float32) error
	// Adapter names the device as its driver does; "" where that is not known.
	Adapter() string
	// Transferred returns how many bytes runs have moved to the device and from it.
	Transferred() (toDevice, toHost int64)
}

// Call runs a model under one context.
type Call interface {
	// Run computes the outputs from the inputs, both in the order of the File. A state
	// in place (see card.InPlace) may be one value among both: it is then changed where
	// it lies.
	// When ctx ends it stops early with an error that wraps ctx's.
	Run(inputs, outputs []Value) error
	Close() error
}

// Value is memory bound by an engine.
type Value interface {
	// Reshape makes the value a tensor of that shape at the start of its memory.
	// It is cheap: no memory is allocated.
	Reshape(shape ...int) error
	Close() error
}

// engines holds what is registered, by provider.
var engines = map[string]Engine{}

// Register makes an engine known to Open. It is for init functions; two engines for
// one provider are a fault of the program, and panic.
func Register(e Engine) {
	for _, p := range e.Providers {
		if other, taken := engines[p]; taken {
			panic(fmt.Sprintf("runtime: the engines %s and %s both serve provider %s", other.Name, e.Name, p))
		}
		engines[p] = e
	}
}

// Check reports what opening a model with such options would lack, whatever the model:
// an engine that the program links, its library, its provider.
func Check(opt Options) error {
	engine, provider, err := engineOf(opt.Provider)
	if err != nil {
		return err
	}
	opt.Provider = provider
	if err := opt.check(); err != nil || engine.Check == nil {
		return mark(err, ErrOptions)
	}
	return engine.Check(opt)
}

// Linked returns the engine that serves a provider, if the program links one. Unlike a
// session, an engine runs any graph, and validates nothing.
func Linked(provider string) (e Engine, linked bool) {
	e, linked = engines[provider]
	return e, linked
}

// Providers lists the providers that zoo knows, whether the program links their engines or not.
func Providers() []string { return append(ORTProviders(), providerGo) }

// ORTProviders lists those that are ONNX Runtime's.
func ORTProviders() []string { return []string{providerCPU, providerCUDA, providerWebGPU} }

// OnDevice reports whether a provider computes on a device, which has memory of its own.
func OnDevice(provider string) bool { return provider == providerCUDA || provider == providerWebGPU }

const (
	importORT    = `import _ "github.com/nopezoo/zoo/runtime/ort"`
	importNative = `import _ "github.com/nopezoo/zoo/runtime/native"`
)

// importOf says how a program links the engine of a provider of zoo's.
var importOf = map[string]string{providerCPU: importORT, providerCUDA: importORT, providerWebGPU: importORT, providerGo: importNative}

// engineOf returns the engine that serves a provider, and the provider; for none,
// that of ONNX Runtime where it is linked, else that of pure Go.
func engineOf(provider string) (Engine, string, error) {
	if provider == "" {
		for _, p := range []string{providerCPU, providerGo} {
			if e, linked := engines[p]; linked {
				return e, p, nil
			}
		}
		return Engine{}, "", &ProviderError{Err: errors.New("the program links no engine; add one: " + importORT +
			" (ONNX Runtime), or " + importNative + " (pure Go)")}
	}
	if e, linked := engines[provider]; linked {
		return e, provider, nil
	}
	if line, known := importOf[provider]; known {
		return Engine{}, "", &ProviderError{provider, fmt.Errorf("the program does not link the engine of provider %s; add it: %s",
			provider, line)}
	}
	known := maps.Clone(importOf)
	for p := range engines {
		known[p] = ""
	}
	return Engine{}, "", mark(fmt.Errorf("unknown provider %q, known are %s", provider,
		strings.Join(slices.Sorted(maps.Keys(known)), ", ")), ErrOptions)
}
