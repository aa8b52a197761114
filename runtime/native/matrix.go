package native

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// worthwhile is how many multiply-adds of a product are worth a second thread.
const worthwhile = 1 << 18

// split divides a product of rows with a packed matrix among threads: by rows where there are
// many, else by panels of columns.
type split struct {
	rows, panels int
	each         int // rows or panels of a part
	byRows       bool
	neverByRows  bool // a panel costs something by itself
}

// over has the parts of a product [rows,k]·[k,n] computed.
func (d *split) over(p *pool, rows, k, n int, work divided) {
	d.rows, d.panels = rows, simd.Panels(n)
	d.byRows, d.each = false, d.panels
	if p.threads > 1 && rows*k*n >= worthwhile {
		d.byRows = rows >= 64*p.threads && !d.neverByRows
		if d.byRows {
			d.each = wholeTiles(rows/(2*p.threads), simd.Panel)
		} else {
			d.each = (d.panels + p.threads - 1) / p.threads
		}
	}
	all := d.panels
	if d.byRows {
		all = rows
	}
	if rows > 0 && all > 0 {
		p.do((all+d.each-1)/d.each, work)
	}
}

// wholeTiles returns rows rounded up to whole tiles of the kernels for so many columns: parts of so many rows round as the
// whole product does.
func wholeTiles(rows, columns int) int {
	tile := simd.TileRows(columns)
	return (rows + tile - 1) / tile * tile
}

// part returns the rows and the panels of a part, each from the first up to the last.
func (d *split) part(i int) (firstRow, lastRow, firstPanel, lastPanel int) {
	from := i * d.each
	if d.byRows {
		return from, min(from+d.each, d.rows), 0, d.panels
	}
	return 0, d.rows, from, min(from+d.each, d.panels)
}

// weighted is the product of rows with a matrix that was packed when the model was opened.
type weighted struct {
	s     *step
	split split
}

func (w *weighted) prepare(s *step) error {
	w.s = s
	return nil
}

func (w *weighted) run(s *step) error {
	if y := s.out.part.packed; y.N > 0 {
		w.split.over(s.x.pool, s.out.size/y.N, y.K, y.N, w)
	}
	tensor.Round(s.out.f, s.out.part.node.DType)
	return nil
}

func (w *weighted) do(part, _ int) {
	y := w.s.out.part.packed
	first, last, from, to := w.split.part(part)
	simd.Product(w.s.out.f[first*y.N:last*y.N], w.s.in[0].f[first*y.K:last*y.K], last-first, y, from, to)
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
	p.k, p.n = last(s.in[0].shape), last(s.out.shape)
	p.layOut(s.in[0].shape, s.in[1].shape, s.out.shape)
	p.blocks, p.each = 1, p.m
	if threads := s.x.pool.threads; threads > 1 && p.m*p.k*p.n*p.count >= worthwhile {
		if blocks := min(2*threads/max(p.count, 1), p.m/64); blocks > 1 {
			p.each = wholeTiles((p.m+blocks-1)/blocks, p.n)
			p.blocks = (p.m + p.each - 1) / p.each
		}
	}
	return nil
}

// layOut pairs matrices x [.., m, ·] with matrices y [.., ·, ·], to out [.., m, ·].
func (p *products) layOut(x, y, out []int) {
	p.m = x[len(x)-2]
	batch, left, right := out[:len(out)-2], value{shape: x[:len(x)-2]}, value{shape: y[:len(y)-2]}
	// Neighbours on the left that are multiplied with the same matrix are one tall matrix.
	for len(left.shape) > 0 && (len(right.shape) == 0 || last(right.shape) == 1) {
		p.m *= last(batch)
		batch, left.shape = batch[:len(batch)-1], left.shape[:len(left.shape)-1]
		right.shape = right.shape[:max(0, len(right.shape)-1)]
	}
	p.count = product(batch)
	p.pairs.spread(batch, &left, &right)
}

func last(shape []int) int { return shape[len(shape)-1] }

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
	tensor.Round(s.out.f, s.out.part.node.DType)
	return nil
}

// dotted is up to how many rows are multiplied with a transposed matrix as it lies; more
// are worth packing it.
const dotted = 8

func (p *products) do(part, thread int) {
	pair, first := part/p.blocks, part%p.blocks*p.each
	rows := min(p.each, p.m-first)
	w := p.pairs.width()
	at, i := p.pairs.from(pair/w), pair%w
	x := p.s.in[0].f[((at.at[0]+i*p.pairs.step(0))*p.m+first)*p.k:][:rows*p.k]
	y := p.s.in[1].f[(at.at[1]+i*p.pairs.step(1))*p.k*p.n:][:p.k*p.n]
	out := p.s.out.f[(pair*p.m+first)*p.n:][:rows*p.n]
	switch {
	case !p.transposed:
		simd.Rows(out, x, rows, y, p.k, p.n)
	case p.m <= dotted:
		for r := range rows {
			simd.Dots(out[r*p.n:(r+1)*p.n], x[r*p.k:(r+1)*p.k], y, p.k)
		}
	default:
		b := simd.Pack(p.s.x.scratch[thread].sized(simd.PackedSize(p.k, p.n)), y, p.k, p.n, p.k, true)
		simd.Product(out, x, rows, &b, 0, simd.Panels(p.n))
	}
}

func productMaker(q *part) kernel {
	switch {
	case q.packed != nil:
		return &weighted{}
	case q.packedBlocks != nil:
		return &blockProduct{}
	case q.attended != nil:
		return &attention{}
	case graph.Attribute(q.node, "transA", int64(0)) != 0:
		return nil
	}
	return &products{transposed: q.flip || graph.Attribute(q.node, "transB", int64(0)) != 0}
}
