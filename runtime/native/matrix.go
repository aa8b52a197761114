package native

import (
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// worthwhile is how many multiply-adds of a product are worth a second thread.
const worthwhile = 1 << 18

// weighted is the product of rows with a matrix that was packed when the model was opened.
type weighted struct {
	s      *step
	rows   int
	y      *simd.Packed
	each   int  // rows or panels of a part
	byRows bool // parts are rows, else panels
}

func (w *weighted) prepare(s *step) error {
	w.s, w.y = s, s.out.part.packed
	w.rows = 0
	if w.y.N > 0 {
		w.rows = s.out.size / w.y.N
	}
	return nil
}

func (w *weighted) run(s *step) error {
	panels := simd.Panels(w.y.N)
	w.byRows, w.each = false, panels
	if threads := s.x.pool.threads; threads > 1 && w.rows*w.y.K*w.y.N >= worthwhile {
		w.byRows = w.rows >= 64*threads
		if w.byRows {
			w.each = (w.rows/(2*threads) + 23) / 24 * 24 // whole tiles of every kernel
		} else {
			w.each = (panels + threads - 1) / threads
		}
	}
	if n := w.count(panels); n > 0 && w.rows > 0 {
		s.x.pool.do(n, w)
	}
	narrow(s.out.f, s.out.part.node.DType)
	return nil
}

func (w *weighted) count(panels int) int {
	all := panels
	if w.byRows {
		all = w.rows
	}
	return (all + max(w.each, 1) - 1) / max(w.each, 1)
}

func (w *weighted) do(part, _ int) {
	out, x := w.s.out.f, w.s.in[0].f
	from := part * w.each
	if w.byRows {
		to := min(from+w.each, w.rows)
		simd.Product(out[from*w.y.N:to*w.y.N], x[from*w.y.K:to*w.y.K], to-from, w.y, 0, simd.Panels(w.y.N))
		return
	}
	simd.Product(out, x, w.rows, w.y, from, min(from+w.each, simd.Panels(w.y.N)))
}

// products multiplies matrices [m,k] by matrices [k,n], or transposed ones [n,k], pair by
// pair.
type products struct {
	s          *step
	transposed bool
	m, k, n    int
	pairs      walk
	count      int // of pairs
	blocks     int // each product is computed in blocks of rows
	each       int // rows of a block
}

func (p *products) prepare(s *step) error {
	p.s = s
	x, y := s.in[0], s.in[1]
	xr, yr := len(x.shape), len(y.shape)
	p.m, p.k, p.n = x.shape[xr-2], x.shape[xr-1], s.out.shape[len(s.out.shape)-1]
	batch := s.out.shape[:len(s.out.shape)-2]
	p.count = product(batch)
	if product(y.shape[:yr-2]) == 1 { // one tall product
		p.m *= p.count
		p.count = min(p.count, 1)
		batch = nil
	}
	var left, right value
	left.shape, right.shape = x.shape[:xr-2], y.shape[:yr-2]
	if batch == nil {
		left.shape, right.shape = nil, nil
	}
	p.pairs.spread(batch, &left, &right)
	p.blocks, p.each = 1, p.m
	if threads := s.x.pool.threads; threads > 1 && p.m*p.k*p.n*p.count >= worthwhile && p.count < 2*threads {
		p.blocks = max(1, min(2*threads/max(p.count, 1), p.m/64))
		p.each = (p.m + p.blocks - 1) / p.blocks
	}
	return nil
}

func (p *products) run(s *step) error {
	if s.out.size == 0 {
		return nil
	}
	if p.m*p.k*p.n*p.count >= worthwhile {
		s.x.pool.do(p.count*p.blocks, p)
	} else {
		for i := range p.count * p.blocks {
			p.do(i, 0)
		}
	}
	narrow(s.out.f, s.out.part.node.DType)
	return nil
}

// dotted is up to how many rows are multiplied with a transposed matrix as it lies; more
// are worth packing it.
const dotted = 8

func (p *products) do(part, thread int) {
	pair, first := part/p.blocks, part%p.blocks*p.each
	rows := min(p.each, p.m-first)
	if rows <= 0 {
		return
	}
	w := p.pairs.width()
	at, i := p.pairs.from(pair/w), pair%w
	x := p.s.in[0].f[((at.at[0]+i*p.pairs.step(0))*p.m+first)*p.k:][:rows*p.k]
	y := p.s.in[1].f[(at.at[1]+i*p.pairs.step(1))*p.k*p.n:][:p.k*p.n]
	out := p.s.out.f[(pair*p.m+first)*p.n:][:rows*p.n]
	switch {
	case !p.transposed:
		simd.Rows(out, x, rows, y, p.k, p.n)
	case rows <= dotted:
		for r := range rows {
			simd.Dots(out[r*p.n:(r+1)*p.n], x[r*p.k:(r+1)*p.k], y, p.k)
		}
	default:
		b := simd.Pack(p.s.x.scratch[thread].of(simd.PackedSize(p.k, p.n)), y, p.k, p.n, p.k, true)
		simd.Product(out, x, rows, &b, 0, simd.Panels(p.n))
	}
}

func productMaker(q *part) kernel {
	switch {
	case q.packed != nil:
		return &weighted{}
	case q.kindOf(0) != floats || q.node.Int("transA", 0) != 0:
		return nil
	}
	return &products{transposed: q.flip || q.node.Int("transB", 0) != 0}
}
