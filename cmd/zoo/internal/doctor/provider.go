package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// ProviderReport says what a provider of ONNX Runtime needs and what of it is there: step
// by step, up to the first that fails.
type ProviderReport struct {
	Provider string `json:"provider"`
	Steps    []Step `json:"steps"`
	Nodes    []Node `json:"nodes,omitempty"` // of the model, if one was given
}

// Step is one thing that a provider needs.
type Step struct {
	Name    string `json:"name"`
	Finding string `json:"finding,omitempty"` // what is there
	Problem string `json:"problem,omitempty"` // why the step failed, with the remedy
}

// Node is a node of a model as ONNX Runtime ran it.
type Node struct {
	Name     string `json:"name"`
	Operator string `json:"operator"`
	OnCPU    bool   `json:"on_cpu"`
	Why      string `json:"why,omitempty"` // it ran on the CPU
	lacking  bool   // the provider should have run it
}

// ExamineProvider goes through what a provider needs. A model is the bytes of a file that
// sessions can open, nil for none. What fails is an error, and the last step.
func ExamineProvider(ctx context.Context, provider string, model []byte) (ProviderReport, error) {
	r := ProviderReport{Provider: provider}
	steps := []struct {
		name string
		run  func() (string, error)
	}{
		{"library", func() (string, error) {
			lib, err := ort.Find(provider, "")
			return lib.Path, err
		}},
		{"device", func() (string, error) {
			names, err := ort.Devices(provider)
			if errors.Is(err, ort.ErrNoNames) {
				return "its driver is not asked on this system", nil
			}
			return strings.Join(names, "; "), err
		}},
		{"provider", func() (string, error) {
			_, unusable, err := ort.Probe(provider, "")
			return "it starts", errors.Join(err, unusable)
		}},
		{"tiny run", func() (string, error) { return tinyRun(ctx, provider) }},
		{"model", func() (finding string, err error) {
			if r.Nodes, err = placement(ctx, provider, model); err == nil {
				err = lacking(r.Nodes)
			}
			return summary(r.Nodes), err
		}},
	}
	if !engine.OnDevice(provider) {
		steps = slices.Delete(steps, 1, 2)
	}
	if model == nil {
		steps = steps[:len(steps)-1]
	}
	for _, s := range steps {
		finding, err := s.run()
		if err != nil {
			r.Steps = append(r.Steps, Step{Name: s.name, Problem: human.Error(err)})
			return r, fmt.Errorf("provider %s: %s: %w", provider, s.name, err)
		}
		r.Steps = append(r.Steps, Step{Name: s.name, Finding: finding})
	}
	return r, nil
}

// tinyRun multiplies two matrices whose product is known.
func tinyRun(ctx context.Context, provider string) (string, error) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("rows"), graph.N(2))
	g, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, b.Const(tensor.Of([]float32{1, 2, 3, 4}, 2, 2)))})
	if err != nil {
		return "", err
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, nil, export.Options{}); err != nil {
		return "", err
	}
	e, err := engine.Find(provider)
	if err != nil {
		return "", err
	}
	parsed, err := safety.Check(file.Bytes(), safety.Options{})
	if err != nil {
		return "", err
	}
	m, err := e.Open(engine.File{Parsed: parsed, Inputs: parsed.Inputs, Outputs: parsed.Outputs}, engine.Options{Provider: provider})
	if err != nil {
		return "", err
	}
	out := tensor.New(tensor.Float32, 2, 2)
	if err := errors.Join(run(ctx, m, tensor.Of([]float32{1, 1, 2, -1}, 2, 2), out), m.Close()); err != nil {
		return "", err
	}
	if got, want := tensor.Data[float32](out), []float32{4, 6, -1, 0}; !slices.Equal(got, want) {
		return "", fmt.Errorf("a product of matrices is %v, expected %v: the driver or the device computes wrongly", got, want)
	}
	if d, ok := m.(engine.DeviceModel); ok && d.Adapter() != "" {
		return "a product of matrices is right, on " + d.Adapter(), nil
	}
	return "a product of matrices is right", nil
}

// run runs a model of one input and one output.
func run(ctx context.Context, m engine.Model, in, out *tensor.Tensor) error {
	x, err := m.Bind(in)
	if err != nil {
		return err
	}
	y, err := m.Bind(out)
	if err != nil {
		return errors.Join(err, x.Close())
	}
	return errors.Join(engine.Run(ctx, m, []engine.Value{x}, []engine.Value{y}), x.Close(), y.Close())
}

// placement runs a model on a few tokens and lists where its nodes ran.
func placement(ctx context.Context, provider string, model []byte) (nodes []Node, err error) {
	folder, err := os.MkdirTemp("", "zoo-profile-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, err := runtime.OpenBytes(model, runtime.Options{
		Provider: provider, AllowCPUNodes: engine.OnDevice(provider), ProfilePrefix: filepath.Join(folder, "profile"),
	})
	if err != nil {
		return nil, err
	}
	_, err = runtime.Tokens(s.Generate(ctx, [][]int64{{0, 0}, {0}}, runtime.GenerateOptions{MaxNew: 2, Stop: []int64{}}))
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	traces, err := filepath.Glob(filepath.Join(folder, "profile*"))
	if err != nil || len(traces) != 1 {
		return nil, fmt.Errorf("ONNX Runtime wrote %d profiles of the run, expected 1", len(traces))
	}
	trace, err := os.Open(traces[0])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	if nodes, err = readTrace(trace); err != nil || provider == engine.CPU {
		return nodes, err
	}
	shapes, angles, err := ort.HostNodes(model)
	for i := range nodes {
		switch n := &nodes[i]; {
		case !n.OnCPU:
		case slices.Contains(shapes, n.Name):
			n.Why = "shapes"
		case slices.Contains(angles, n.Name):
			n.Why = "angles of positions: devices are not exact"
		default:
			n.Why, n.lacking = "the provider cannot run it", true
		}
	}
	return nodes, err
}

// lacking reports nodes that the provider cannot run: because of them sessions are refused.
func lacking(nodes []Node) error {
	n := 0
	for _, node := range nodes {
		if node.lacking {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the provider cannot run %d of the nodes (%s); leave these to the CPU with --allow-cpu-nodes, "+
		"or use provider cpu", n, summary(nodes))
}

// summary counts nodes by where they ran.
func summary(nodes []Node) string {
	device, copies := 0, 0
	why := map[string]int{}
	for _, n := range nodes {
		switch {
		case strings.HasPrefix(n.Operator, "Memcpy"):
			copies++
		case n.OnCPU:
			why[n.Why]++
		default:
			device++
		}
	}
	var parts []string
	if device > 0 {
		parts = append(parts, fmt.Sprintf("%s on the device, %s between memories", human.Plural(device, "node ran", "nodes ran"),
			human.Plural(copies, "copy", "copies")))
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		text := fmt.Sprintf("%d on the CPU", why[reason])
		if reason != "" {
			text += " (" + reason + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
