package native

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/native/internal/simd"
)

// attention computes softmax(Where(mask, q kᵀ + bias, hidden)) v a few queries at a time, so that no matrix of scores is written,
// and leaves out the keys behind the last one that any of these queries sees.
//
// Its operands are q [.., T, N], k [.., S, N], v [.., S, M], the mask and, where there is one, the bias.
type attention struct {
	s      *step
	layout products
	keys   int  // S
	width  int  // N
	rows   walk // of the scores, along the mask and the bias
	splits int  // parts of a pair of q and k
}

// attended is what is known of attention for all lengths.
type attended struct {
	logits int // the node that the mask is applied to
	hidden float32
}

// attentionRows is how many queries attend at a time: whole tiles of every kernel.
const attentionRows = 48

// attend has the product i of weights and values read queries, keys and the mask, if its weights are made of these and nothing
// else reads what lies between.
func (p *program) attend(i int, readers []int) {
	q := &p.nodes[i]
	// only is what node at shows, or the node whose value it has in another shape, if nothing else reads either.
	only := func(at int) *part {
		for p.nodes[at].node.Op == "Reshape" && readers[at] == 1 {
			at = p.nodes[at].in[0]
		}
		n := &p.nodes[at]
		if readers[at] != 1 || n.when != each || n.node.DType != tensor.Float32 {
			return &part{node: &graph.Node{}}
		}
		return n
	}
	softmax := only(q.in[0])
	if q.flip || softmax.node.Op != "Softmax" || !lastAxis(softmax.node) {
		return
	}
	where := only(softmax.in[0])
	if where.node.Op != "Where" || !slices.Equal(where.node.Shape, p.nodes[where.in[1]].node.Shape) {
		return
	}
	hidden := &p.nodes[where.in[2]]
	if hidden.when != always || hidden.value == nil || hidden.value.Len() != 1 {
		return
	}
	broadcast := []int{where.in[0]}
	scores := only(where.in[1])
	if scores.node.Op == "Add" && slices.Equal(p.nodes[scores.in[0]].node.Shape, where.node.Shape) {
		broadcast = append(broadcast, scores.in[1])
		scores = only(scores.in[0])
	}
	if scores.node.Op != "MatMul" || !scores.flip || p.nodes[scores.in[1]].when < each || !slices.Equal(scores.node.Shape, p.nodes[q.in[0]].node.Shape) {
		return
	}
	k, v := p.nodes[scores.in[1]].node.Shape, p.nodes[q.in[1]].node.Shape
	if len(k) != len(v) || !slices.Equal(k[:len(k)-1], v[:len(v)-1]) {
		return
	}
	for _, x := range broadcast {
		if shape := p.nodes[x].node.Shape; len(shape) == 0 || shape[len(shape)-1] != k[len(k)-2] {
			return
		}
	}
	q.attended = &attended{logits: where.in[1], hidden: tensor.Data[float32](hidden.value)[0]}
	q.in = append([]int{scores.in[0], scores.in[1], q.in[1]}, broadcast...)
}

// lastAxis reports whether a Softmax goes along the last axis.
func lastAxis(n *graph.Node) bool {
	return fromFront(graph.Attribute(n, "axis", int64(-1)), len(n.Shape)) == len(n.Shape)-1
}

func (a *attention) prepare(s *step) error {
	q, k := s.in[0], s.in[1]
	a.s, a.keys, a.width = s, k.shape[len(k.shape)-2], last(q.shape)
	a.layout.layOut(q.shape, k.shape, s.out.shape)
	logits, broadcast := s.x.values[s.out.part.attended.logits].shape, s.in[3:]
	a.rows.begin(len(broadcast))
	for i, n := range logits[:len(logits)-1] {
		var strides [maxArrays]int
		for b, x := range broadcast {
			if axis := i - (len(logits) - len(x.shape)); axis >= 0 && x.shape[axis] != 1 {
				strides[b] = product(x.shape[axis+1:])
			}
		}
		a.rows.axis(n, strides[:len(broadcast)]...)
	}
	a.rows.end()
	a.splits = 1
	if threads := s.x.pool.threads; threads > 1 && a.layout.count < 2*threads {
		a.splits = max(1, min(2*threads, a.layout.m/attentionRows))
	}
	return nil
}

func (a *attention) run(s *step) error {
	if s.out.size == 0 {
		return nil
	}
	parts := a.layout.count * a.splits
	if s.out.size*a.keys >= worthwhile {
		s.x.pool.do(parts, a)
		return nil
	}
	for i := range parts {
		a.do(i, 0)
	}
	return nil
}

func (a *attention) do(part, thread int) {
	l, pair := &a.layout, part/a.splits
	each := ((l.m+a.splits-1)/a.splits + attentionRows - 1) / attentionRows * attentionRows
	first := part % a.splits * each
	end := min(first+each, l.m)
	if first >= end {
		return
	}
	w := l.pairs.width()
	at, i := l.pairs.from(pair/w), pair%w
	s, values := a.s, last(a.s.in[2].shape)
	q := s.in[0].f[(at.at[0]+i*l.pairs.step(0))*l.m*a.width:][:l.m*a.width]
	right := at.at[1] + i*l.pairs.step(1)
	k := s.in[1].f[right*a.keys*a.width:][:a.keys*a.width]
	v := s.in[2].f[right*a.keys*values:][:a.keys*values]
	out := s.out.f[pair*l.m*values:][:l.m*values]

	seen := 0 // by some query of the part
	for r := first; r < end; r++ {
		seen = max(seen, a.seen(pair*l.m+r))
	}
	memory := s.x.scratch[thread].sized(simd.PackedSize(a.width, a.keys) + attentionRows*a.keys)
	scores := memory[simd.PackedSize(a.width, a.keys):]
	var packed simd.Packed
	for ; first < end; first += attentionRows {
		rows := min(attentionRows, end-first)
		keys := 0
		for r := range rows {
			keys = max(keys, a.seen(pair*l.m+first+r))
		}
		for {
			if rows > dotted && packed.N < keys {
				packed = simd.Pack(memory, k, a.width, max(keys, seen), a.width, true)
			}
			if a.weigh(scores, q[first*a.width:], k, &packed, pair*l.m+first, rows, keys) {
				break
			}
			keys = a.keys // what is hidden weighs something, too
		}
		simd.Rows(out[first*values:(first+rows)*values], scores, rows, v, keys, values)
	}
}

// operands are what query number row sees, and its bias, or nil.
func (a *attention) operands(row int) (mask []bool, bias []float32) {
	w := a.rows.width()
	c, i := a.rows.from(row/w), row%w
	mask = a.s.in[3].b[c.at[0]+i*a.rows.step(0):][:a.keys]
	if len(a.s.in) > 4 {
		bias = a.s.in[4].f[c.at[1]+i*a.rows.step(1):][:a.keys]
	}
	return mask, bias
}

// seen is how many keys there are up to the last that query number row sees; all where it sees none, for then it sees all alike.
func (a *attention) seen(row int) int {
	mask, _ := a.operands(row)
	if n := lastTrue(mask) + 1; n > 0 {
		return n
	}
	return a.keys
}

// weigh computes the weights [rows,keys] of so many first keys for queries from number first on. It reports whether all others
// weigh nothing.
func (a *attention) weigh(weights, q, k []float32, packed *simd.Packed, first, rows, keys int) bool {
	weights = weights[:rows*keys]
	if rows <= dotted {
		for r := range rows {
			simd.Dots(weights[r*keys:(r+1)*keys], q[r*a.width:(r+1)*a.width], k, a.width)
		}
	} else {
		part := packed.First(keys)
		simd.Product(weights, q, rows, &part, 0, simd.Panels(keys))
	}
	hidden := a.s.out.part.attended.hidden
	for r := range rows {
		row := weights[r*keys : (r+1)*keys]
		mask, bias := a.operands(first + r)
		if bias != nil {
			simd.Add(row, row, bias[:keys])
		}
		hide(row, mask, hidden)
		top := simd.Max(row)
		if keys < a.keys && !(top > hidden-simd.ExpCut) {
			return false
		}
		sum := simd.Exp(row, row, top)
		simd.MulWith(row, row, 1/sum)
	}
	return true
}

// bytesOfBools is the memory of x, 1 for true.
func bytesOfBools(x []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// lastTrue is the place of the last true element, −1 where there is none.
func lastTrue(x []bool) int {
	memory, n := bytesOfBools(x), len(x)
	for n >= 8 && binary.NativeEndian.Uint64(memory[n-8:]) == 0 {
		n -= 8
	}
	for n > 0 && !x[n-1] {
		n--
	}
	return n - 1
}

// hide sets elements of the row whose mask is false.
func hide(row []float32, mask []bool, value float32) {
	memory := bytesOfBools(mask[:len(row)])
	const allTrue = 0x0101010101010101
	for i := 0; i < len(row); {
		if i+8 <= len(row) && binary.NativeEndian.Uint64(memory[i:]) == allTrue {
			i += 8
			continue
		}
		for end := min(i+8, len(row)); i < end; i++ {
			if !mask[i] {
				row[i] = value
			}
		}
	}
}
