package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyLevel runs f with each set of kernels.
func everyLevel(t *testing.T, f func(t *testing.T)) { forLevels(func(name string) { t.Run(name, f) }) }

func numbers(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// close wants numbers to agree except for rounding in sums of terms of such a size.
func closeTo(t *testing.T, what string, got, want []float32, size float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if d := math.Abs(float64(v) - float64(want[i])); !(d <= 1e-6*size) && !(v != v && want[i] != want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, v, want[i])
		}
	}
}

// TestProducts compares all forms of products with sums in float64, of each set of kernels.
// Margins around results say that nothing else is written.
func TestProducts(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, m := range []int{1, 2, 5, 6, 7, 8, 9, 16, 23} {
			for _, k := range []int{0, 1, 2, 3, 8, 9, 16, 33, 36, 64} {
				for _, n := range []int{1, 5, 8, 15, 16, 17, 24, 31, 32, 33, 41, 48, 63, 64, 100} {
					a, b := numbers(rng, m*k), numbers(rng, k*n)
					want, flipped := make([]float32, m*n), make([]float32, k*n)
					for r := range m {
						for c := range n {
							sum := 0.0
							for i := range k {
								sum += float64(a[r*k+i]) * float64(b[i*n+c])
								flipped[c*k+i] = b[i*n+c]
							}
							want[r*n+c] = float32(sum)
						}
					}
					what := fmt.Sprintf("[%d,%d]·[%d,%d]", m, k, k, n)
					size := 10 * math.Sqrt(float64(k)+1)
					check := func(form string, f func(c []float32)) {
						t.Helper()
						memory := make([]float32, m*n+64)
						for i := range memory {
							memory[i] = 7
						}
						f(memory[32 : 32+m*n])
						closeTo(t, form+" "+what, memory[32:32+m*n], want, size)
						for i, v := range memory {
							if (i < 32 || i >= 32+m*n) && v != 7 {
								t.Fatalf("%s %s writes beyond the result", form, what)
							}
						}
					}
					memory := numbers(rng, PackedSize(k, n))
					p := Pack(memory, b, k, n, n, false)
					check("packed", func(c []float32) { Product(c, a, m, &p, 0, Panels(n)) })
					p = Pack(memory, flipped, k, n, k, true)
					check("packed transposed, in turns", func(c []float32) {
						for i := range Panels(n) {
							Product(c, a, m, &p, i, i+1)
						}
					})
					check("rows", func(c []float32) { Rows(c, a, m, b, k, n) })
					check("dots", func(c []float32) {
						for r := range m {
							Dots(c[r*n:][:n], a[r*k:][:k], flipped, k)
						}
					})
				}
			}
		}
	})
}

// TestProductInParts has rows that are shared among threads: tiles of their own change no bit.
func TestProductInParts(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		const k = 64
		for _, n := range []int{7, 8, 16, 24, 32, 40, 64, 96, 100} {
			b := numbers(rng, k*n)
			packed := Pack(numbers(rng, PackedSize(k, n)), b, k, n, n, false)
			for name, tt := range map[string]struct {
				columns int
				product func(c, a []float32, rows int)
			}{
				"Product": {Panel, func(c, a []float32, rows int) { Product(c, a, rows, &packed, 0, Panels(n)) }},
				"Rows":    {n, func(c, a []float32, rows int) { Rows(c, a, rows, b, k, n) }},
			} {
				for rows := 1; rows <= 6*maxRows+2; rows++ {
					a, whole, parts := numbers(rng, rows*k), make([]float32, rows*n), make([]float32, rows*n)
					tt.product(whole, a, rows)
					for from := 0; from < rows; from += TileRows(tt.columns) {
						to := min(from+TileRows(tt.columns), rows)
						tt.product(parts[from*n:], a[from*k:], to-from)
					}
					if !slices.Equal(whole, parts) {
						t.Errorf("%s, %d rows, %d columns: parts differ from the whole", name, rows, n)
					}
				}
			}
		}
	})
}

// TestVectors compares functions of vectors with plain ones, at all lengths.
func TestVectors(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for n := 1; n < 70; n++ {
			x, y, memory, want := numbers(rng, n), numbers(rng, n), make([]float32, n+32), make([]float32, n)
			z := memory[16 : 16+n] // with margins, which must stay
			for _, tt := range []struct {
				name string
				f    func()
				want func(x, y float32) float32
			}{
				{"add", func() { Add(z, x, y) }, func(x, y float32) float32 { return x + y }},
				{"sub", func() { Sub(z, x, y) }, func(x, y float32) float32 { return x - y }},
				{"mul", func() { Mul(z, x, y) }, func(x, y float32) float32 { return x * y }},
				{"div", func() { Div(z, x, y) }, func(x, y float32) float32 { return x / y }},
				{"addWith", func() { AddWith(z, x, 3) }, func(x, _ float32) float32 { return x + 3 }},
				{"subWith", func() { SubWith(z, x, 3) }, func(x, _ float32) float32 { return x - 3 }},
				{"mulWith", func() { MulWith(z, x, 3) }, func(x, _ float32) float32 { return x * 3 }},
				{"divWith", func() { DivWith(z, x, 3) }, func(x, _ float32) float32 { return x / 3 }},
				{"sigmoid", func() { Sigmoid(z, x) }, func(x, _ float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }},
				{"relu", func() { Relu(z, x) }, func(x, _ float32) float32 { return max(x, 0) }},
			} {
				tt.f()
				for i := range want {
					want[i] = tt.want(x[i], y[i])
				}
				size := 0.0
				if tt.name == "sigmoid" {
					size = 0.3
				}
				closeTo(t, fmt.Sprintf("%s of %d", tt.name, n), z, want, size)
				closeTo(t, tt.name+", before", memory[:16], make([]float32, 16), 0)
				closeTo(t, tt.name+", behind", memory[16+n:], make([]float32, 16), 0)
			}
			dot, sum, top := 0.0, 0.0, math.Inf(-1)
			for i := range x {
				dot += float64(x[i]) * float64(y[i])
				sum += float64(x[i])
				top = max(top, float64(x[i]))
			}
			closeTo(t, fmt.Sprintf("dot, sum, max of %d", n), []float32{Dot(x, y), Sum(x), Max(x)},
				[]float32{float32(dot), float32(sum), float32(top)}, 50)
		}
	})
}

// TestExp covers the whole range, and what is no number of it.
func TestExp(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		var x []float32
		for v := float32(0); v > -75; v -= 0.0137 {
			x = append(x, v+2)
		}
		x = append(x, float32(math.Inf(-1)), 2, 2+ExpCut) // which is not cut
		z, sum := make([]float32, len(x)), 0.0
		got := Exp(z, x, 2)
		for i, v := range x {
			want := math.Exp(float64(v) - 2)
			if v-2 < ExpCut {
				want = 0
			}
			if math.Abs(float64(z[i])-want) > 3e-7*want {
				t.Fatalf("exp(%v) is %v, want %v", v-2, z[i], want)
			}
			sum += want
		}
		closeTo(t, "sum", []float32{got}, []float32{float32(sum)}, 10*sum)
		nan := float32(math.NaN())
		x = []float32{1, nan, 0, 1, 2, 3, 1, 2, 1, nan}
		if sum := Exp(make([]float32, len(x)), x, 3); sum == sum {
			t.Errorf("the sum with NaN is %v", sum)
		}
		z = []float32{-100, -50, -0.5, 0, float32(math.Copysign(0, -1)), nan, 50, 100, 3, nan}
		Sigmoid(z, z)
		for i, v := range []float64{-100, -50, -0.5, 0, 0, 0, 50, 100, 3, 0} {
			if want := 1 / (1 + math.Exp(-v)); math.Abs(float64(z[i])-want) > 3e-7*want+1e-30 && i != 5 && i != 9 || (i == 5 || i == 9) == (z[i] == z[i]) {
				t.Errorf("the sigmoid of %v is %v, want %v", v, z[i], want)
			}
		}
		Relu(x, x)
		if x[1] == x[1] || x[9] == x[9] {
			t.Errorf("relu of NaN is %v and %v", x[1], x[9])
		}
	})
}

// TestMaxOfNaN: it is NaN where one is.
func TestMaxOfNaN(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for n := 1; n < 40; n++ {
			for i := range n {
				x := make([]float32, n)
				x[i] = float32(math.NaN())
				if top := Max(x); top == top {
					t.Fatalf("NaN at %d of %d: the largest is %v", i, n, top)
				}
			}
		}
	})
}

// TestPackFillsUp: what is behind the last column is zero, also in used memory.
func TestPackFillsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 31, 32, 33, 70} {
		const k = 3
		p := Pack(numbers(rng, PackedSize(k, n)), numbers(rng, k*n), k, n, n, false)
		for i := range Panels(n) {
			for at, v := range p.panel(i) {
				if column := i*Panel + at%Panel; column >= n && v != 0 || column < n && v == 0 {
					t.Errorf("of %d columns, column %d holds %v", n, column, v)
				}
			}
		}
	}
}
