package safety

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// validate checks a parsed file, its weights excepted: see checkWeights. Without
// Options.ControlFlow a subgraph passes only where the file's own card declares it, as
// zoo writes such files: as one Scan over the recurrent state, which takes as many
// turns as it is fed tokens, or as the one Loop of a file that answers prompts, whose
// turns are bounded as any Loop's.
func validate(m *onnxpb.ModelProto, opt Options) error {
	if err := checkHeader(m); err != nil {
		return err
	}
	v := validator{opt: opt, declared: declared(m), turns: 1, most: plus(mostMade, times(mostGrowth, stored(m.Graph)))}
	return v.graph(m.Graph, nil)
}

// checkHeader checks versions, and refuses the parts of a file that no engine
// here needs and nobody checks.
func checkHeader(m *onnxpb.ModelProto) error {
	if m.IrVersion < minIR || m.IrVersion > maxIR {
		return fmt.Errorf("ir_version %d; supported are %d to %d", m.IrVersion, minIR, maxIR)
	}
	opset := int64(0)
	for _, o := range m.OpsetImport {
		if !onnxpb.DefaultDomain(o.Domain) {
			continue // see node
		}
		if opset != 0 || o.Version < minOpset || o.Version > maxOpset {
			return fmt.Errorf("opset %d; supported is one opset from %d to %d", o.Version, minOpset, maxOpset)
		}
		opset = o.Version
	}
	if opset == 0 {
		return fmt.Errorf("the model names no opset of the default domain")
	}
	if len(m.Functions) > 0 || len(m.TrainingInfo) > 0 {
		return fmt.Errorf("the model has functions or training_info, which are not supported")
	}
	keys := map[string]bool{}
	for _, p := range m.MetadataProps {
		if keys[p.Key] {
			return fmt.Errorf("the metadata has the key %s twice", onnxpb.Quote(p.Key))
		}
		keys[p.Key] = true
	}
	return nil
}

type validator struct {
	opt      Options
	declared *onnxpb.NodeProto // the Scan or Loop that the card declares; nil for none
	turns    int64             // of the Loops around, multiplied
	spent    int64             // turns of all Loops so far
	live     int64             // elements of the values that have been made and are still needed
	most     int64             // of them
}

// scope is what one graph defines. A subgraph sees what the graphs around it have
// defined before the node that it belongs to.
type scope struct {
	outer     *scope
	defined   map[string]bool
	made      map[string]bool                // outputs of any node, later ones too
	constants map[string]*onnxpb.TensorProto // values that nothing else can be
	minima    map[string][]string            // of values that are a Min, its inputs
	sizes     map[string]size
	last      map[string]int // see uses
}

func (s *scope) sees(name string) bool {
	for ; s != nil; s = s.outer {
		if s.defined[name] {
			return true
		}
	}
	return false
}

func (s *scope) constant(name string) *onnxpb.TensorProto {
	for ; s != nil; s = s.outer {
		if s.defined[name] {
			return s.constants[name]
		}
	}
	return nil
}

func (s *scope) define(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("it has no name")
	case len(name) > maxName:
		return fmt.Errorf("its name has %d bytes; supported are %d", len(name), maxName)
	case s.sees(name):
		return fmt.Errorf("its name is taken by another value")
	}
	s.defined[name] = true
	return nil
}

// newScope defines the inputs and initializers of a graph.
func newScope(g *onnxpb.GraphProto, outer *scope) (*scope, error) {
	s := &scope{outer, map[string]bool{}, map[string]bool{}, map[string]*onnxpb.TensorProto{}, map[string][]string{},
		map[string]size{}, uses(g)}
	inputs := map[string]bool{}
	for _, in := range g.Input {
		if err := s.define(in.Name); err != nil {
			return nil, fmt.Errorf("input %s: %w", onnxpb.Quote(in.Name), err)
		}
		if err := checkType(in, outer != nil); err != nil {
			return nil, fmt.Errorf("input %s: %w", onnxpb.Quote(in.Name), err)
		}
		inputs[in.Name] = true
		if v := onnxpb.ValueOf(in); v.Shaped {
			s.sizes[in.Name] = shaped(v.Dims)
		}
	}
	for _, t := range g.Initializer {
		// An input may have a default, which an initializer of its name holds.
		if inputs[t.Name] {
			delete(inputs, t.Name)
		} else if err := s.define(t.Name); err != nil {
			return nil, fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		} else {
			s.constants[t.Name] = t
		}
		if err := checkTensor(t); err != nil {
			return nil, fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
		s.sizes[t.Name] = shaped(t.Dims)
	}
	for _, n := range g.Node {
		for _, o := range n.Output {
			s.made[o] = true
		}
	}
	return s, nil
}

func (v *validator) graph(g *onnxpb.GraphProto, outer *scope) error {
	if err := checkParts(g); err != nil {
		return err
	}
	s, err := newScope(g, outer)
	if err != nil {
		return err
	}
	around := v.live
	defer func() { v.live = around }()
	for i, n := range g.Node {
		err := v.node(n, s)
		if err == nil {
			err = v.measure(n, i, s)
		}
		if err != nil {
			return fmt.Errorf("node %d %s (%s): %w", i, onnxpb.Quote(n.Name), onnxpb.Quote(n.OpType), err)
		}
	}
	for _, o := range g.Output {
		if !s.sees(o.Name) {
			return fmt.Errorf("output %s: no node makes it", onnxpb.Quote(o.Name))
		}
		if err := checkType(o, outer != nil); err != nil {
			return fmt.Errorf("output %s: %w", onnxpb.Quote(o.Name), err)
		}
	}
	for _, value := range g.ValueInfo {
		if err := checkType(value, true); err != nil {
			return fmt.Errorf("value %s: %w", onnxpb.Quote(value.Name), err)
		}
	}
	return nil
}

func checkParts(g *onnxpb.GraphProto) error {
	switch {
	case len(g.SparseInitializer) > 0 || len(g.QuantizationAnnotation) > 0:
		return fmt.Errorf("the graph has sparse initializers or quantization annotations, which are not supported")
	case len(g.Output) == 0:
		return fmt.Errorf("the graph has no outputs")
	case len(g.Input) > maxInputs || len(g.Output) > maxInputs:
		return fmt.Errorf("the graph has %d inputs and %d outputs; supported are %d",
			len(g.Input), len(g.Output), maxInputs)
	}
	return nil
}

func (v *validator) node(n *onnxpb.NodeProto, s *scope) error {
	if !onnxpb.DefaultDomain(n.Domain) && !slices.Contains(v.opt.Domains, n.Domain) {
		return fmt.Errorf("it is from the operator domain %s, which is %w without Options.Domains (--allow %s)",
			onnxpb.Quote(n.Domain), ErrNotAllowed, n.Domain)
	}
	switch {
	case n.Overload != "":
		return fmt.Errorf("it calls a function of the model, which is not supported")
	case len(n.Input) > maxNodeValues || len(n.Output) > maxNodeValues:
		return fmt.Errorf("it has %d inputs and %d outputs; supported are %d",
			len(n.Input), len(n.Output), maxNodeValues)
	case len(n.Name) > maxName:
		return fmt.Errorf("its name has %d bytes; supported are %d", len(n.Name), maxName)
	}
	for i, in := range n.Input {
		switch {
		case in == "" || s.sees(in): // "" leaves an input out
		case s.made[in]:
			return fmt.Errorf("input %d, %s, is made by a later node or by itself", i, onnxpb.Quote(in))
		default:
			return fmt.Errorf("input %d, %s, is not defined", i, onnxpb.Quote(in))
		}
	}
	if err := v.attributes(n, s); err != nil {
		return err
	}
	for _, o := range n.Output {
		if o == "" { // left out
			continue
		}
		if err := s.define(o); err != nil {
			return fmt.Errorf("output %s: %w", onnxpb.Quote(o), err)
		}
	}
	if !onnxpb.DefaultDomain(n.Domain) || len(n.Output) != 1 {
		return nil
	}
	switch {
	case n.OpType == "Constant" && len(n.Attribute) == 1:
		s.constants[n.Output[0]] = constantOf(n.Attribute[0])
	case n.OpType == "Min":
		s.minima[n.Output[0]] = n.Input
	}
	return nil
}

// constantOf returns the value of a Constant node, if it is kept as a tensor or
// as integers.
func constantOf(a *onnxpb.AttributeProto) *onnxpb.TensorProto {
	switch {
	case a.Name == "value_int" && a.Type == onnxpb.AttributeInt:
		return &onnxpb.TensorProto{DataType: typeInt64, Int64Data: []int64{onnxpb.Get(a.I)}}
	case a.Name == "value_ints" && a.Type == onnxpb.AttributeInts:
		return &onnxpb.TensorProto{DataType: typeInt64, Dims: []int64{int64(len(a.Ints))}, Int64Data: a.Ints}
	}
	return a.T
}

// checkType checks the declared type of an input or output. The type of a subgraph's
// may be left out.
func checkType(v *onnxpb.ValueInfoProto, inner bool) error {
	t := onnxpb.TensorOf(v)
	if t == nil {
		if inner {
			return nil
		}
		return fmt.Errorf("it is not declared as a tensor")
	}
	return checkAxes(t.Shape)
}

func checkAxes(shape *onnxpb.TensorShapeProto) error {
	if shape == nil {
		return nil
	}
	if len(shape.Dim) > MaxRank {
		return fmt.Errorf("it has %d axes; supported are %d", len(shape.Dim), MaxRank)
	}
	elements := int64(1) // without axes of no fixed length, or of length 0
	for i, d := range shape.Dim {
		if name := onnxpb.Get(d.DimParam); len(name) > maxName {
			return fmt.Errorf("the name of axis %d has %d bytes; supported are %d", i, len(name), maxName)
		}
		n := onnxpb.Get(d.DimValue)
		if n < 0 || n > MaxFile {
			return fmt.Errorf("axis %d has the length %d", i, n)
		}
		// Both factors are below 2³¹, so the product cannot overflow.
		if elements *= max(n, 1); elements > MaxFile {
			return fmt.Errorf("it declares more than %d elements", int64(MaxFile))
		}
	}
	return nil
}
