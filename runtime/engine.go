package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// engine runs one loaded model on memory that the caller owns. It is safe for
// concurrent use.
type engine interface {
	// Bind makes t's memory an input or output of runs, until the value's Close.
	Bind(t *tensor.Tensor) (value, error)
	// Begin prepares any number of runs under ctx, one after the other.
	Begin(ctx context.Context) (call, error)
	// Close releases the model. Runs in progress end first.
	Close() error
}

// call runs a model under one context.
type call interface {
	// Run computes the outputs from the inputs, both in the order of the
	// description. When ctx ends it stops early with an error that wraps ctx's.
	Run(inputs, outputs []value) error
	Close() error
}

// value is memory bound by an engine.
type value interface {
	// Reshape makes the value a tensor of that shape at the start of its memory.
	// It is cheap: no memory is allocated.
	Reshape(shape ...int) error
	Close() error
}

// Port describes one input or output of a model.
type Port struct {
	Name  string
	DType tensor.DType
	Shape []string // axes as integers or names: "batch", "past+seq", "64"; "?" where the file does not say
}

// String describes the port as "input_ids[int64 batch,seq]".
func (p Port) String() string {
	return fmt.Sprintf("%s[%v %s]", p.Name, p.DType, strings.Join(p.Shape, ","))
}

func find(ports []Port, name string) int {
	return slices.IndexFunc(ports, func(p Port) bool { return p.Name == name })
}

// loaded is an engine together with what it says about the file and itself.
type loaded struct {
	engine
	inputs, outputs        []Port
	metadata               map[string]string
	name, version, library string
}

// opener loads a model to compute the named outputs, or all for none.
type opener func(model []byte, opt Options, outputs []string) (*loaded, error)

// openers lists the engines by provider.
func openers() map[string]opener {
	return map[string]opener{"": openORT, providerCPU: openORT, providerCUDA: openORT, providerGo: openNative}
}

func openerOf(provider string) (opener, error) {
	all := openers()
	if open, ok := all[provider]; ok {
		return open, nil
	}
	delete(all, "")
	return nil, fmt.Errorf("unknown provider %q, known are %s", provider, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
}
