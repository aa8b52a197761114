package ort_test

import (
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// growCache lets one call fill a cache slot by slot: the two buffers take turns
// and new shapes.
func growCache(t *testing.T, s *ort.Session) {
	t.Helper()
	const slots = 3
	next := tensor.New(tensor.Float32, 1, 2, 1, 4)
	memory := []*tensor.Tensor{tensor.New(tensor.Float32, 2*slots*4), tensor.New(tensor.Float32, 2*slots*4)}
	cache := []engine.Value{bind(t, memory[0]), bind(t, memory[1])}
	if err := cache[0].Reshape(1, 2, 0, 4); err != nil {
		t.Fatal(err)
	}
	c, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, out := []engine.Value{nil, bind(t, next)}, []engine.Value{nil}
	for i := range slots {
		for j := range tensor.Data[float32](next) {
			tensor.Data[float32](next)[j] = float32(10*i + j)
		}
		in[0], out[0] = cache[i%2], cache[1-i%2]
		if err := out[0].Reshape(1, 2, i+1, 4); err != nil {
			t.Fatal(err)
		}
		if err := c.Run(in, out); err != nil {
			t.Fatal(err)
		}
	}
	want := []float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 4, 5, 6, 7, 14, 15, 16, 17, 24, 25, 26, 27}
	if diff := cmp.Diff(want, tensor.Data[float32](memory[slots%2])); diff != "" {
		t.Error(diff)
	}
	// The memory, not the last shape, is the bound.
	if err := errors.Join(out[0].Reshape(1, 2, 0, 4), out[0].Reshape(1, 2, slots, 4), c.Close(),
		c.Close()); err != nil {
		t.Error(err)
	}
	if err := c.Run(in, out); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("run of a closed call: %v", err)
	}
}

func concatSession(t *testing.T) *ort.Session {
	return open(t, concatModel(), ort.Options{Outputs: []string{"present"}})
}

func TestCall(t *testing.T) { growCache(t, concatSession(t)) }

// wrongShape runs into an error of ONNX Runtime's.
func wrongShape(t *testing.T, s *ort.Session) {
	x, y := bind(t, tensor.New(tensor.Float32, 1, 2, 1, 4)), bind(t, tensor.New(tensor.Float32, 1, 2, 1, 4))
	err := s.RunValues(t.Context(), []engine.Value{x, x}, []engine.Value{y})
	if err == nil || !strings.HasPrefix(err.Error(), "ort: run: ") || !strings.Contains(err.Error(), "Concat") {
		t.Errorf("output of the wrong shape: %v", err)
	}
}

// impossibleShape: a shape that only ONNX Runtime refuses leaves the value as it
// was. Its size fits into no integer, and comes out as 1.
func impossibleShape(t *testing.T) {
	v := bind(t, tensor.New(tensor.Float32, 2, 3))
	if err := v.Reshape(math.MaxInt, math.MaxInt); err == nil ||
		!strings.HasPrefix(err.Error(), "ort: reshape float32[2,3] to [") {
		t.Errorf("a shape beyond all memory: %v", err)
	}
	if err := errors.Join(v.Reshape(3, 2), v.Reshape(2, 3)); err != nil {
		t.Error(err)
	}
}

func TestCallErrors(t *testing.T) {
	wrongShape(t, concatSession(t))
	impossibleShape(t)
	v := bind(t, tensor.New(tensor.Float32, 2, 3))
	for _, shape := range [][]int{{7}, {-1, 2}, {2, 3, 2}} {
		if err := v.Reshape(shape...); err == nil || !strings.Contains(err.Error(), "6 elements of float32") {
			t.Errorf("shape %v: %v", shape, err)
		}
	}
	s := open(t, addModel(), ort.Options{})
	if err := v.Reshape(3, 2); err != nil {
		t.Fatal(err)
	}
	err := s.RunValues(t.Context(), []engine.Value{v, v}, []engine.Value{v, v})
	if err == nil || !strings.Contains(err.Error(), "input x float32[batch,3] does not take float32[3,2]") {
		t.Errorf("reshaped input: %v", err)
	}
	closed := bind(t, tensor.New(tensor.Float32, 1))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := closed.Reshape(1); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("reshape of a closed value: %v", err)
	}
	c, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	x := bind(t, tensor.New(tensor.Float32, 1, 3)) // the call keeps the environment
	if err := c.Run([]engine.Value{x, x}, []engine.Value{x, x}); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("run after the session's close: %v", err)
	}
}

// TestClosedSession: a closed session says so, also where it was the last one, and
// with another library in its place.
func TestClosedSession(t *testing.T) {
	inChild(t, func(t *testing.T) {
		library := orttest.Require(t)
		closed, err := ort.New(addModel(), ort.Options{Library: library})
		if err != nil {
			t.Fatal(err)
		}
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		x := map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 1, 3), "y": tensor.New(tensor.Float32, 1, 3)}
		if _, err := closed.Run(t.Context(), x); !errors.Is(err, ort.ErrClosed) {
			t.Errorf("without an environment: %v", err)
		}
		open(t, addModel(), ort.Options{})
		if _, err := closed.Run(t.Context(), x); !errors.Is(err, ort.ErrClosed) {
			t.Errorf("in another environment: %v", err)
		}
	})
}

// TestForgottenCall: the collector may find sessions and calls that nobody closed.
func TestForgottenCall(t *testing.T) {
	inChild(t, func(t *testing.T) {
		for range 3 {
			s, err := ort.New(addModel(), ort.Options{Library: orttest.Require(t)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			goruntime.GC() // panics where pinned memory is lost
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// TestCallCancelled stops a run that would never end, and the runs after it.
func TestCallCancelled(t *testing.T) {
	s := open(t, endlessModel(), ort.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	c, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, y := bind(t, tensor.New(tensor.Float32, 2)), bind(t, tensor.New(tensor.Float32, 2))
	for range 2 {
		if err := c.Run([]engine.Value{x}, []engine.Value{y}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want %v", err, context.DeadlineExceeded)
		}
	}
}

// TestCallAllocatesNothing: neither a run nor a new shape.
func TestCallAllocatesNothing(t *testing.T) {
	s := open(t, addModel(), ort.Options{})
	x, y := bind(t, tensor.New(tensor.Float32, 4, 3)), bind(t, tensor.New(tensor.Float32, 4, 3))
	z := bind(t, tensor.New(tensor.Float32, 4, 3))
	c, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, out, rows := []engine.Value{x, x}, []engine.Value{y, z}, 1
	allocs := testing.AllocsPerRun(50, func() {
		rows = rows%4 + 1
		if err := errors.Join(x.Reshape(rows, 3), y.Reshape(rows, 3), z.Reshape(rows, 3), c.Run(in, out)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}
