package export_test

import (
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// unseen are operators that the opset before has too, but with less than package graph
// makes of them: of softmax another meaning, of Gather no indices that count from the
// end, of Greater no int64. Opening a file does not show that.
var unseen = map[string]bool{"Softmax": true, "LogSoftmax": true, "Gather": true, "Greater": true}

// TestOpsetIsONNXs has ONNX Runtime, which knows all opsets from 7 on, open each
// operator alone: it does so in the opset that package graph says, and not in the one
// before.
func TestOpsetIsONNXs(t *testing.T) {
	library := orttest.Require(t)
	opens := func(file []byte, opset int) error {
		f, err := safety.Check(file, safety.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := f.Proto
		m.OpsetImport = []*onnxpb.OperatorSetIdProto{{Version: int64(opset)}}
		loaded, err := orttest.Load(marshal(t, m), engine.Options{Library: library, Threads: 1})
		if err == nil {
			loaded.Close()
		}
		return err
	}
	seen := map[string]bool{}
	for _, g := range graphs(t) {
		for _, n := range g.graph.Nodes {
			form := fmt.Sprintf("%s of %d inputs", n.Op, len(n.Inputs))
			for _, a := range n.Attrs {
				form += ", " + a.Name
			}
			file := alone(t, n)
			if seen[form] || file == nil {
				continue
			}
			seen[n.Op], seen[form] = true, true
			const oldest = 7
			since := n.Opset()
			if err := opens(file, max(since, oldest)); err != nil {
				t.Errorf("%s in opset %d: %v", form, since, err)
			}
			if since > oldest && !unseen[n.Op] && opens(file, since-1) == nil {
				t.Errorf("%s: also opset %d has it", form, since-1)
			}
		}
	}
	for _, op := range graph.Ops() {
		if !seen[op] {
			t.Errorf("no graph has %s in a form that can stand alone", op)
		}
	}
}

// alone returns the file of a single node over inputs and constants; nil for a leaf,
// and where the shape rule has to know how an input was computed.
func alone(t *testing.T, n *graph.Node) []byte {
	if n.Leaf() {
		return nil
	}
	t.Helper()
	b := graph.NewBuilder()
	var inputs []*graph.Node
	for i, in := range n.Inputs {
		if in.Op == graph.OpConstant {
			inputs = append(inputs, b.Const(in.Value))
		} else {
			inputs = append(inputs, b.Input(fmt.Sprint("in", i), in.DType, in.Shape...))
		}
	}
	other := b.Input("other", tensor.Float32) // a file needs an input
	g, err := b.Build(graph.Output{Name: "y", Node: b.Op(n.Op, inputs, n.Attrs...)},
		graph.Output{Name: "z", Node: other})
	if err != nil {
		return nil
	}
	return write(t, g, nil, export.Options{})
}
