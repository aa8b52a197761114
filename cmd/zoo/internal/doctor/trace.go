package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// readTrace lists the nodes of a profile that ONNX Runtime wrote, in the order of their first execution. The graph
// is the one that ONNX Runtime made of the model's: nodes are fused, and copies between main memory and a device's
// are nodes too, MemcpyToHost and MemcpyFromHost.
func readTrace(r io.Reader) ([]Node, error) {
	var events []struct {
		Category string `json:"cat"`
		Name     string `json:"name"`
		Args     struct {
			Provider string `json:"provider"`
			Operator string `json:"op_name"`
		} `json:"args"`
	}
	if err := json.NewDecoder(r).Decode(&events); err != nil {
		return nil, fmt.Errorf("profile of ONNX Runtime: %w", err)
	}
	var list []Node
	seen := map[string]bool{}
	for _, e := range events {
		name, ran := strings.CutSuffix(e.Name, "_kernel_time")
		if e.Category == "Node" && ran && !seen[name] {
			seen[name] = true
			list = append(list, Node{Name: name, Operator: e.Args.Operator, OnCPU: e.Args.Provider == "CPUExecutionProvider"})
		}
	}
	return list, nil
}
