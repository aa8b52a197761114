// Package engine is what package runtime and the engines that run its models have in common. A program that
// embeds models needs none of it but to import an engine, which registers itself:
//
//	import _ "github.com/nopezoo/zoo/runtime/ort"
//
// An engine can be used without a session too: Find returns it. It then runs any graph, and validates nothing.
package engine

import (
	"context"
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Engine is a way to run models. A package that holds one registers it in an init function, as the packages of
// image formats do: see runtime/ort and runtime/native.
type Engine struct {
	Name      string   // as runtime.Info gives it
	Providers []string // that it serves, the default one first
	// Open loads a model. An option that the engine cannot heed is an error.
	Open func(file File, opt Options) (Model, error)
	// Check reports why no model can be opened with such options on this machine. It may
	// be nil.
	Check func(opt Options) error
	// TrimMemory gives memory that closed models left with the engine's allocator back
	// to the system, so that it does not count into peaks measured later. It may be nil.
	TrimMemory func()
}

// Options are what engines heed of runtime.Options, which describes them.
type Options struct {
	Provider        string
	ProviderOptions map[string]string
	AllowCPUNodes   bool
	Library         string
	Threads         int
	NoSpinning      bool
	ProfilePrefix   string
	Exact           bool

	// Training is for graphs of training steps, which runtime.Options does not know: idle threads stop spinning
	// between runs, when the cores belong to the optimizer.
	Training bool
}

// File is a model file that has been validated under the options.
type File struct {
	Parsed          *safety.File // the engine's own, and not needed after Open
	Inputs, Outputs []card.Port  // what runs take and give, in this order; the file may have more outputs
}

// Model is a model that an engine has loaded. It runs on memory that the caller
// owns, and is safe for concurrent use.
type Model interface {
	// Version is the version of the engine's library or of Go, and library the path of the shared
	// library, "" for none.
	Version() (version, library string)
	// Bind makes t's memory an input or output of runs, until the value's Close.
	Bind(t *tensor.Tensor) (Value, error)
	// Begin prepares any number of runs under ctx, one after the other.
	Begin(ctx context.Context) (Call, error)
	// Close releases the model. Runs in progress end first.
	Close() error
}

// DeviceModel is a Model whose provider computes in the memory of a device.
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
	// Upload copies a tensor of float32 into a value of its size on the device, and Download the reverse.
	Upload(to Value, t *tensor.Tensor) error
	Download(t *tensor.Tensor, from Value) error
	// View returns another value of a shape at the start of the memory of one, which is to be closed after it.
	View(viewed Value, shape ...int) (Value, error)
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

// Run is one run of a model.
func Run(ctx context.Context, m Model, inputs, outputs []Value) error {
	c, err := m.Begin(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.Run(inputs, outputs), c.Close())
}

// Value is memory bound by an engine.
type Value interface {
	// Reshape makes the value a tensor of that shape at the start of its memory.
	// It is cheap: no memory is allocated.
	Reshape(shape ...int) error
	Close() error
}
