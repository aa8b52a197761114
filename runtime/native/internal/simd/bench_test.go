package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// BenchmarkProduct gives the multiply-adds a nanosecond of products with a packed matrix, by
// each set of kernels that the processor has, and gonum's, which the
// interpreter uses.
func BenchmarkProduct(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	const k, n = 256, 1024
	w := numbers(rng, k*n)
	p := Pack(make([]float32, PackedSize(k, n)), w, k, n, k, true)
	for _, m := range []int{1, 6, 32, 512} {
		a, c := numbers(rng, m*k), make([]float32, m*n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/rows=%d", name, m), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.N*m*k*n)/float64(b.Elapsed().Nanoseconds()), "madd/ns")
			})
		}
		forLevels(func(name string) { run(name, func() { Product(c, a, m, &p, 0, Panels(n)) }) })
		run("gonum", func() {
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, blas32.General{Rows: m, Cols: k, Stride: k, Data: a},
				blas32.General{Rows: n, Cols: k, Stride: k, Data: w}, 0, blas32.General{Rows: m, Cols: n, Stride: n, Data: c})
		})
	}
}

// BenchmarkDots gives the multiply-adds a nanosecond of a query's products with 256 keys, by
// each set of kernels that the processor has.
func BenchmarkDots(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	const k, keys = 24, 256
	q, rows, out := numbers(rng, k), numbers(rng, keys*k), make([]float32, keys)
	forLevels(func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Dots(out, q, rows, k)
			}
			b.ReportMetric(float64(b.N*k*keys)/float64(b.Elapsed().Nanoseconds()), "madd/ns")
		})
	})
}
