package bench

import (
	"bytes"
	"cmp"
	"context"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// peakRepeats is how often a peak is measured; the best counts.
const peakRepeats = 10

// measurePeaks measures what this machine can do with so many threads (0: one
// per core): the rate of a large matrix product through an engine, and the
// bandwidth of main memory.
func measurePeaks(ctx context.Context, e engine.Engine, threads int, library string) (eval.Peaks, error) {
	flops, err := matrixRate(ctx, e, engine.Options{Provider: engine.CPU, Threads: threads, Library: library})
	if err != nil {
		return eval.Peaks{}, err
	}
	threads = cmp.Or(threads, goruntime.NumCPU())
	return eval.Peaks{FLOPS: flops, Bandwidth: bandwidth(threads)}, nil
}

// matrixRate is in floating-point operations per second.
func matrixRate(ctx context.Context, e engine.Engine, opt engine.Options) (float64, error) {
	const m, k, n = 2048, 1024, 1024
	b := graph.NewBuilder()
	x, w := b.Input("x", tensor.Float32, graph.N(m), graph.N(k)), b.Input("w", tensor.Float32, graph.N(k), graph.N(n))
	g, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, w)})
	if err != nil {
		return 0, err
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, nil, export.Options{}); err != nil {
		return 0, err
	}
	parsed, err := safety.Check(file.Bytes(), safety.Options{})
	if err != nil {
		return 0, err
	}
	ports := []card.Port{{Name: "x"}, {Name: "w"}, {Name: "y"}}
	model, err := e.Open(engine.File{Parsed: parsed, Inputs: ports[:2], Outputs: ports[2:]}, opt)
	if err != nil {
		return 0, err
	}
	defer model.Close()
	values := make([]engine.Value, len(ports))
	for i, shape := range [][]int{{m, k}, {k, n}, {m, n}} {
		t := tensor.New(tensor.Float32, shape...)
		for i, data := 0, tensor.Data[float32](t); i < len(data); i++ {
			data[i] = float32(i%7) - 3
		}
		if values[i], err = model.Bind(t); err != nil {
			return 0, err
		}
		defer values[i].Close()
	}
	call, err := model.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer call.Close()
	best := time.Duration(1<<63 - 1)
	for range peakRepeats {
		start := time.Now()
		if err := call.Run(values[:2], values[2:]); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return 2 * m * k * n / best.Seconds(), nil
}

// bandwidth is in bytes per second: the better of copying (one read and one
// write) and a = b + s·c (two reads and a write) over arrays that no cache
// holds, as in McCalpin's STREAM.
func bandwidth(threads int) float64 {
	const n = 8 << 20 // 64 MiB each
	a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
	defer debug.FreeOSMemory()
	best := 0.0
	for i := range b {
		b[i], c[i] = 1, float64(i)
	}
	for range peakRepeats {
		for _, kernel := range []struct {
			bytes float64
			run   func(from, to int)
		}{
			{16 * n, func(from, to int) { copy(a[from:to], b[from:to]) }},
			{24 * n, func(from, to int) { triad(a[from:to], b[from:to], c[from:to]) }},
		} {
			best = max(best, kernel.bytes/spread(threads, n, kernel.run).Seconds())
		}
	}
	return best
}

func triad(a, b, c []float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range a {
		a[i] = b[i] + 3*c[i]
	}
}

// spread runs parts of 0..n side by side and returns how long that took.
func spread(threads, n int, run func(from, to int)) time.Duration {
	var group sync.WaitGroup
	start := time.Now()
	for i := range threads {
		group.Go(func() { run(i*n/threads, (i+1)*n/threads) })
	}
	group.Wait()
	return time.Since(start)
}
