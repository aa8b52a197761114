package native

import (
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// recorder is work that keeps what it was asked to do.
type recorder struct {
	mu      sync.Mutex
	parts   []int
	threads []int
	all     *sync.WaitGroup // if set, a part waits until all parts have begun
}

func (r *recorder) do(part, thread int) {
	r.mu.Lock()
	r.parts, r.threads = append(r.parts, part), append(r.threads, thread)
	r.mu.Unlock()
	if r.all != nil {
		r.all.Done()
		r.all.Wait()
	}
}

// TestPoolThreads: as many parts as there are threads are done at the same time, each by a
// thread of its own; one part, parts on one thread and parts after close by the caller.
func TestPoolThreads(t *testing.T) {
	for threads := 1; threads <= 4; threads++ {
		p := newPool(threads, false)
		if p.threads != threads {
			t.Errorf("a pool of %d threads has %d", threads, p.threads)
		}
		single := &recorder{}
		p.do(1, single)
		if p.helpers != nil || !slices.Equal(single.threads, []int{0}) {
			t.Errorf("%d threads: one part on threads %v, started %v", threads, single.threads, p.helpers != nil)
		}
		two := &recorder{}
		p.do(2, two)
		if (p.helpers != nil) != (threads > 1) {
			t.Errorf("%d threads: started is %v for two parts", threads, p.helpers != nil)
		}
		for range 3 {
			r := &recorder{all: &sync.WaitGroup{}}
			r.all.Add(threads)
			done := make(chan bool)
			go func() {
				p.do(threads, r)
				close(done)
			}()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatalf("%d threads do not work at the same time", threads)
			}
			slices.Sort(r.parts)
			slices.Sort(r.threads)
			if want := []int{0, 1, 2, 3}[:threads]; !slices.Equal(r.parts, want) || !slices.Equal(r.threads, want) {
				t.Errorf("%d threads: parts %v on threads %v", threads, r.parts, r.threads)
			}
		}
		p.close()
		p.close()
		if !p.closed || p.helpers != nil {
			t.Errorf("%d threads: closed %v, started %v", threads, p.closed, p.helpers != nil)
		}
		after := &recorder{}
		if p.do(3, after); !slices.Equal(after.parts, []int{0, 1, 2}) || !slices.Equal(after.threads, []int{0, 0, 0}) {
			t.Errorf("%d threads: after close parts %v on threads %v", threads, after.parts, after.threads)
		}
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(3))
	if p := newPool(0, false); p.threads != 3 || goruntime.GOMAXPROCS(0) != 3 {
		t.Errorf("of 3 processors a pool takes %d, and leaves %d", p.threads, goruntime.GOMAXPROCS(0))
	}
}

// extents are the parts of a division, from the first one up to the next.
type extents [][2]int

// TestSpans: rows are shared from 2^15 numbers on, in equal parts that cover all of them.
func TestSpans(t *testing.T) {
	for _, tc := range []struct {
		threads, rows, width int
		want                 extents
	}{
		{1, 1 << 10, 1 << 10, extents{{0, 1 << 10}}},
		{2, 1 << 5, 1 << 10, extents{{0, 16}, {16, 32}}},
		{2, 1<<5 - 1, 1 << 10, extents{{0, 31}}},
		{3, 32, 1 << 10, extents{{0, 11}, {11, 22}, {22, 32}}},
		{3, 1, 1 << 15, extents{{0, 1}}},
		{3, 2, 1 << 15, extents{{0, 1}, {1, 2}}},
		{3, 0, 1 << 15, nil},
		{2, 1 << 15, 0, extents{{0, 1 << 15}}},
	} {
		var s spans
		x := &executor{pool: newPool(tc.threads, false)}
		r := &recorder{}
		s.over(x, tc.rows, tc.width, r)
		x.pool.close()
		slices.Sort(r.parts)
		var got extents
		for _, part := range r.parts {
			from, to := s.span(part)
			got = append(got, [2]int{from, to})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%d rows of %d on %d threads (-want +got):\n%s", tc.rows, tc.width, tc.threads, diff)
		}
	}
}

// TestPointwiseBlocks: no thread gets what is beyond the numbers.
func TestPointwiseBlocks(t *testing.T) {
	pool := newPool(40, false)
	defer pool.close()
	for _, size := range []int{0, 1, block - 1, block, block + 1, 32*block - 1, 32 * block, 33*block - 1, 33*block + 1, 39 * block} {
		x := make([]float32, size)
		for i := range x {
			x[i] = float32(i - 7)
		}
		in, out := &value{size: size}, &value{size: size}
		in.f, out.f = x, make([]float32, size)
		s := &step{in: []*value{in}, out: out, x: &executor{pool: pool}}
		p := &pointwise{row: abs}
		if err := p.prepare(s); err != nil {
			t.Fatal(err)
		}
		if err := p.run(s); err != nil {
			t.Fatal(err)
		}
		for i, v := range out.f {
			if want := max(x[i], -x[i]); v != want {
				t.Fatalf("of %d numbers, number %d is %v, want %v", size, i, v, want)
			}
		}
	}
}

// TestSplit: products are shared from 2^18 multiply-adds on, by rows in whole tiles where
// there are 64 for each thread, else by panels of columns.
func TestSplit(t *testing.T) {
	const panel = simd.Panel
	rows128 := byTile(extents{{0, 32}, {32, 64}, {64, 96}, {96, 128}}, extents{{0, 36}, {36, 72}, {72, 108}, {108, 128}},
		extents{{0, 32}, {32, 64}, {64, 96}, {96, 128}})
	for _, tc := range []struct {
		threads, rows, k, n int
		rowsWise            bool
		want                extents
	}{
		{1, 256, 64, 4 * panel, false, extents{{0, 4}}},
		{2, 128, 64, 32, true, rows128},
		{2, 127, 64, 2 * panel, false, extents{{0, 1}, {1, 2}}},
		{2, 127, 64, 32, false, extents{{0, 1}}},
		{2, 8, 512, 5 * panel, false, extents{{0, 3}, {3, 5}}},
		{2, 8, 16, 5 * panel, false, extents{{0, 5}}},
		{3, 192, 64, 64, true, byTile(extents{{0, 32}, {32, 64}, {64, 96}, {96, 128}, {128, 160}, {160, 192}},
			extents{{0, 36}, {36, 72}, {72, 108}, {108, 144}, {144, 180}, {180, 192}},
			extents{{0, 32}, {32, 64}, {64, 96}, {96, 128}, {128, 160}, {160, 192}})},
		{3, 576, 64, 64, true, extents{{0, 96}, {96, 192}, {192, 288}, {288, 384}, {384, 480}, {480, 576}}},
		{3, 191, 64, 4 * panel, false, extents{{0, 2}, {2, 4}}},
		{2, 96 * 4, 64, 64, true, extents{{0, 96}, {96, 192}, {192, 288}, {288, 384}}},
		{2, 96*4 + 4, 64, 64, true, byTile(extents{{0, 97}, {97, 194}, {194, 291}, {291, 388}},
			extents{{0, 102}, {102, 204}, {204, 306}, {306, 388}}, extents{{0, 104}, {104, 208}, {208, 312}, {312, 388}})},
		{2, 1000, 64, 64, true, byTile(extents{{0, 250}, {250, 500}, {500, 750}, {750, 1000}},
			extents{{0, 252}, {252, 504}, {504, 756}, {756, 1000}}, extents{{0, 256}, {256, 512}, {512, 768}, {768, 1000}})},
		{2, 128, 32, 63, false, extents{{0, 2}}}, // too few multiply-adds
		{2, 128, 32, 64, true, rows128},
		{2, 2, 1 << 17, 1, false, extents{{0, 1}}},
		{2, 1, 1 << 18, 4 * panel, false, extents{{0, 2}, {2, 4}}},
		{2, 0, 64, 64, false, nil},
		{2, 64, 64, 0, false, nil},
	} {
		var d split
		p := newPool(tc.threads, false)
		r := &recorder{}
		d.over(p, tc.rows, tc.k, tc.n, r)
		p.close()
		slices.Sort(r.parts)
		var got extents
		for _, part := range r.parts {
			first, last, from, to := d.part(part)
			if tc.rowsWise {
				first, last, from, to = from, to, first, last
			}
			if whole := [2]int{0, d.rows}; !tc.rowsWise && whole != [2]int{first, last} ||
				tc.rowsWise && [2]int{0, d.panels} != [2]int{first, last} {
				t.Errorf("part %d of the other side is %d to %d", part, first, last)
			}
			got = append(got, [2]int{from, to})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || d.byRows != tc.rowsWise {
			t.Errorf("%d×%d×%d on %d threads, by rows %v (-want +got):\n%s", tc.rows, tc.k, tc.n, tc.threads, d.byRows, diff)
		}
	}
}

// TestProductBlocks: a few large products are each computed in blocks of rows: whole tiles, which change no bit.
func TestProductBlocks(t *testing.T) {
	for _, tc := range []struct {
		threads, pairs, m, k, n int
		blocks, each            int
		shared                  bool
	}{
		{1, 2, 512, 64, 64, 1, 512, false}, {1, 1, 512, 64, 64, 1, 512, false},
		{2, 2, 512, 64, 64, 2, byTile(256, 258, 256), true},
		{2, 1, 512, 64, 64, 4, byTile(128, 132, 128), true},
		{3, 2, 512, 64, 64, 3, byTile(171, 174, 176), true},
		{2, 3, 512, 64, 64, 1, 512, true},
		{2, 4, 512, 64, 64, 1, 512, true},
		{2, 2, 127, 64, 64, 1, 127, true},
		{2, 2, 128, 64, 64, 2, byTile(64, 66, 64), true},
		{2, 2, 64, 64, 32, 1, 64, true},
		{2, 2, 128, 32, 32, 2, byTile(64, 66, 64), true},
		{2, 2, 128, 32, 31, 1, 128, false},
		{2, 2, 260, 64, 64, 2, byTile(130, 132, 136), true},
		{2, 2, 260, 64, 48, 2, byTile(130, 132, 144), true}, // with half tiles, which are of six rows
		{3, 2, 201, 64, 64, 3, byTile(67, 72, 72), true},
		{3, 2, 200, 64, 64, 3, byTile(67, 72, 72), true},
		{3, 7, 300, 33, 35, 1, 300, true},
		{2, 2, 3, 500, 100, 1, 3, true},
	} {
		for _, transposed := range []bool{false, true} {
			what := fmt.Sprintf("%d products %d×%d×%d on %d threads, transposed %v", tc.pairs, tc.m, tc.k, tc.n, tc.threads, transposed)
			multiply := func(threads int, x, y *value) (*products, []float32, bool) {
				pool, out := newPool(threads, false), numbers([]int{tc.pairs, tc.m, tc.n}, func() float32 { return 0 })
				defer pool.close()
				p := &products{transposed: transposed}
				s := &step{in: []*value{x, y}, out: out, x: &executor{pool: pool, scratch: make([]buffer, threads)}}
				if err := p.prepare(s); err != nil {
					t.Fatal(err)
				}
				if err := p.run(s); err != nil {
					t.Fatal(err)
				}
				return p, out.f, pool.helpers != nil
			}
			left, right := []int{tc.pairs, tc.m, tc.k}, []int{tc.pairs, tc.k, tc.n}
			if transposed {
				right = []int{tc.pairs, tc.n, tc.k}
			}
			whole := func() float32 { return float32(rand.IntN(5) - 2) } // every order gives the same sum
			x, y := numbers(left, whole), numbers(right, whole)
			p, out, shared := multiply(tc.threads, x, y)
			if p.blocks != tc.blocks || p.each != tc.each {
				t.Errorf("%s: %d blocks of %d rows, want %d of %d", what, p.blocks, p.each, tc.blocks, tc.each)
			}
			if shared != tc.shared {
				t.Errorf("%s: other threads are started: %v", what, shared)
			}
			for i, got := range out {
				pair, row, column := i/(tc.m*tc.n), i/tc.n%tc.m, i%tc.n
				if row%31 > 2 && row != tc.m-1 {
					continue
				}
				want := float32(0)
				for k := range tc.k {
					at := k*tc.n + column
					if transposed {
						at = column*tc.k + k
					}
					want += x.f[(pair*tc.m+row)*tc.k+k] * y.f[pair*tc.k*tc.n+at]
				}
				if got != want {
					t.Fatalf("%s: pair %d, row %d, column %d is %v, want %v", what, pair, row, column, got, want)
				}
			}
			x, y = numbers(left, rand.Float32), numbers(right, rand.Float32)
			_, alone, _ := multiply(1, x, y)
			if _, out, _ := multiply(tc.threads, x, y); !slices.Equal(out, alone) {
				t.Errorf("%s: not the bits of one thread", what)
			}
		}
	}
}

// byTile returns what is for the largest tile of the processor's kernels: one row, six or eight.
func byTile[T any](one, six, eight T) T {
	return map[int]T{1: one, 6: six, 8: eight}[simd.TileRows(simd.Panel)]
}

// numbers returns a tensor of numbers that next returns.
func numbers(shape []int, next func() float32) *value {
	v := &value{part: &part{node: &graph.Node{DType: tensor.Float32}}, shape: shape, size: product(shape)}
	v.f = make([]float32, v.size)
	for i := range v.f {
		v.f[i] = next()
	}
	return v
}

// TestVectors: a function of vectors is used where its operands lie as it wants them.
func TestVectors(t *testing.T) {
	for _, tc := range []struct {
		sx, sy   int
		commutes bool
		want     string
	}{
		{1, 1, false, "whole 1 2 3 + 4 5 6"}, {1, 0, false, "with 1 2 3 + 4"}, {1, 0, true, "with 1 2 3 + 4"},
		{0, 1, true, "with 4 5 6 + 1"}, {0, 1, false, "plain"}, {0, 0, true, "plain"}, {0, 0, false, "plain"},
	} {
		got := ""
		text := func(v []float32) string { return fmt.Sprintf("%v %v %v", v[0], v[1], v[2]) }
		f := vectors(func(_, x, y []float32) { got = "whole " + text(x) + " + " + text(y) },
			func(_, x []float32, y float32) { got = "with " + text(x) + fmt.Sprint(" + ", y) }, tc.commutes,
			func(_, _, _ []float32, _, _ int) { got = "plain" })
		f(make([]float32, 3), []float32{1, 2, 3, 0}, []float32{4, 5, 6, 0}, tc.sx, tc.sy)
		if got != tc.want {
			t.Errorf("steps %d and %d, commutes %v: %s, want %s", tc.sx, tc.sy, tc.commutes, got, tc.want)
		}
	}
}

// TestChoose has every way in which the operands of Where can be stepped through.
func TestChoose(t *testing.T) {
	cond, x, y := []bool{true, false, true}, []float32{1, 2, 3}, []float32{4, 5, 6}
	for steps := range 8 {
		sc, sx, sy := steps&1, steps>>1&1, steps>>2
		out := make([]float32, 3)
		choose(out, cond[:2*sc+1], x[:2*sx+1], y[:2*sy+1], sc, sx, sy)
		for i, got := range out {
			want := y[i*sy]
			if cond[i*sc] {
				want = x[i*sx]
			}
			if got != want {
				t.Errorf("steps %d, %d, %d: number %d is %v, want %v", sc, sx, sy, i, got, want)
			}
		}
	}
}
