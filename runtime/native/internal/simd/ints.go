package simd

// Ints is a matrix [K,N] of int8 as the right side of products of integers: panels of 32
// columns, of which each is contiguous. Four rows of a panel lie together, column by column.
// The last panel and the last four rows are filled up with zeros.
type Ints struct {
	K, N int
	data []int8
	sums []int32 // of columns
	wide bool    // some number is beyond ±64: the sum of two products may not fit in 16 bits
}

// group is how many numbers of a panel are four rows of it.
const group = 4 * Panel

// PackInts copies a matrix [k,n].
func PackInts(b []int8, k, n int) Ints {
	groups := (k + 3) / 4
	p := Ints{K: k, N: n, data: make([]int8, Panels(n)*groups*group), sums: make([]int32, Panels(n)*Panel)}
	for i := range k {
		for c, v := range b[i*n : (i+1)*n] {
			p.data[(c/Panel*groups+i/4)*group+c%Panel*4+i%4] = v
			p.sums[c] += int32(v)
			p.wide = p.wide || v > 64 || v < -64
		}
	}
	return p
}

// ProductInts writes the panels from up to to of (a − zero)·b into c [rows,N], for a [rows,K].
// Sums are exact where they fit in 32 bits, and wrap where they do not.
func ProductInts(c []int32, a []uint8, rows int, b *Ints, zero uint8, from, to int) {
	groups := (b.K + 3) / 4
	var partial [maxRows * Panel]int32
	for i := from; i < to; i++ {
		panel, first := b.data[i*groups*group:][:groups*group], i*Panel
		cols := min(Panel, b.N-first)
		var start [Panel]int32
		for k, sum := range b.sums[first : first+Panel] {
			start[k] = (intBias - int32(zero)) * sum
		}
		for r := 0; r < rows; {
			n := intRows(b, rows-r)
			rest := a[r*b.K:]
			if cols == Panel {
				intTile(n, b, rest, panel, &start, c[r*b.N+first:], b.N)
			} else {
				intTile(n, b, rest, panel, &start, partial[:], Panel)
				for k := range n {
					copy(c[(r+k)*b.N+first:][:cols], partial[k*Panel:])
				}
			}
			r += n
		}
	}
}

// intTile is start plus so many rows of a − intBias times a panel of b.
func intTile(rows int, b *Ints, a []uint8, panel []int8, start *[Panel]int32, c []int32, ldc int) {
	groups := b.K / 4
	if groups > 0 { // assembly looks at no bounds
		_, _, _ = a[rows*b.K-1], panel[groups*group-1], c[(rows-1)*ldc+Panel-1]
	}
	if groups == 0 || !intGroups(rows, groups, b, a, panel, start, c, ldc) {
		groups = 0
		for r := range rows {
			copy(c[r*ldc:][:Panel], start[:])
		}
	}
	if 4*groups < b.K {
		plainInts(rows, groups, b, a, panel, c, ldc)
	}
}

// plainInts adds the products of the groups from first on of rows of a − intBias and a panel to c.
func plainInts(rows, first int, b *Ints, a []uint8, panel []int8, c []int32, ldc int) {
	for r := range rows {
		out := c[r*ldc:][:Panel]
		for i, v := range a[r*b.K : (r+1)*b.K][4*first:] {
			row := panel[(first+i/4)*group+i%4:]
			for k := range out {
				out[k] += (int32(v) - intBias) * int32(row[4*k])
			}
		}
	}
}

// Quantize writes x / scale into out, rounded to the nearest, ties to even, plus zero, and
// bounded to 0…255. NaN becomes any of them.
func Quantize(out []uint8, x []float32, scale float32, zero uint8) {
	n := len(out) &^ 7
	if n > 0 {
		quantizeBlock(out[:n], x[:n], scale, zero)
	}
	plainQuantize(out[n:], x[n:], scale, zero)
}
