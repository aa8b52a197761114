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
	Runs     int
}

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
	at := map[string]int{}
	for _, e := range events {
		name, isRun := strings.CutSuffix(e.Name, "_kernel_time")
		if e.Category != "Node" || !isRun {
			continue
		}
		i, known := at[name]
		if !known {
			i = len(list)
			at[name] = i
			list = append(list, Ran{Node: name, Operator: e.Args.Operator, Provider: e.Args.Provider})
		}
		list[i].Runs++
	}
	return list, nil
}
