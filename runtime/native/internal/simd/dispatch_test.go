//go:build amd64 || arm64

package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// forLevels calls f for each set of kernels that the processor has.
func forLevels(f func(name string)) {
	best := level
	defer func() { level = best }()
	for i, name := range levelNames[:best+1] {
		level = i
		f(name)
	}
}

// everyIntLevel runs f with each set of kernels for integers.
func everyIntLevel(t *testing.T, f func(t *testing.T)) {
	has := dotProducts
	defer func() { dotProducts = has }()
	everyLevel(t, f)
	dotProducts = false
	t.Run("without dot products", f)
}

// panics reports whether f does.
func panics(f func()) (it bool) {
	defer func() { it = recover() != nil }()
	f()
	return false
}

// TestBounds: assembly is given nothing that it would read or write beyond. Each operand is
// as long as it must be, and then one shorter.
func TestBounds(t *testing.T) {
	floats := func(n int) []float32 { return make([]float32, n) }
	const k, lda, ldb, ldc = 8, 11, 45, 37
	everyLevel(t, func(t *testing.T) {
		for _, rows := range []int{1, 6, 8} {
			if rows > tileRows(rows) {
				continue
			}
			a, b, c := (rows-1)*lda+k, (k-1)*ldb+Panel, (rows-1)*ldc+Panel
			run := func(a, b, c int) bool {
				return panics(func() { tile(rows, k, floats(a), lda, floats(b), ldb, floats(c), ldc) })
			}
			if run(a, b, c) || !run(a-1, b, c) || !run(a, b-1, c) || !run(a, b, c-1) {
				t.Errorf("tile of %d rows: panics %v, with one number less %v, %v, %v", rows, run(a, b, c), run(a-1, b, c),
					run(a, b-1, c), run(a, b, c-1))
			}
			if rows > halfTileRows(rows) {
				continue
			}
			for name, part := range map[string]struct {
				columns int
				f       func(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int)
			}{"half": {Panel / 2, halfTile}, "a quarter of": {Panel / 4, quarterTile}} {
				b, c := b-Panel+part.columns, c-Panel+part.columns
				run := func(a, b, c int) bool {
					return panics(func() { part.f(rows, k, floats(a), lda, floats(b), ldb, floats(c), ldc) })
				}
				if run(a, b, c) || !run(a-1, b, c) || !run(a, b-1, c) || !run(a, b, c-1) {
					t.Errorf("%s a tile of %d rows: panics %v, with one number less %v, %v, %v", name, rows, run(a, b, c), run(a-1, b, c),
						run(a, b-1, c), run(a, b, c-1))
				}
			}
		}
		two := func(a, b, c int) bool {
			return panics(func() { twoPanels(k, floats(a), floats(b), ldb+Panel, floats(c)) })
		}
		if a, b, c := k, (k-1)*(ldb+Panel)+2*Panel, 2*Panel; two(a, b, c) ||
			twoPanels(k, floats(a), floats(b), ldb+Panel, floats(c)) && (!two(a-1, b, c) || !two(a, b-1, c) || !two(a, b, c-1)) {
			t.Error("two panels: not what is needed, or too little is taken")
		}
		dots := func(a, b, out int) bool {
			return panics(func() { dotGroups(2, k, floats(a), floats(b), ldb, floats(out)) })
		}
		if a, b, out := k, 7*ldb+k, 8; dots(a, b, out) || !dots(a-1, b, out) || !dots(a, b-1, out) || !dots(a, b, out-1) {
			t.Error("dots: not what is needed, or too little is taken")
		}
	})
	everyIntLevel(t, func(t *testing.T) {
		for _, k := range []int{4, 8} { // one group of rows of the weights, and two
			m := PackInts(make([]int8, k*Panel), k, Panel)
			for _, rows := range []int{1, 4, 8} {
				if rows > intRows(&m, rows) {
					continue
				}
				run := func(a, panel, c int) bool {
					return panics(func() {
						intTile(rows, &m, make([]uint8, a), make([]int8, panel), new([Panel]int32), make([]int32, c), ldc)
					})
				}
				a, panel, c := rows*k, k*Panel, (rows-1)*ldc+Panel
				if run(a, panel, c) || !run(a-1, panel, c) || !run(a, panel-1, c) || !run(a, panel, c-1) {
					t.Errorf("tile of %d rows of integers: panics %v, with one number less %v, %v, %v", rows, run(a, panel, c),
						run(a-1, panel, c), run(a, panel-1, c), run(a, panel, c-1))
				}
			}
		}
	})
}

// TestPlainKernels: a processor without vectors gets plain Go alone, which takes any number of
// rows and vectors without an element; assembly takes neither.
func TestPlainKernels(t *testing.T) {
	best := level
	defer func() { level = best }()
	for level = plain; level <= best; level++ {
		for name, f := range map[string]func(){
			"dot": func() { dotBlock(nil, nil) }, "sum": func() { sumBlock(nil) }, "exp": func() { expBlock(nil, nil, 0) },
			"relu": func() { reluBlock(nil, nil) }, "negAbs": func() { negAbsBlock(nil, nil) }, "logistic": func() { logisticBlock(nil, nil, nil) },
			"quantize": func() { quantizeBlock(nil, nil, 1, 0) },
			"add":      func() { addBlock(nil, nil, nil) }, "sub": func() { subBlock(nil, nil, nil) },
			"mul": func() { mulBlock(nil, nil, nil) }, "div": func() { divBlock(nil, nil, nil) },
			"addWith": func() { addWithBlock(nil, nil, 1) }, "subWith": func() { subWithBlock(nil, nil, 1) },
			"mulWith": func() { mulWithBlock(nil, nil, 1) }, "divWith": func() { divWithBlock(nil, nil, 1) },
		} {
			if got := panics(f); got != (level != plain) {
				t.Errorf("level %d: %s of nothing panics: %v", level, name, got)
			}
		}
	}
	level = plain
	const rows, k = 3, 4
	a, b := make([]float32, rows*k), make([]float32, k*Panel)
	bytes, ints := make([]uint8, rows*k), make([]int8, k*Panel)
	for i := range a {
		a[i], bytes[i] = 1, 1
	}
	for i := range b {
		b[i], ints[i] = 1, 1
	}
	c, half, whole := make([]float32, rows*Panel), make([]float32, rows*Panel), make([]int32, rows*Panel)
	tile(rows, k, a, k, b, Panel, c, Panel)
	halfTile(rows, k, a, k, b, Panel, half, Panel)
	m := PackInts(ints, k, Panel)
	var start [Panel]int32
	for i := range start {
		start[i] = intBias * k
	}
	intTile(rows, &m, bytes, m.data, &start, whole, Panel)
	for i := range c {
		want := float32(k)
		if i%Panel >= Panel/2 {
			want = 0 // of half a tile
		}
		if c[i] != k || half[i] != want || whole[i] != k {
			t.Fatalf("number %d of three rows is %v, %v and %d", i, c[i], half[i], whole[i])
		}
	}
}

// BenchmarkProductBlocks gives the multiply-adds a nanosecond of products with integers in blocks of 32, by each set of kernels, and by
// the last one without digits.
func BenchmarkProductBlocks(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	const k, n = 576, 1536
	values := make([]int8, k*n)
	for i := range values {
		values[i] = int8(rng.IntN(16) - 8)
	}
	scale := numbers(rng, k/32*n)
	run := func(name string) {
		for _, four := range []bool{false, true} {
			p := PackBlocks(values, scale, k, n, 32, four)
			for _, m := range []int{1, 7, 64} {
				a, c, scratch := numbers(rng, m*k), make([]float32, m*n), make([]float32, BlocksScratch(m, &p))
				b.Run(fmt.Sprintf("%s/four=%v/rows=%d", name, four, m), func(b *testing.B) {
					for b.Loop() {
						ProductBlocks(c, a, m, &p, 0, Panels(n), scratch)
					}
					b.ReportMetric(float64(b.N*m*k*n)/float64(b.Elapsed().Nanoseconds()), "madd/ns")
				})
			}
		}
	}
	forLevels(run)
	if has := dotProducts; has {
		dotProducts = false
		run("no digits")
		dotProducts = has
	}
}
