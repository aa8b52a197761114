package export

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/wrap"
)

// Write writes the graph as an ONNX file. weights must hold exactly the graph's
// parameters, each with its dtype and shape and finite values; with
// ParamsAsInputs it must be empty. The same arguments give the same bytes.
//
// The writer sees one Write call, after everything has been checked; making a
// file atomically (temporary file, fsync, rename) is the caller's part.
func Write(w io.Writer, g *graph.Graph, weights map[string]*tensor.Tensor, opt Options) error {
	f, m, err := newModel(g, weights, opt)
	if err == nil {
		err = f.put(w, m, opt, safety.Options{})
	}
	return wrap.Error(err, "export: write")
}

// put writes a finished file with its metadata, and first what is beside it, or hands it over.
func (f *file) put(w io.Writer, m *onnxpb.ModelProto, opt Options, allowed safety.Options) error {
	if opt.Kept != nil {
		kept, err := safety.Keep(m, opt.Metadata, allowed)
		if err == nil {
			opt.Kept(kept)
		}
		return err
	}
	name := ""
	if f.large {
		name = opt.Name
	}
	data, beside, err := safety.Marshal(m, opt.Metadata, allowed, name)
	for name, contents := range beside {
		if err == nil {
			err = opt.Data(name, contents)
		}
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func newModel(g *graph.Graph, weights map[string]*tensor.Tensor, opt Options) (*file, *onnxpb.ModelProto, error) {
	opset, err := chooseOpset(g, opt.Opset)
	if err != nil {
		return nil, nil, err
	}
	if err := checkWeights(g, weights, opt.ParamsAsInputs); err != nil {
		return nil, nil, err
	}
	f := &file{g: g, names: map[*graph.Node]string{}, taken: map[string]string{}}
	if err := checkSize(g, weights, int(onnxpb.MaxMessage), math.MaxInt); err != nil {
		if opt.Kept == nil && (opt.Name == "" || opt.Data == nil) {
			return nil, nil, err
		}
		if err := checkSize(g, weights, maxFile, safety.LeastApart); err != nil {
			return nil, nil, err
		}
		f.large = true
	}
	if err := f.build(weights, opt.ParamsAsInputs); err != nil {
		return nil, nil, err
	}
	m := &onnxpb.ModelProto{
		IrVersion:       irVersions[opset],
		ProducerName:    producer,
		ProducerVersion: opt.Version,
		DocString:       opt.Doc,
		OpsetImport:     []*onnxpb.OperatorSetIdProto{{Version: int64(opset)}},
		Graph:           &f.out,
	}
	return f, m, checkGraph(m.Graph, opset) // what Write makes, Read accepts
}

// chooseOpset returns the opset asked for, or for 0 the lowest that Write uses and
// that has every node.
func chooseOpset(g *graph.Graph, want int) (int, error) {
	opset := cmp.Or(want, OpsetPortable)
	if opset != OpsetPortable && opset != OpsetFused {
		return 0, fmt.Errorf("opset %d: choose %d or %d", want, OpsetPortable, OpsetFused)
	}
	for _, n := range g.Nodes {
		need := graph.Opset(n.Op, len(n.Inputs), n.Attrs)
		switch {
		case need <= opset:
		case need == opsetBlocks && want != OpsetFused:
			opset = opsetBlocks
		case want == 0:
			opset = OpsetFused
		default:
			return 0, fmt.Errorf("node %s: %s needs opset %d, not %d", n.Name, n.Op, need, opset)
		}
	}
	if want == OpsetPortable {
		return opset, checkPortable(g)
	}
	return opset, nil
}

// file is a graph on its way into a GraphProto.
type file struct {
	g     *graph.Graph
	out   onnxpb.GraphProto
	names map[*graph.Node]string // each node's value in the file
	taken map[string]string      // what each value name stands for

	large bool // more than one file holds
}

func (f *file) build(weights map[string]*tensor.Tensor, paramsAsInputs bool) error {
	f.out.Name = producer
	renames := f.renames()
	for _, in := range f.g.Inputs {
		if err := f.input(in, ""); err != nil {
			return err
		}
	}
	for _, p := range f.g.Params {
		if isConstName(p.Name) {
			return fmt.Errorf("parameter %s: names such as const.0 are kept for constants; rename it", p.Name)
		}
		var err error
		if paramsAsInputs {
			err = f.input(p, paramDoc)
		} else {
			err = f.initializer(p, p.Name, weights[p.Name])
		}
		if err != nil {
			return err
		}
	}
	constants := 0
	for _, n := range f.g.Nodes {
		var err error
		switch n.Op {
		case graph.OpInput, graph.OpParam:
		case graph.OpConstant:
			err = f.initializer(n, fmt.Sprint(constPrefix, constants), n.Value)
			constants++
		default:
			err = f.node(n, renames[n])
		}
		if err != nil {
			return err
		}
	}
	return f.outputs(renames)
}

// renames gives an operator node that is an output the output's name.
func (f *file) renames() map[*graph.Node]string {
	r := map[*graph.Node]string{}
	for _, o := range f.g.Outputs {
		if len(o.Node.Inputs) == 0 {
			continue // it keeps its own name
		}
		if _, has := r[o.Node]; !has {
			r[o.Node] = o.Name
		}
	}
	return r
}

// name takes a value name for a node.
func (f *file) name(n *graph.Node, name, what string) error {
	if old, used := f.taken[name]; used {
		return fmt.Errorf("%s: the name %q is already that of an %s; rename one of the two", what, name, old)
	}
	f.taken[name] = what
	if _, has := f.names[n]; !has {
		f.names[n] = name
	}
	return nil
}

func (f *file) input(n *graph.Node, doc string) error {
	if err := f.name(n, n.Name, "input "+n.Name); err != nil {
		return err
	}
	f.out.Input = append(f.out.Input, valueInfo(n.Name, n, doc))
	return nil
}

func (f *file) initializer(n *graph.Node, name string, t *tensor.Tensor) error {
	if err := f.name(n, name, "initializer "+name); err != nil {
		return err
	}
	f.out.Initializer = append(f.out.Initializer, tensorProto(name, t))
	return nil
}

func (f *file) node(n *graph.Node, output string) error {
	output = cmp.Or(output, n.Name)
	if err := f.name(n, output, "output of node "+n.Name); err != nil {
		return err
	}
	inputs := lists.Map(n.Inputs, func(in *graph.Node) string { return f.names[in] })
	p := &onnxpb.NodeProto{Name: n.Name, OpType: n.Op, Input: inputs, Output: []string{output}}
	for _, a := range n.Attrs {
		ap, err := attributeProto(a)
		if err != nil {
			return fmt.Errorf("node %s (%s): %w", n.Name, n.Op, err)
		}
		p.Attribute = append(p.Attribute, ap)
	}
	f.out.Node = append(f.out.Node, p)
	return nil
}

// outputs declares the outputs. A leaf, or the second name of a value, needs an
// Identity node: in ONNX an output is the output of a node.
func (f *file) outputs(renames map[*graph.Node]string) error {
	for _, o := range f.g.Outputs {
		if renames[o.Node] != o.Name {
			if err := f.name(o.Node, o.Name, "output "+o.Name); err != nil {
				return err
			}
			f.out.Node = append(f.out.Node, &onnxpb.NodeProto{
				Name: "/" + o.Name + "/" + opIdentity, OpType: opIdentity,
				Input: []string{f.names[o.Node]}, Output: []string{o.Name},
			})
		}
		f.out.Output = append(f.out.Output, valueInfo(o.Name, o.Node, ""))
	}
	return nil
}
