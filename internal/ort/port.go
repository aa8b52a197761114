package ort

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// port is an input or output of a session.
type port struct {
	card.Port
	dims []int64 // −1 where any length will do; nil where nothing is said of the shape
}

func portsOf(described []card.Port) []port {
	list := make([]port, len(described))
	for i, p := range described {
		list[i].Port = p
		for _, axis := range p.Shape {
			n, err := strconv.ParseInt(axis, 10, 64)
			if err != nil {
				n = -1
			}
			list[i].dims = append(list[i].dims, n)
		}
	}
	return list
}

// takes reports whether a tensor like this can stand for the input or output.
func (p port) takes(dtype tensor.DType, dims []int64) bool {
	if p.DType != "" && dtype.String() != p.DType || p.dims != nil && len(dims) != len(p.dims) {
		return false
	}
	for i, d := range p.dims {
		if d >= 0 && d != dims[i] {
			return false
		}
	}
	return true
}

// checkNames wants a name for each of some ports, and no two alike.
func checkNames(kind string, ports []port) error {
	if len(ports) == 0 {
		return fmt.Errorf("ort: the model has no %s; it needs at least one", kind)
	}
	for i, name := range namesOf(ports) {
		if name == "" || slices.Contains(namesOf(ports[:i]), name) {
			return fmt.Errorf("ort: the %ss %s are not names that differ", kind, strings.Join(namesOf(ports), ", "))
		}
	}
	return nil
}

func namesOf(ports []port) []string {
	return lists.Map(ports, func(p port) string { return p.Name })
}
