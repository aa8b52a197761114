package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProductBlocks compares products of integers in blocks with plain sums, of all sets of kernels.
func TestProductBlocks(t *testing.T) {
	everyIntLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 9))
		for _, four := range []bool{false, true} {
			for _, m := range []int{1, 2, 7, expandedRows, 37, 73} {
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
							scratch := make([]float32, BlocksScratch(m, &b))
							for i := range Panels(n) {
								ProductBlocks(memory[32:32+m*n], a, m, &b, i, i+1, scratch)
							}
							for r := range m {
								for c := range n {
									sum, all := 0.0, 1.0
									for i := range k {
										w := float64(values[i*n+c]) * float64(scale[i/size*n+c])
										v := float64(a[r*k+i]) * w
										sum, all = sum+v, all+math.Abs(v)
										if b.digits { // each is rounded by at most half of 1/32639, 1.6e-5, of the largest of its block
											all += 1.6 * math.Abs(w) * largest(a[r*k+i/size*size:][:size])
										}
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

func largest(x []float32) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(float64(v)))
	}
	return most
}

// TestDigitRows: rows in digits have the same bits alone and among others, in blocks of every size, and numbers that are none, or
// are without bounds, reach the sum.
func TestDigitRows(t *testing.T) {
	const rows, n = 73, 40
	rng := rand.New(rand.NewPCG(3, 1))
	for _, size := range []int{16, 32, 128, 256} {
		if !hasDigits(size) {
			t.Skip("no products by digits here")
		}
		for _, four := range []bool{false, true} {
			k := 2 * size
			values, scale := make([]int8, k*n), make([]float32, k/size*n)
			for i := range values {
				if values[i] = int8(rng.IntN(256)); four {
					values[i] = int8(rng.IntN(16) - 8)
				}
			}
			for i := range scale {
				scale[i] = 1
			}
			b := PackBlocks(values, scale, k, n, size, four)
			// Integers up to 32,639, of which one is there, are exact.
			a := make([]float32, rows*k)
			for i := range a {
				if a[i] = float32(rng.IntN(2*32639+1) - 32639); i%size == 0 {
					a[i] = 32639
				}
			}
			scratch := make([]float32, BlocksScratch(rows, &b))
			product := func(a []float32, rows int) []float32 {
				c := make([]float32, rows*n)
				ProductBlocks(c, a, rows, &b, 0, Panels(n), scratch)
				return c
			}
			all := product(a, rows)
			for r := range rows {
				one := product(a[r*k:(r+1)*k], 1)
				for c := range n {
					var blocks [2]int
					for i := range k {
						blocks[i/size] += int(a[r*k+i]) * int(values[i*n+c])
					}
					want := float32(blocks[0]) + float32(blocks[1])
					if got := all[r*n+c]; got != one[c] || got != want {
						t.Fatalf("blocks of %d, 4 bits %v: number %d,%d is %v among others, %v alone, want %v", size, four, r, c, got, one[c], want)
					}
				}
			}
			for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
				a[5*k+size+7] = v
				for c, got := range product(a, rows)[5*n : 6*n] {
					if float64(got)-float64(got) == 0 {
						t.Errorf("blocks of %d, 4 bits %v: column %d of a row with %v is %v", size, four, c, v, got)
					}
				}
			}
			clear(a[:k])
			for c, got := range product(a, 1) {
				if got != 0 {
					t.Errorf("blocks of %d, 4 bits %v: column %d of a row of zeros is %v", size, four, c, got)
				}
			}
		}
	}
}
