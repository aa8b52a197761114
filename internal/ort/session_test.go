package ort_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

func open(t testing.TB, model []byte, opt ort.Options) *ort.Session {
	t.Helper()
	opt.Library = orttest.Require(t)
	if opt.Threads == 0 {
		opt.Threads = 1
	}
	s, err := ort.New(model, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func bind(t testing.TB, x *tensor.Tensor) *ort.Value {
	t.Helper()
	v, err := ort.NewValue(x)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

var tensors = cmp.Comparer(tensor.Equal)

func TestSessionLibrary(t *testing.T) {
	if v := open(t, addModel(), ort.Options{}).Library().Version; !strings.HasPrefix(v, "1.") {
		t.Errorf("library version is %q", v)
	}
}

func TestRun(t *testing.T) {
	f := func(shape []int, v ...float32) *tensor.Tensor { return tensor.Of(v, shape...) }
	tests := []struct {
		name    string
		model   []byte
		inputs  map[string]*tensor.Tensor
		outputs []string
		want    []*tensor.Tensor
	}{
		{
			"all outputs", addModel(),
			map[string]*tensor.Tensor{"x": f([]int{1, 3}, 1, 2, 3), "y": f([]int{1, 3}, 10, 20, 30)}, nil,
			[]*tensor.Tensor{f([]int{1, 3}, 11, 22, 33), f([]int{1, 3}, 2, 4, 6)},
		},
		{
			"chosen outputs", addModel(),
			map[string]*tensor.Tensor{"x": f([]int{1, 3}, 1, 2, 3), "y": f([]int{1, 3}, 10, 20, 30)}, []string{"twice"},
			[]*tensor.Tensor{f([]int{1, 3}, 2, 4, 6)},
		},
		{
			"empty past", concatModel(),
			map[string]*tensor.Tensor{"past": tensor.New(tensor.Float32, 1, 2, 0, 4),
				"new": f([]int{1, 2, 1, 4}, 1, 2, 3, 4, 5, 6, 7, 8)}, nil,
			[]*tensor.Tensor{f([]int{1, 2, 1, 4}, 1, 2, 3, 4, 5, 6, 7, 8)},
		},
		{
			"empty result", concatModel(),
			map[string]*tensor.Tensor{"past": tensor.New(tensor.Float32, 1, 2, 0, 4),
				"new": tensor.New(tensor.Float32, 1, 2, 0, 4)}, nil,
			[]*tensor.Tensor{tensor.New(tensor.Float32, 1, 2, 0, 4)},
		},
		{
			"rank 0", identityModel(onnxFloat),
			map[string]*tensor.Tensor{"x": tensor.Of([]float32{7})}, nil,
			[]*tensor.Tensor{tensor.Of([]float32{7})},
		},
		{
			"dynamic float16", identityModel(onnxFloat16, "n"),
			map[string]*tensor.Tensor{"x": tensor.Of([]uint16{0x3c00, 0xc000}, 2)}, nil,
			[]*tensor.Tensor{tensor.Of([]uint16{0x3c00, 0xc000}, 2)},
		},
		{
			"bool", identityModel(onnxBool, "n"),
			map[string]*tensor.Tensor{"x": tensor.Of([]bool{true, false, true}, 3)}, nil,
			[]*tensor.Tensor{tensor.Of([]bool{true, false, true}, 3)},
		},
		{
			"int64", identityModel(onnxInt64, "n"),
			map[string]*tensor.Tensor{"x": tensor.Of([]int64{-1, 1 << 40}, 2)}, nil,
			[]*tensor.Tensor{tensor.Of([]int64{-1, 1 << 40}, 2)},
		},
		{
			"static float16", identityModel(onnxFloat16, 2),
			map[string]*tensor.Tensor{"x": tensor.Of([]uint16{0x3c00, 0xc000}, 2)}, nil,
			[]*tensor.Tensor{tensor.Of([]uint16{0x3c00, 0xc000}, 2)},
		},
		{
			"empty float16", identityModel(onnxFloat16, 0, 2),
			map[string]*tensor.Tensor{"x": tensor.New(tensor.Float16, 0, 2)}, nil,
			[]*tensor.Tensor{tensor.New(tensor.Float16, 0, 2)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.model, ort.Options{Outputs: tt.outputs})
			got, err := s.Run(t.Context(), tt.inputs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, tensors); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRunValues(t *testing.T) {
	s := open(t, concatModel(), ort.Options{Outputs: []string{"present"}})
	past, next := tensor.New(tensor.Float32, 1, 2, 0, 4), tensor.New(tensor.Float32, 1, 2, 1, 4)
	for i := range 3 { // a cache that grows from nothing
		for j := range tensor.Data[float32](next) {
			tensor.Data[float32](next)[j] = float32(10*i + j)
		}
		present := tensor.New(tensor.Float32, 1, 2, i+1, 4)
		if err := s.RunValues(t.Context(), []engine.Value{bind(t, past), bind(t, next)},
			[]engine.Value{bind(t, present)}); err != nil {
			t.Fatal(err)
		}
		past = present
	}
	want := []float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 4, 5, 6, 7, 14, 15, 16, 17, 24, 25, 26, 27}
	if diff := cmp.Diff(want, tensor.Data[float32](past)); diff != "" {
		t.Error(diff)
	}

	empty := tensor.New(tensor.Float32, 1, 2, 0, 4)
	if err := s.RunValues(t.Context(), []engine.Value{bind(t, empty), bind(t, empty)},
		[]engine.Value{bind(t, empty.Clone())}); err != nil {
		t.Errorf("empty output: %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	s := open(t, addModel(), ort.Options{})
	x := tensor.New(tensor.Float32, 1, 3)
	tests := []struct {
		name   string
		inputs map[string]*tensor.Tensor
		want   string
	}{
		{"dtype", map[string]*tensor.Tensor{"x": x, "y": tensor.New(tensor.Int64, 1, 3)},
			"input y float32[batch,3] does not take int64[1,3]"},
		{"rank", map[string]*tensor.Tensor{"x": x, "y": tensor.New(tensor.Float32, 3)},
			"input y float32[batch,3] does not take float32[3]"},
		{"static dim", map[string]*tensor.Tensor{"x": x, "y": tensor.New(tensor.Float32, 1, 4)},
			"input y float32[batch,3] does not take float32[1,4]"},
		{"shapes that do not fit", map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2, 3),
			"y": tensor.New(tensor.Float32, 5, 3)}, "ort: run: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Run(t.Context(), tt.inputs)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
		})
	}
	v := bind(t, x)
	if err := s.RunValues(t.Context(), []engine.Value{v, v}, []engine.Value{v, nil}); err == nil ||
		!strings.Contains(err.Error(), "output twice float32[batch,3] is nil") {
		t.Errorf("nil output: %v", err)
	}
	if err := s.RunValues(t.Context(), []engine.Value{v}, []engine.Value{v, v}); err == nil {
		t.Error("a missing positional input was accepted")
	}
	closed := bind(t, x)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.RunValues(t.Context(), []engine.Value{v, closed}, []engine.Value{v, v}); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("closed value: %v", err)
	}
}

func TestNewErrors(t *testing.T) {
	library := orttest.Require(t)
	noInput := graph{
		nodes:        []message{node("Identity", []string{"c"}, []string{"y"})},
		initializers: []message{int64s("c", 1, 1)},
		inputs:       []message{value("c", onnxInt64, 1)},
		outputs:      []message{value("y", onnxInt64, 1)},
	}.model()
	badOp := graph{
		nodes:   []message{node("NoSuchOp", []string{"x"}, []string{"y"})},
		inputs:  []message{value("x", onnxFloat, 1)},
		outputs: []message{value("y", onnxFloat, 1)},
	}.model()
	tests := []struct {
		name  string
		model []byte
		opt   ort.Options
		want  string
	}{
		{"empty", nil, ort.Options{}, "the model has no input"},
		{"unknown op", badOp, ort.Options{}, "NoSuchOp"},
		{"no input", noInput, ort.Options{}, "the model has no input; it needs at least one"},
		{"output name", addModel(), ort.Options{Outputs: []string{"nope"}}, "the outputs  are not names that differ"},
		{"output twice", addModel(), ort.Options{Outputs: []string{"sum", "sum"}}, "the outputs sum, sum are not names that differ"},
		{"provider", addModel(), ort.Options{Provider: "tpu"}, `unknown provider "tpu", known are cpu, cuda and webgpu`},
		{"threads", addModel(), ort.Options{Threads: -1}, "threads is -1"},
		{"too many threads", addModel(), ort.Options{Threads: engine.MaxThreads() + 1}, "but this machine has"},
		{"library", addModel(), ort.Options{Library: "/no/such/library"}, "/no/such/library"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.opt.Library == "" {
				tt.opt.Library = library
			}
			s, err := ort.New(tt.model, tt.opt)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %q, want it to contain %q", err, tt.want)
			}
		})
	}
}

// TestCUDAWithoutProvider holds on machines whose library is the CPU build.
func TestCUDAWithoutProvider(t *testing.T) {
	library := orttest.Require(t)
	_, unusable, err := ort.Probe("cuda", library)
	if err != nil {
		t.Fatal(err)
	}
	if unusable == nil {
		t.Skip("this machine has the CUDA provider")
	}
	_, err = ort.New(addModel(), ort.Options{Library: library, Provider: "cuda"})
	if !errors.Is(err, engine.ErrNoProvider) {
		t.Errorf("error %v is no ErrNoProvider", err)
	}
	if err == nil || !strings.Contains(err.Error(), "provider cuda: ") ||
		!strings.Contains(err.Error(), "zoo setup --provider cuda") {
		t.Errorf("error is %v, want what is missing and the remedy", err)
	}
}

func TestOptions(t *testing.T) {
	x := tensor.Of([]float32{1, 2, 3}, 1, 3)
	for _, opt := range []ort.Options{{NoSpinning: true, Threads: 2}, {Training: true, Threads: 2}} {
		s := open(t, addModel(), opt)
		got, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float32{2, 4, 6}, tensor.Data[float32](got[0])); diff != "" {
			t.Errorf("%+v: %s", opt, diff)
		}
	}
	s := open(t, addModel(), ort.Options{Outputs: []string{"twice", "sum"}})
	if s.Outputs()[0].Name != "twice" || s.Outputs()[1].Name != "sum" {
		t.Errorf("outputs are %v", s.Outputs())
	}
}

// Denormal numbers become 0 in a session's runs, of training too, in all of its threads, and nowhere else: not in Go on the
// thread that ran.
func TestFlushDenormals(t *testing.T) {
	threads := 2
	if goruntime.GOARCH != "amd64" {
		threads = 1 // ONNX Runtime sets the mode of its own threads on no other processor
	}
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	const denormal = float32(1e-40)
	x := tensor.New(tensor.Float32, 1<<18, 3) // enough for two threads
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = denormal
	}
	twice := func(s *ort.Session) []float32 {
		got, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x})
		if err != nil {
			t.Fatal(err)
		}
		return tensor.Data[float32](got[0])
	}
	for _, training := range []bool{false, true} {
		for i, v := range twice(open(t, addModel(), ort.Options{Threads: threads, Training: training})) {
			if v != 0 {
				t.Fatalf("training %v: element %d is %g, want 0", training, i, v)
			}
		}
		if half := tensor.Data[float32](x)[0] * 0.5; half == 0 {
			t.Fatal("a denormal number is 0 in Go after a run")
		}
	}
}

func TestProfile(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "trace")
	s := open(t, addModel(), ort.Options{ProfilePrefix: prefix})
	x := tensor.New(tensor.Float32, 1, 3)
	if _, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(prefix + "*.json")
	if len(files) != 1 {
		t.Fatalf("traces: %v", files)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), "CPUExecutionProvider") {
		t.Errorf("the trace names no provider (%v)", err)
	}
}

func TestCancel(t *testing.T) {
	s := open(t, endlessModel(), ort.Options{})
	x := map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 2)}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	// Without termination this would never return.
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx, x); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled while running: %v", err)
	}
}

func TestConcurrentRuns(t *testing.T) {
	s := open(t, addModel(), ort.Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				a := float32(g*1000 + i)
				x := tensor.Of([]float32{a, a, a}, 1, 3)
				got, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x})
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff([]float32{2 * a, 2 * a, 2 * a}, tensor.Data[float32](got[0])); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestCloseWhileRunning(t *testing.T) {
	s := open(t, addModel(), ort.Options{})
	x := tensor.New(tensor.Float32, 1, 3)
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				_, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x})
				if i == 0 {
					started <- struct{}{}
				}
				if err != nil {
					if !errors.Is(err, ort.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range 4 {
		<-started
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func BenchmarkRunValues(b *testing.B) {
	s := open(b, addModel(), ort.Options{})
	x, y := bind(b, tensor.New(tensor.Float32, 1, 3)), bind(b, tensor.New(tensor.Float32, 1, 3))
	in := []engine.Value{x, y}
	out := []engine.Value{bind(b, tensor.New(tensor.Float32, 1, 3)), bind(b, tensor.New(tensor.Float32, 1, 3))}
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": context.Background(), "cancellable": cancellable} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.RunValues(ctx, in, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewValue(b *testing.B) {
	open(b, addModel(), ort.Options{})
	x := tensor.New(tensor.Float32, 1, 3)
	b.ReportAllocs()
	for b.Loop() {
		v, err := ort.NewValue(x)
		if err != nil {
			b.Fatal(err)
		}
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReopen measures a session that is the process's only one: it loads
// and unloads the library each time.
func BenchmarkReopen(b *testing.B) {
	library := orttest.Require(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := ort.New(addModel(), ort.Options{Library: library, Threads: 1})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNilContext(t *testing.T) {
	var none context.Context
	s := open(t, addModel(), ort.Options{})
	_, begin := s.Begin(none)
	x := tensor.New(tensor.Float32, 1, 3)
	_, run := s.Run(none, map[string]*tensor.Tensor{"x": x, "y": x})
	for name, err := range map[string]error{"begin": begin, "run": run} {
		if err == nil || !strings.Contains(err.Error(), "the context is nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
