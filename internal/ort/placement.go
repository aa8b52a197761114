package ort

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
)

// cpuProvider is ONNX Runtime's name of its CPU provider.
const cpuProvider = "CPUExecutionProvider"

// recordPlacement is the key of the session configuration that has ONNX Runtime note where
// it puts nodes.
const recordPlacement = "session.record_ep_graph_assignment_info"

// checkPlacement wants all nodes of a session on its provider's device but those that belong
// to the host's part.
func (a *api) checkPlacement(session handle, host hostPart, opt engine.Options) error {
	if opt.AllowCPUNodes {
		return nil
	}
	onCPU, err := a.nodesOnCPU(session)
	if err != nil {
		return fmt.Errorf("ort: placement of nodes: %w", err)
	}
	onCPU = slices.DeleteFunc(onCPU, func(n placed) bool {
		return slices.Contains(host.shapes, n.name) || slices.Contains(host.angles, n.name)
	})
	if len(onCPU) == 0 {
		return nil
	}
	const mostNamed = 5
	names := lists.Map(onCPU[:min(len(onCPU), mostNamed)], func(n placed) string { return n.String() })
	if more := len(onCPU) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("ort: provider %s cannot run %d of the model's nodes, the CPU would: %s; allow that with "+
		"AllowCPUNodes (--allow-cpu-nodes), or use provider cpu", opt.Provider, len(onCPU), strings.Join(names, ", "))
}

// placed is a node of a session's graph, which is the model's after basic optimizations.
type placed struct{ name, operator string }

func (n placed) String() string { return fmt.Sprintf("%s (%s)", n.name, n.operator) }

// nodesOnCPU lists the nodes of a session that ONNX Runtime has given to its CPU provider.
func (a *api) nodesOnCPU(session handle) ([]placed, error) {
	assigned, err := a.list(sessionAssignment, session)
	if err != nil {
		return nil, err
	}
	var out []placed
	for _, part := range assigned {
		provider, err := a.text(assignedProvider, part)
		if err != nil {
			return nil, err
		}
		if provider != cpuProvider {
			continue
		}
		nodes, err := a.list(assignedNodes, part)
		if err != nil {
			return nil, err
		}
		for _, node := range nodes {
			name, err := a.text(assignedNodeName, node)
			if err != nil {
				return nil, err
			}
			operator, err := a.text(assignedNodeOperator, node)
			if err != nil {
				return nil, err
			}
			out = append(out, placed{name, operator})
		}
	}
	return out, nil
}

// list calls a function that gives an array of objects which belong to another.
func (a *api) list(f function, owner handle) ([]handle, error) {
	var pin goruntime.Pinner
	defer pin.Unpin()
	result := new(struct{ array, n uintptr })
	pin.Pin(result)
	if err := a.do(f, uintptr(owner), address(&result.array), address(&result.n)); err != nil || result.n == 0 {
		return nil, err
	}
	return slices.Clone(unsafe.Slice((*handle)(at(result.array)), result.n)), nil
}

// text calls a function that gives a string which belongs to an object.
func (a *api) text(f function, owner handle) (string, error) {
	s, err := a.create(f, uintptr(owner))
	if err != nil {
		return "", err
	}
	return goString(uintptr(s)), nil
}
