package ort_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	zoograph "github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// fileOf writes a graph of one output, y.
func fileOf(t *testing.T, b *zoograph.Builder, y *zoograph.Node) []byte {
	t.Helper()
	g, err := b.Build(zoograph.Output{Name: "y", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, nil, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// onDevice opens a graph that adds two vectors.
func onDevice(t *testing.T) *ort.Session {
	t.Helper()
	orttest.RequireWebGPU(t)
	b := zoograph.NewBuilder()
	x := b.Input("x", tensor.Float32, zoograph.Sym("n"))
	y := b.Input("y0", tensor.Float32, zoograph.Sym("n"))
	return open(t, fileOf(t, b, b.Add(x, y)), ort.Options{Provider: "webgpu"})
}

// Numbers go to the device's memory and back, sums stay there, and what crosses the bus is
// counted.
func TestDeviceMemory(t *testing.T) {
	s := onDevice(t)
	sum, err := s.Allocate(6)
	if err != nil {
		t.Fatal(err)
	}
	defer sum.Close()
	if err := sum.Reshape(4); err != nil {
		t.Fatal(err)
	}
	if err := s.Upload(sum, tensor.Of([]float32{1, 2, 3, 4}, 4)); err != nil {
		t.Fatal(err)
	}
	x, err := ort.NewValue(tensor.Of([]float32{10, 20, 30, 40}, 4))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	uploaded, _ := s.Transferred()
	next, err := s.Allocate(4) // no operator may read and write one buffer
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	for _, turn := range [][2]engine.Value{{sum, next}, {next, sum}} {
		in := []engine.Value{x, turn[0]}
		if s.Inputs()[0].Name == "y0" {
			slices.Reverse(in)
		}
		if err := s.RunValues(t.Context(), in, []engine.Value{turn[1]}); err != nil {
			t.Fatal(err)
		}
	}
	if to, from := s.Transferred(); to-uploaded != 2*4*4 || from != 0 {
		t.Errorf("%d bytes to the device and %d from it, want those of x twice", to-uploaded, from)
	}
	got := tensor.New(tensor.Float32, 4)
	if err := s.Download(got, sum); err != nil {
		t.Fatal(err)
	}
	if want := []float32{21, 42, 63, 84}; !slices.Equal(tensor.Data[float32](got), want) {
		t.Errorf("sums %v, want %v", tensor.Data[float32](got), want)
	}
	if _, from := s.Transferred(); from != 4*4 {
		t.Errorf("%d bytes from the device, want those of the sums", from)
	}
	if s.Adapter() == "" {
		t.Error("the device has no name")
	}
	view, err := s.View(sum, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	part := tensor.New(tensor.Float32, 2)
	if err := s.Download(part, view); err != nil || !slices.Equal(tensor.Data[float32](part), []float32{21, 42}) {
		t.Errorf("a view of the first two: %v, %v", tensor.Data[float32](part), err)
	}
	if err := s.Upload(sum, tensor.New(tensor.Float32, 5)); err == nil {
		t.Error("5 numbers were taken for 4")
	}
}

// TestArrange moves rows about on the device, and fills others.
func TestArrange(t *testing.T) {
	s := onDevice(t)
	from, err := s.Allocate(12)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	numbers := tensor.New(tensor.Float32, 12)
	for i := range 12 {
		tensor.Data[float32](numbers)[i] = float32(i)
	}
	if err := s.Upload(from, numbers); err != nil {
		t.Fatal(err)
	}
	to, err := s.Allocate(16)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	for _, err := range []error{from.Reshape(2, 3, 2), to.Reshape(2, 4, 2), s.Arrange(to, from, []int{2, -1, 0, 0}, 0.5)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := tensor.New(tensor.Float32, 2, 4, 2)
	if err := s.Download(got, to); err != nil {
		t.Fatal(err)
	}
	if want := []float32{4, 5, .5, .5, 0, 1, 0, 1, 10, 11, .5, .5, 6, 7, 6, 7}; !slices.Equal(tensor.Data[float32](got), want) {
		t.Errorf("got %v, want %v", tensor.Data[float32](got), want)
	}
}

// A node that the provider of a device cannot run is named, unless the CPU may run it.
func TestCPUNodes(t *testing.T) {
	library := orttest.RequireWebGPU(t)
	b := zoograph.NewBuilder()
	file := fileOf(t, b, b.Op("LogSoftmax", []*zoograph.Node{b.Input("x", tensor.Float32, zoograph.Sym("n"), zoograph.N(2))}, zoograph.Attr{Name: "axis", Value: int64(-1)}))
	_, err := ort.New(file, ort.Options{Provider: "webgpu", Library: library})
	if err == nil || !strings.Contains(err.Error(), "LogSoftmax") || !strings.Contains(err.Error(), "--allow-cpu-nodes") {
		t.Fatalf("error %v, want the node and the remedy", err)
	}
	s, err := ort.New(file, ort.Options{Provider: "webgpu", Library: library, AllowCPUNodes: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": tensor.Of([]float32{0, 0}, 1, 2)})
	if err != nil || tensor.Data[float32](out[0])[1] > -0.69 {
		t.Errorf("%v, %v", out, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Memory of a device is for sessions that compute on one.
func TestNoDevice(t *testing.T) {
	library := orttest.Require(t)
	s, err := ort.New(addModel(), ort.Options{Library: library})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.OnDevice() {
		t.Error("a session on the CPU has a device")
	}
}

// Memory outlives its session, which goes with the last value; nothing new is to be had.
func TestDeviceMemoryOutlivesSession(t *testing.T) {
	library := orttest.RequireWebGPU(t)
	b := zoograph.NewBuilder()
	file := fileOf(t, b, b.Neg(b.Input("x", tensor.Float32, zoograph.Sym("n"))))
	s, err := ort.New(file, ort.Options{Provider: "webgpu", Library: library})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Allocate(3)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Upload(v, tensor.New(tensor.Float32, 3)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Allocate(3); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("a closed session gives memory: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Upload(v, tensor.New(tensor.Float32, 3)); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("a closed value is written: %v", err)
	}
}
