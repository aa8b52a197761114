package train_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

var operators = flag.Bool("operators", false, "print what each operator of a step takes")

// BenchmarkStep times whole training steps (gradients and optimizer) of the presets on
// 64 sequences of 64 random tokens, and relates their matrix work to the rate of one
// matrix product through the same ONNX Runtime in the same process. Padding is as in
// the preset's own data.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"small", "base"} {
		for _, encoding := range models.Encodings() {
			if name == "base" && encoding != "nope" {
				continue
			}
			for _, rate := range []float64{0, 0.1} {
				if rate > 0 && encoding != "nope" {
					continue
				}
				b.Run(fmt.Sprintf("%s/%s/dropout=%v", name, encoding, rate), func(b *testing.B) {
					cfg := preset(b, name)
					cfg.Model.Architecture, cfg.Model.Encoding, cfg.Train.Dropout = "", encoding, rate
					cfg.Train.CheckpointEvery = 1 << 30
					benchStep(b, cfg, 64, 64)
				})
			}
		}
	}
}

// BenchmarkWindows is BenchmarkStep of the preset small for as many tokens in windows of text of two lengths.
func BenchmarkWindows(b *testing.B) {
	for _, width := range []int{512, 2048} {
		b.Run(fmt.Sprintf("small/nope/%d", width), func(b *testing.B) {
			cfg := preset(b, "small")
			cfg.Train.Lengths, cfg.Train.CheckpointEvery = fmt.Sprintf("%d..%d", width, width), 1<<30
			benchStep(b, cfg, 1<<13/width, width)
		})
	}
}

func benchStep(b *testing.B, cfg runfile.Config, batch, width int) {
	orttest.Require(b)
	var o train.Options
	if *operators {
		o.ProfilePrefix = filepath.Join(b.TempDir(), "trace")
	}
	r, err := train.New(b.TempDir(), cfg, o)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	memory, err := eval.ProcessMemory()
	if err != nil {
		b.Fatal(err)
	}
	data := randomStep(batch, width, r.Config())
	flops := stepFLOPs(b, r.Config(), batch, width)
	peak := matmulRate(b)
	debug.FreeOSMemory() // that of the product is none of the steps'
	memory.Reset()
	var steps []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := train.Update(r, data); err != nil {
			b.Fatal(err)
		}
		steps = append(steps, time.Since(start))
	}
	bytes, _, err := memory.Peak()
	if err != nil {
		b.Fatal(err)
	}
	peak = max(peak, matmulRate(b))
	slices.Sort(steps)
	seconds := steps[len(steps)/2].Seconds()
	b.ReportMetric(float64(batch*width)/seconds, "tok/s")
	b.ReportMetric(flops/seconds/1e9, "GFLOP/s")
	b.ReportMetric(peak/1e9, "peak-GFLOP/s")
	b.ReportMetric(flops/seconds/peak, "of-peak")
	b.ReportMetric(100*padding(b, r.Config()), "%padding")
	b.ReportMetric(float64(bytes)/1e6, "peak-MB")
	b.ReportMetric(0, "ns/op")
	if *operators {
		r.Close()
		printOperators(b, o.ProfilePrefix, len(steps))
	}
}

// randomStep makes the runs of a step, as many as the configuration cuts it into.
func randomStep(batch, width int, cfg runfile.Config) (data []train.Batch) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := batch
	if n := cfg.Train.MicroTokens; n > 0 {
		rows = min(max(n/width, 1), batch)
	}
	for done := 0; done < batch; done += rows {
		n := min(rows, batch-done)
		b := train.Batch{
			IDs: tensor.New(tensor.Int64, n, width), Positions: tensor.New(tensor.Int64, n, width),
			Labels: tensor.New(tensor.Int64, n, width), Weights: tensor.New(tensor.Float32, n, width),
			Tokens: n * width, First: done,
		}
		for i := range n * width {
			tensor.Data[int64](b.IDs)[i] = rng.Int64N(int64(cfg.Model.VocabSize))
			tensor.Data[int64](b.Labels)[i] = rng.Int64N(int64(cfg.Model.VocabSize))
			tensor.Data[int64](b.Positions)[i] = int64(i % width)
			tensor.Data[float32](b.Weights)[i] = 1 / float32(batch*width)
		}
		data = append(data, b)
	}
	return data
}

// stepFLOPs counts the matrix work of the model's step, in one part or in several.
func stepFLOPs(b *testing.B, cfg runfile.Config, batch, width int) float64 {
	m, err := models.New(cfg.Model)
	if err != nil {
		b.Fatal(err)
	}
	steps := 0
	if a, err := models.ArchitectureOf(cfg.Model); err == nil && a.Unrolled {
		steps = width
	}
	g, err := train.StepGraph(m, models.Mode{Steps: steps, Dropout: cfg.Train.Dropout})
	if err != nil {
		b.Fatal(err)
	}
	flops, err := g.MatrixFLOPs(map[string]int{"batch": batch, "seq": width})
	if err != nil {
		b.Fatal(err)
	}
	return flops
}

// matmulRate is the median rate of [4096,1024] × [1024,1024] through ONNX
// Runtime, in FLOP/s.
func matmulRate(b *testing.B) float64 {
	const m, k, n = 4096, 1024, 1024
	gb := graph.NewBuilder()
	y := gb.MatMul(
		gb.Input("x", tensor.Float32, graph.N(m), graph.N(k)),
		gb.Input("w", tensor.Float32, graph.N(k), graph.N(n)))
	g, err := gb.Build(graph.Output{Name: "y", Node: y})
	if err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, nil, export.Options{}); err != nil {
		b.Fatal(err)
	}
	s, err := orttest.Load(buf.Bytes(), engine.Options{Training: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	fill := func(shape ...int) *tensor.Tensor {
		t := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](t) {
			tensor.Data[float32](t)[i] = float32(i%7) - 3
		}
		return t
	}
	tensors := map[string]*tensor.Tensor{"x": fill(m, k), "w": fill(k, n), "y": fill(m, n)}
	var times []time.Duration
	for range 15 {
		start := time.Now()
		if err := s.Run(b.Context(), tensors); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return 2 * m * k * n / times[len(times)/2].Seconds()
}
