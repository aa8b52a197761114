package train_test

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
)

// ONNX Runtime adds gradients to earlier ones in the memory of those, to the same bits
// as an addition afterwards: it does not fuse it with the product before, which would
// round differently.
func TestSumsInPlace(t *testing.T) {
	orttest.Require(t)
	for _, row := range pe.Table() {
		t.Run(row.Name, func(t *testing.T) { testSums(t, row.Name) })
	}
}

func testSums(t *testing.T, encoding string) {
	cfg := micro(encoding, 1)
	cfg.Train.Batch = 64
	m, g, batches := firstStep(t, cfg)
	var file bytes.Buffer
	if err := export.Write(&file, g, nil, export.Options{ParamsAsInputs: true}); err != nil {
		t.Fatal(err)
	}
	s, err := orttest.Load(file.Bytes(), engine.Options{Threads: 2, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := perturbed(m)
	for name, x := range feed(g, batches[0]) {
		all[name] = x
	}
	loss := tensor.New(tensor.Float32, 1)
	// run returns the sums, which lie where the earlier gradients were.
	run := func(earlier func(n int) *tensor.Tensor) map[string]*tensor.Tensor {
		tensors, sums := maps.Clone(all), map[string]*tensor.Tensor{}
		for _, p := range m.Params() {
			sums[p.Name] = tensor.Of(tensor.Data[float32](earlier(tensor.Numel(p.Shape))), p.Shape...)
			tensors["earlier."+p.Name], tensors["grad."+p.Name] = sums[p.Name], sums[p.Name]
		}
		for _, out := range s.Outputs {
			if !strings.HasPrefix(out.Name, "grad.") {
				tensors[out.Name] = loss
			}
		}
		if err := s.Run(t.Context(), tensors); err != nil {
			t.Fatal(err)
		}
		return sums
	}
	alone := run(func(n int) *tensor.Tensor {
		x := tensor.New(tensor.Float32, n)
		for i := range tensor.Data[float32](x) {
			tensor.Data[float32](x)[i] = float32(math.Copysign(0, -1))
		}
		return x
	})
	draw := func(seed uint64) func(n int) *tensor.Tensor {
		rng := rand.New(rand.NewPCG(seed, 1))
		return func(n int) *tensor.Tensor { return graphtest.Normal(rng, n) }
	}
	sums, again := run(draw(5)), draw(5)
	for _, p := range m.Params() {
		want, got := tensor.Data[float32](again(tensor.Numel(p.Shape))), tensor.Data[float32](sums[p.Name])
		for i, part := range tensor.Data[float32](alone[p.Name]) {
			if math.Float32bits(want[i]+part) != math.Float32bits(got[i]) {
				t.Fatalf("%s[%d] is %v, want %v + %v = %v", p.Name, i, got[i], want[i], part, want[i]+part)
			}
		}
	}
}

// A layer's gradients are made before the backward pass reaches the layer below: were
// they left to the end, what they need would stay.
func TestGradientsComeEarly(t *testing.T) {
	cfg := micro("nope", 1)
	prefix := filepath.Join(t.TempDir(), "trace")
	orttest.Require(t)
	r, err := train.New(t.TempDir(), cfg, train.Options{ProfilePrefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	losses(t, r)
	r.Close()
	files, err := filepath.Glob(prefix + "*")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	last, below := -1.0, math.Inf(1)
	for _, e := range readTrace(t, files[0]) {
		if e.Args.Op == "Gemm" && strings.HasPrefix(e.Name, "/grad/layers.1/") {
			last = max(last, e.Start)
		}
		if strings.HasPrefix(e.Name, "/grad/layers.0/mlp/") {
			below = min(below, e.Start)
		}
	}
	if last < 0 || last > below {
		t.Errorf("the last product of layer 1's gradients is made %v µs after layer 0's begin", last-below)
	}
}
