package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProductBlocks compares products of integers in blocks with plain sums, of all sets of kernels.
func TestProductBlocks(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 9))
		for _, four := range []bool{false, true} {
			for _, m := range []int{1, 2, 7, expandedRows, 37} {
				for _, size := range []int{2, 16, 32} {
					for _, blocks := range []int{0, 1, 3} {
						for _, n := range []int{1, 31, 32, 33, 70} {
							k := blocks * size
							a, values, scale := make([]float32, m*k), make([]int8, k*n), make([]float32, blocks*n)
							for i := range a {
								a[i] = float32(rng.NormFloat64())
							}
							for i := range values {
								if values[i] = int8(rng.IntN(256)); four {
									values[i] = int8(rng.IntN(16) - 8)
								}
							}
							for i := range scale {
								scale[i] = float32(rng.NormFloat64())
							}
							b := PackBlocks(values, scale, k, n, size, four)
							memory := slices.Repeat([]float32{7}, m*n+64)
							scratch := make([]float32, BlocksScratch(m, k))
							for i := range Panels(n) {
								ProductBlocks(memory[32:32+m*n], a, m, &b, i, i+1, scratch)
							}
							for r := range m {
								for c := range n {
									sum, all := 0.0, 1.0
									for i := range k {
										v := float64(a[r*k+i]) * float64(values[i*n+c]) * float64(scale[i/size*n+c])
										sum, all = sum+v, all+math.Abs(v)
									}
									if got := float64(memory[32+r*n+c]); !(math.Abs(got-sum) < 1e-5*all) {
										t.Fatalf("[%d,%d]·[%d,%d] in blocks of %d, of 4 bits: %v: number %d,%d is %g, want %g",
											m, k, k, n, size, four, r, c, got, sum)
									}
								}
							}
							for i, v := range memory {
								if (i < 32 || i >= 32+m*n) && v != 7 {
									t.Fatalf("[%d,%d]·[%d,%d] writes beyond the result", m, k, k, n)
								}
							}
						}
					}
				}
			}
		}
	})
}
