package simd

// Blocks is a matrix [K,N] of integers of 8 or 4 bits as the right side of products, of which blocks of Size rows have a scale
// for each column: panels of 32 columns, the last filled up with zeros. Integers of 4 bits are 8 more than they stand for, and
// two rows of a panel lie in one, the first in the lower bits. Those for products by digits lie differently.
type Blocks struct {
	K, N, Size int
	four       bool
	digits     bool // products are by digits
	data       []int8
	scale      []float32 // panels, too
}

// PackBlocks copies integers [k,n], −8…7 if four, and scales [k/size,n]. size is even, and k a multiple of it.
func PackBlocks(values []int8, scale []float32, k, n, size int, four bool) Blocks {
	b := Blocks{K: k, N: n, Size: size, four: four, digits: hasDigits(size), scale: make([]float32, Panels(n)*Panel*(k/size))}
	b.data = make([]int8, Panels(n)*b.panelSize())
	for i := range Panels(n) {
		panel, scales, first := b.data[i*b.panelSize():], b.scale[i*Panel*(k/size):], i*Panel
		cols := min(Panel, n-first)
		for r := range k / size {
			copy(scales[r*Panel:][:cols], scale[r*n+first:])
		}
		for r := range k {
			row := values[r*n+first:][:cols]
			switch {
			case b.digits && four:
				for c, v := range row {
					panel[r/8*group+4*c+r%4] |= (v + 8) << (r / 4 % 2 * 4)
				}
			case b.digits:
				for c, v := range row {
					panel[r/4*group+4*c+r%4] = int8(int(v) + digitBias)
				}
			case four:
				for c, v := range row {
					panel[r/2*Panel+c] |= (v + 8) << (r % 2 * 4)
				}
			default:
				copy(panel[r*Panel:], row)
			}
		}
	}
	return b
}

func (b *Blocks) panelSize() int {
	if b.four {
		return b.K / 2 * Panel
	}
	return b.K * Panel
}

// expandedRows is from how many rows on a panel is expanded to float32 once for all of them.
const expandedRows = 6

// BlocksScratch is how many numbers ProductBlocks needs for so many rows.
func BlocksScratch(rows int, b *Blocks) int {
	switch {
	case b.digits:
		return digitScratch(rows, b)
	case rows < expandedRows:
		return 0
	}
	return b.K * Panel
}

// ProductBlocks writes the panels from up to to of a·b into c [rows,N], for a [rows,K]. scratch has BlocksScratch numbers.
func ProductBlocks(c, a []float32, rows int, b *Blocks, from, to int, scratch []float32) {
	if b.K == 0 {
		for r := range rows {
			clear(c[r*b.N+from*Panel : r*b.N+min(to*Panel, b.N)])
		}
		return
	}
	if b.digits {
		productDigits(c, a, rows, b, from, to, scratch)
		return
	}
	each := b.K / b.Size * Panel
	var partial [Panel]float32
	for i := from; i < to; i++ {
		panel, scale := b.data[i*b.panelSize():][:b.panelSize()], b.scale[i*each:][:each]
		first := i * Panel
		cols := min(Panel, b.N-first)
		if rows >= expandedRows {
			expandBlocks(b, scratch, panel, scale)
			one := Packed{K: b.K, N: cols, data: scratch[:b.K*Panel]}
			productPanel(c[first:], b.N, a, rows, &one)
			continue
		}
		for r := range rows {
			out := c[r*b.N+first:][:cols]
			if cols == Panel {
				blockRow(b, a[r*b.K:][:b.K], panel, scale, out)
			} else {
				blockRow(b, a[r*b.K:][:b.K], panel, scale, partial[:])
				copy(out, partial[:])
			}
		}
	}
}

// row writes row r of a panel as float32, without its scales.
func (b *Blocks) row(out []float32, panel []int8, r int) {
	if !b.four {
		for c, v := range panel[r*Panel:][:Panel] {
			out[c] = float32(v)
		}
		return
	}
	shift := r % 2 * 4
	for c, v := range panel[r/2*Panel:][:Panel] {
		out[c] = float32(int(uint8(v)>>shift&15) - 8)
	}
}

// plainExpand writes a panel as float32.
func plainExpand(b *Blocks, out []float32, panel []int8, scale []float32) {
	for r := range b.K {
		to := out[r*Panel:][:Panel]
		b.row(to, panel, r)
		for c, s := range scale[r/b.Size*Panel:][:Panel] {
			to[c] *= s
		}
	}
}

// plainBlockRow is a row of a times a panel of 32 columns.
func plainBlockRow(b *Blocks, a []float32, panel []int8, scale, c []float32) {
	c = c[:Panel]
	clear(c)
	var sums, row [Panel]float32
	for block := range b.K / b.Size {
		clear(sums[:])
		for r := block * b.Size; r < (block+1)*b.Size; r++ {
			b.row(row[:], panel, r)
			for k, v := range row {
				sums[k] += a[r] * v
			}
		}
		for k, s := range scale[block*Panel:][:Panel] {
			c[k] += sums[k] * s
		}
	}
}
