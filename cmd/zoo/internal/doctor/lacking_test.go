package doctor

import (
	"strings"
	"testing"
)

// What a session would refuse is a failure here, too; shapes on the CPU are not.
func TestLacking(t *testing.T) {
	nodes := []Node{{Operator: "MatMul"}, {Operator: "Shape", OnCPU: true, Why: "shapes"}}
	if err := lacking(nodes); err != nil {
		t.Error(err)
	}
	err := lacking(append(nodes, Node{Operator: "MatMulInteger", OnCPU: true, Why: "another reason", lacking: true}))
	if err == nil || !strings.HasPrefix(err.Error(), "the provider cannot run 1 of the nodes (1 node ran on the device, ") ||
		!strings.Contains(err.Error(), "--allow-cpu-nodes") {
		t.Error(err)
	}
}
