package native_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native"
)

// write makes a file that computes y = x + w.
func write(t *testing.T, opt export.Options) []byte {
	t.Helper()
	b := graph.NewBuilder()
	y := b.Add(b.Input("x", tensor.Float32, graph.Sym("batch"), graph.N(2)), b.Param("w", 2))
	g, err := b.Build(graph.Output{Name: "y", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{"w": tensor.Of([]float32{10, 20}, 2)}
	if opt.ParamsAsInputs {
		weights = nil
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, weights, opt); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestModel(t *testing.T) {
	m, err := native.New(write(t, export.Options{Metadata: map[string]string{"k": "v"}}), native.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]native.IO{{Name: "x", DType: tensor.Float32, Shape: []string{"batch", "2"}}}, m.Inputs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]native.IO{{Name: "y", DType: tensor.Float32, Shape: []string{"batch", "2"}}}, m.Outputs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"k": "v"}, m.Metadata()); diff != "" {
		t.Error(diff)
	}
	feed := map[string]*tensor.Tensor{"x": tensor.Of([]float32{1, 2, 3, 4}, 2, 2)}
	out, err := m.Run(t.Context(), feed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{11, 22, 13, 24}, tensor.Data[float32](out["y"])); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Run(ctx, feed); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNewErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"damaged":       {[]byte("hello"), "native: export: read"},
		"training step": {write(t, export.Options{ParamsAsInputs: true}), "no weight for w"},
	} {
		if _, err := native.New(tt.data, native.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want it to contain %q", name, err, tt.want)
		}
	}
}
