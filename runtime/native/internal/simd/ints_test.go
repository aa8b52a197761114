package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProductInts compares products of integers with plain sums, of all sets of kernels, up
// to the largest weights and beyond those whose sums fit in 16 bits.
func TestProductInts(t *testing.T) {
	everyIntLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, most := range []int{64, 127} {
			for _, m := range []int{1, 3, 4, 5, 8, 9, 17} {
				for _, k := range []int{0, 1, 3, 4, 5, 8, 11, 36, 64} {
					for _, n := range []int{1, 16, 31, 32, 33, 64, 70} {
						a, b := make([]uint8, m*k), make([]int8, k*n)
						for i := range a {
							a[i] = uint8(255 * rng.IntN(2))
							if rng.IntN(2) == 0 {
								a[i] = uint8(rng.IntN(256))
							}
						}
						for i := range b {
							b[i] = int8([]int{most, -most, rng.IntN(2*most+1) - most}[rng.IntN(3)])
						}
						p, zero := PackInts(b, k, n), uint8(rng.IntN(256))
						memory := slices.Repeat([]int32{7}, m*n+64)
						for i := range Panels(n) {
							ProductInts(memory[32:32+m*n], a, m, &p, zero, i, i+1)
						}
						for r := range m {
							for c := range n {
								sum := int32(0)
								for i := range k {
									sum += (int32(a[r*k+i]) - int32(zero)) * int32(b[i*n+c])
								}
								if got := memory[32+r*n+c]; got != sum {
									t.Fatalf("[%d,%d]·[%d,%d] up to %d: number %d,%d is %d, want %d", m, k, k, n, most, r, c, got, sum)
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
	})
}

// TestQuantize covers ties, bounds and numbers beyond all integers.
func TestQuantize(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		var x []float32
		for v := float32(-300); v <= 300; v += 0.25 {
			x = append(x, v)
		}
		x = append(x, 1e30, -1e30, float32(math.Inf(1)), float32(math.Inf(-1)))
		for _, zero := range []uint8{0, 128, 255} {
			for n := range 20 {
				out := slices.Repeat([]uint8{7}, len(x)-n+1)
				Quantize(out[:len(x)-n], x[n:], 0.5, zero)
				for i, v := range x[n:] {
					want := uint8(max(0, min(255, math.RoundToEven(float64(v)*2)+float64(zero))))
					if out[i] != want {
						t.Fatalf("%v around %d is %d, want %d", v, zero, out[i], want)
					}
				}
				if out[len(x)-n] != 7 {
					t.Fatal(fmt.Sprint("writes beyond the result of ", len(x)-n))
				}
			}
		}
	})
}

// TestWide: two products with weights beyond ±64 may not fit in 16 bits.
func TestWide(t *testing.T) {
	for v, want := range map[int8]bool{0: false, 64: false, -64: false, 65: true, -65: true, 127: true, -128: true} {
		if p := PackInts([]int8{1, v, -1}, 3, 1); p.wide != want {
			t.Errorf("%d is wide: %v", v, p.wide)
		}
		if p := PackInts([]int8{v, 0}, 1, 2); p.wide != want {
			t.Errorf("%d before another is wide: %v", v, p.wide)
		}
	}
}
