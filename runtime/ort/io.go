package ort

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// check reports why t cannot stand for this input or output.
func (io IO) check(kind string, t *tensor.Tensor) error {
	if t == nil {
		return fmt.Errorf("%s %v is missing", kind, io)
	}
	dims := make([]int64, len(t.Shape()))
	for i, d := range t.Shape() {
		dims[i] = int64(d)
	}
	if !io.takes(t.DType(), dims) {
		return fmt.Errorf("%s %v does not take %v", kind, io, t)
	}
	return nil
}

// takes reports whether a tensor like this can stand for the input or output.
func (io IO) takes(dtype tensor.DType, dims []int64) bool {
	if dtype != io.DType || io.Dims != nil && len(dims) != len(io.Dims) {
		return false
	}
	for i, d := range io.Dims {
		if d >= 0 && d != dims[i] {
			return false
		}
	}
	return true
}

func namesOf(ios []IO) []string {
	out := make([]string, len(ios))
	for i, io := range ios {
		out[i] = io.Name
	}
	return out
}

func indexOf(ios []IO, name string) int {
	return slices.IndexFunc(ios, func(io IO) bool { return io.Name == name })
}

// unknown is the error for a name that the model does not have.
func unknown(kind, name string, ios []IO) error {
	return fmt.Errorf("no %s is called %q, there are: %s", kind, name, strings.Join(namesOf(ios), ", "))
}

// choose returns the named outputs in that order; all of them for no names.
func choose(all []IO, want []string) ([]IO, error) {
	if len(want) == 0 {
		return all, nil
	}
	out := make([]IO, len(want))
	for i, name := range want {
		j := indexOf(all, name)
		if j < 0 {
			return nil, unknown("output", name, all)
		}
		if slices.Contains(want[:i], name) {
			return nil, fmt.Errorf("output %q is asked for twice", name)
		}
		out[i] = all[j]
	}
	return out, nil
}
