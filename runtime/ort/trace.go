package ort

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Ran is a node that runs of a session executed, as its profile tells (Options.ProfilePrefix).
// The graph is the one that ONNX Runtime made of the model's: nodes are fused, and copies
// between main memory and a device's are nodes too.
type Ran struct {
	Node     string
	Operator string // "MatMul"; copies are MemcpyToHost and MemcpyFromHost
	Provider string // ONNX Runtime's name, as in "WebGpuExecutionProvider"
}

// OnCPU reports whether the CPU ran the node.
func (r Ran) OnCPU() bool { return r.Provider == cpuProvider }

// ReadTrace lists the nodes of a profile, in the order of their first execution.
func ReadTrace(r io.Reader) ([]Ran, error) {
	var events []struct {
		Category string `json:"cat"`
		Name     string `json:"name"`
		Args     struct {
			Provider string `json:"provider"`
			Operator string `json:"op_name"`
		} `json:"args"`
	}
	if err := json.NewDecoder(r).Decode(&events); err != nil {
		return nil, fmt.Errorf("ort: profile: %w", err)
	}
	var list []Ran
	seen := map[string]bool{}
	for _, e := range events {
		name, ran := strings.CutSuffix(e.Name, "_kernel_time")
		if e.Category == "Node" && ran && !seen[name] {
			seen[name] = true
			list = append(list, Ran{Node: name, Operator: e.Args.Operator, Provider: e.Args.Provider})
		}
	}
	return list, nil
}
