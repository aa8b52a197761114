// Package simd has the inner loops of the pure-Go engine, on float32: matrix products, and
// functions of vectors. On amd64 they are assembly for AVX2 with FMA, or for AVX-512,
// whichever the processor has, on arm64 for NEON; elsewhere plain Go. Results differ between
// these in rounding alone. Matrices are row-major, and their strides count numbers.
package simd

import "math"

// Panel is the number of columns that a packed matrix keeps together.
const Panel = 32

// Packed is a matrix [K,N] as the right side of products: panels of 32 columns, the last
// filled up with zeros, of which each is contiguous.
type Packed struct {
	K, N int
	data []float32
}

// Panels returns how many panels a matrix of n columns has.
func Panels(n int) int { return (n + Panel - 1) / Panel }

// PackedSize returns how many numbers a packed matrix takes.
func PackedSize(k, n int) int { return Panels(n) * Panel * k }

// Pack copies a matrix [k,n] with a row stride into memory of PackedSize numbers; with
// transposed, what is given is [n,k].
func Pack(memory, b []float32, k, n, stride int, transposed bool) Packed {
	p := Packed{K: k, N: n, data: memory[:PackedSize(k, n)]}
	for first := 0; first < n; first += Panel {
		panel := p.panel(first / Panel)
		cols := min(Panel, n-first)
		if cols < Panel {
			clear(panel)
		}
		if transposed {
			for c := range cols {
				row := b[(first+c)*stride:][:k]
				for i, v := range row {
					panel[i*Panel+c] = v
				}
			}
			continue
		}
		for i := range k {
			copy(panel[i*Panel:][:cols], b[i*stride+first:])
		}
	}
	return p
}

// First is the matrix of the first n columns.
func (p *Packed) First(n int) Packed { return Packed{K: p.K, N: n, data: p.data} }

func (p *Packed) panel(i int) []float32 { return p.data[i*Panel*p.K:][:Panel*p.K] }

// TileRows is how many rows the tiles of Product and of Rows take, for so many columns. Rows from a multiple of it on round
// alike by themselves.
func TileRows(columns int) int {
	rows := tileRows(maxRows)
	if columns%Panel >= Panel/4 { // Rows has narrower tiles, too
		for rows%halfTileRows(maxRows) != 0 {
			rows += tileRows(maxRows)
		}
	}
	return rows
}

// Product writes the panels from up to to of a·b into c [rows,N], for a [rows,K].
func Product(c, a []float32, rows int, b *Packed, from, to int) {
	if b.K == 0 {
		for r := range rows {
			clear(c[r*b.N+from*Panel : r*b.N+min(to*Panel, b.N)])
		}
		return
	}
	for i := from; i < to; i++ {
		one := Packed{K: b.K, N: min(Panel, b.N-i*Panel), data: b.panel(i)}
		productPanel(c[i*Panel:], b.N, a, rows, &one)
	}
}

// productPanel writes a·b for a b of one panel into the rows of c, which are ldc apart.
func productPanel(c []float32, ldc int, a []float32, rows int, b *Packed) {
	var partial [maxRows * Panel]float32
	for r := 0; r < rows; {
		n := tileRows(rows - r)
		if b.N == Panel {
			tile(n, b.K, a[r*b.K:], b.K, b.data, Panel, c[r*ldc:], ldc)
		} else {
			tile(n, b.K, a[r*b.K:], b.K, b.data, Panel, partial[:], Panel)
			for k := range n {
				copy(c[(r+k)*ldc:][:b.N], partial[k*Panel:])
			}
		}
		r += n
	}
}

// Rows writes a·b into c [rows,n], for a [rows,k] and b [k,n], which is not packed.
func Rows(c, a []float32, rows int, b []float32, k, n int) {
	if k == 0 {
		clear(c[:rows*n])
		return
	}
	first := 0
	if tileRows(rows) == 1 { // rows of b are read once, not panel by panel
		for ; first+2*Panel <= n && twoPanels(k, a, b[first:], n, c[first:]); first += 2 * Panel {
			for r := 1; r < rows; r++ {
				twoPanels(k, a[r*k:], b[first:], n, c[r*n+first:])
			}
		}
	}
	for ; first+Panel <= n; first += Panel {
		for r := 0; r < rows; {
			m := tileRows(rows - r)
			tile(m, k, a[r*k:], k, b[first:], n, c[r*n+first:], n)
			r += m
		}
	}
	if first+Panel/2 <= n {
		for r := 0; r < rows; {
			m := halfTileRows(rows - r)
			halfTile(m, k, a[r*k:], k, b[first:], n, c[r*n+first:], n)
			r += m
		}
		first += Panel / 2
	}
	if first+Panel/4 <= n {
		for r := 0; r < rows; {
			m := halfTileRows(rows - r)
			quarterTile(m, k, a[r*k:], k, b[first:], n, c[r*n+first:], n)
			r += m
		}
		first += Panel / 4
	}
	if first < n {
		for r := range rows {
			plainRow(k, a[r*k:], b[first:], n, c[r*n+first:r*n+n])
		}
	}
}

// Dots writes into out the products of the vector a with so many rows of b, which are
// stride apart.
func Dots(out, a, b []float32, stride int) {
	rows, k := len(out), len(a)
	groups := 0
	if k%8 == 0 && k > 0 {
		groups = rows / 4
		if groups > 0 {
			dotGroups(groups, k, a, b, stride, out)
		}
	}
	for r := 4 * groups; r < rows; r++ {
		out[r] = Dot(a, b[r*stride:][:k])
	}
}

// Dot returns the product of two vectors of one length.
func Dot(x, y []float32) float32 {
	y = y[:len(x)]
	n := len(x) &^ 7
	sum := float32(0)
	if n > 0 {
		sum = dotBlock(x[:n], y)
	}
	for i := n; i < len(x); i++ {
		sum += x[i] * y[i]
	}
	return sum
}

// Sum adds up.
func Sum(x []float32) float32 {
	n := len(x) &^ 7
	sum := float32(0)
	if n > 0 {
		sum = sumBlock(x[:n])
	}
	for _, v := range x[n:] {
		sum += v
	}
	return sum
}

// Max returns the largest of x, −∞ for none, and NaN where one is.
func Max(x []float32) float32 {
	n := len(x) &^ 7
	top := float32(math.Inf(-1))
	if n > 0 {
		top = maxBlock(x[:n])
	}
	for _, v := range x[n:] {
		if v > top || v != v {
			top = v
		}
	}
	return top
}

// ExpCut is how far below the largest a number is whose exponential Exp takes for zero:
// e⁻⁶⁹ is 1e-30. A sum that holds 1 is the same with it, and a quotient by a sum of up to
// a hundred million terms is no denormal number, which processors take a hundred times as
// long for.
const ExpCut = -69

// Exp writes exp(x − top) into z, zero for what is below ExpCut, and returns the sum. Nothing
// in x is above top.
func Exp(z, x []float32, top float32) float32 {
	n := len(x) &^ 7
	sum := float32(0)
	if n > 0 {
		sum = expBlock(z[:n], x[:n], top)
	}
	if n < len(x) {
		var rest [8]float32 // in whole, so that a number's exponential is the same everywhere
		for i := range rest {
			rest[i] = float32(math.Inf(-1))
		}
		copy(rest[:], x[n:])
		sum += expBlock(rest[:], rest[:], top)
		copy(z[n:len(x)], rest[:])
	}
	return sum
}

// Add, Sub, Mul and Div work on vectors of one length. z may be x or y.
func Add(z, x, y []float32) {
	n := len(z) &^ 7
	if n > 0 {
		addBlock(z[:n], x[:n], y[:n])
	}
	plainAdd(z[n:], x[n:], y[n:])
}

// Sub is as Add.
func Sub(z, x, y []float32) {
	n := len(z) &^ 7
	if n > 0 {
		subBlock(z[:n], x[:n], y[:n])
	}
	plainSub(z[n:], x[n:], y[n:])
}

// Mul is as Add.
func Mul(z, x, y []float32) {
	n := len(z) &^ 7
	if n > 0 {
		mulBlock(z[:n], x[:n], y[:n])
	}
	plainMul(z[n:], x[n:], y[n:])
}

// Div is as Add.
func Div(z, x, y []float32) {
	n := len(z) &^ 7
	if n > 0 {
		divBlock(z[:n], x[:n], y[:n])
	}
	plainDiv(z[n:], x[n:], y[n:])
}

// AddWith, SubWith, MulWith and DivWith have one number on the right.
func AddWith(z, x []float32, y float32) {
	n := len(z) &^ 7
	if n > 0 {
		addWithBlock(z[:n], x[:n], y)
	}
	plainAddWith(z[n:], x[n:], y)
}

// SubWith is as AddWith.
func SubWith(z, x []float32, y float32) {
	n := len(z) &^ 7
	if n > 0 {
		subWithBlock(z[:n], x[:n], y)
	}
	plainSubWith(z[n:], x[n:], y)
}

// MulWith is as AddWith.
func MulWith(z, x []float32, y float32) {
	n := len(z) &^ 7
	if n > 0 {
		mulWithBlock(z[:n], x[:n], y)
	}
	plainMulWith(z[n:], x[n:], y)
}

// DivWith is as AddWith.
func DivWith(z, x []float32, y float32) {
	n := len(z) &^ 7
	if n > 0 {
		divWithBlock(z[:n], x[:n], y)
	}
	plainDivWith(z[n:], x[n:], y)
}

// Sigmoid writes 1 / (1 + exp(−x)) into z, from exponentials of what is not positive, which cannot overflow.
func Sigmoid(z, x []float32) {
	var memory [256]float32
	for len(x) > 0 {
		n := min(len(x), len(memory))
		e, whole := memory[:n], n&^7
		if whole > 0 {
			negAbsBlock(e[:whole], x[:whole])
		}
		plainNegAbs(e[whole:], x[whole:n])
		Exp(e, e, 0)
		if whole > 0 {
			logisticBlock(z[:whole], e[:whole], x[:whole])
		}
		plainLogistic(z[whole:n], e[whole:], x[whole:n])
		z, x = z[n:], x[n:]
	}
}

// Relu takes zero for what is negative, and lets NaN through.
func Relu(z, x []float32) {
	n := len(z) &^ 7
	if n > 0 {
		reluBlock(z[:n], x[:n])
	}
	plainRelu(z[n:], x[n:])
}
