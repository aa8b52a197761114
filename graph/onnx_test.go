package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// file writes a graph as an ONNX file.
func file(t *testing.T, g *graph.Graph) []byte {
	t.Helper()
	var out strings.Builder
	if err := export.Write(&out, g, nil, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}

// readFile parses a file and reads its graph.
func readFile(t *testing.T, data []byte) *graph.Graph {
	t.Helper()
	f, err := safety.Check(data, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := export.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestOperatorFiles: each operator comes back from an ONNX file as it was.
func TestOperatorFiles(t *testing.T) {
	for _, row := range kernelRows {
		m := newMaker()
		g := build(t, m.Builder, row.build(m))
		if again := readFile(t, file(t, g)); again.String() != g.String() {
			t.Errorf("%s, %s: it comes back as\n%s, want\n%s", row.op, row.name, again, g)
		}
	}
}

// former are operators that the opset before has too, but with less than this package makes of them:
// of softmax another meaning, of Gather no indices that count from the end, of Greater no int64.
// Opening a file does not show that.
var former = map[string]bool{"Softmax": true, "LogSoftmax": true, "Gather": true, "Greater": true}

// TestOpsetIsONNXs has ONNX Runtime, which knows all opsets from 7 on, open each operator alone: it
// does so in the opset that the table says, and in the one before not in all its forms.
func TestOpsetIsONNXs(t *testing.T) {
	library := orttest.Require(t)
	opens := func(data []byte, opset int) error {
		f, err := safety.Check(data, safety.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.Proto.OpsetImport = []*onnxpb.OperatorSetIdProto{{Version: int64(opset)}}
		changed, err := onnxpb.Marshal(f.Proto)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := orttest.Load(changed, engine.Options{Library: library, Threads: 1})
		if err == nil {
			loaded.Close()
		}
		return err
	}
	const oldest = 7
	newer := map[string]bool{} // by form: whether the opset before lacks one of it
	seen := map[string]bool{}
	for _, row := range kernelRows {
		m := newMaker()
		for _, n := range build(t, m.Builder, row.build(m)).Nodes {
			data := alone(t, n)
			typed := n.Op + " to " + n.DType.String()
			for _, in := range n.Inputs {
				typed += " of " + in.DType.String()
			}
			if n.Op != row.op || data == nil || strings.Contains(typed, "bfloat16") { // which opset 13 brought for all
				continue
			}
			form := fmt.Sprintf("%s of %d inputs", n.Op, len(n.Inputs))
			for _, a := range n.Attrs {
				form += ", " + a.Name
			}
			if typed += form; seen[typed] {
				continue
			}
			seen[n.Op], seen[typed] = true, true
			since := graph.Opset(n.Op, len(n.Inputs), n.Attrs)
			if err := opens(data, max(since, oldest)); err != nil {
				t.Errorf("%s, %s, in opset %d: %v", form, row.name, since, err)
			}
			newer[form] = newer[form] || since <= oldest || former[n.Op] || opens(data, since-1) != nil
		}
	}
	for _, op := range graph.Ops() {
		if !seen[op] {
			t.Errorf("no row has %s in a form that can stand alone", op)
		}
	}
	for form, is := range newer {
		if !is {
			t.Errorf("%s: also the opset before has it", form)
		}
	}
}

// alone returns the file of a single node over inputs and constants; nil where the shape rule has to
// know how an input was computed.
func alone(t *testing.T, n *graph.Node) []byte {
	t.Helper()
	if len(n.Inputs) == 0 {
		return nil
	}
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
	g, err := b.Build(graph.Output{Name: "y", Node: b.Op(n.Op, inputs, n.Attrs...)}, graph.Output{Name: "z", Node: other})
	if err != nil {
		return nil
	}
	return file(t, g)
}
