package train_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
)

// BenchmarkOptimizer times an update of the presets' weights in Go and by the update graph,
// which take turns on gradients of the same sizes: graph/go above 1 says that Go is faster.
// The gradients of both lanes are added up in it.
func BenchmarkOptimizer(b *testing.B) {
	orttest.Require(b)
	for _, name := range []string{"tiny", "small", "base"} {
		b.Run(name, func(b *testing.B) {
			cfg, m := resolved(b, preset(b, name))
			inGo, inGraph, done, err := train.Updates(train.WithThreads(cfg, runtime.NumCPU()), m)
			if err != nil {
				b.Fatal(err)
			}
			defer done()
			var times [2][]time.Duration
			for number := 1; b.Loop(); number++ {
				for i, update := range []func(int) error{inGo, inGraph} {
					start := time.Now()
					if err := update(number); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			var ratios []float64
			for i, t := range times[0] {
				ratios = append(ratios, times[1][i].Seconds()/t.Seconds())
			}
			b.ReportMetric(1e3*median(times[0]).Seconds(), "go-ms")
			b.ReportMetric(1e3*median(times[1]).Seconds(), "graph-ms")
			b.ReportMetric(median(ratios), "graph/go")
			b.ReportMetric(float64(models.Count(m.Params()))/1e6, "Mweights")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median[T time.Duration | float64](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}
