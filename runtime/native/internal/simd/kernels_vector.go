//go:build amd64 || arm64

package simd

const (
	plain   = iota
	vectors // AVX2 with FMA, or NEON
	wide    // AVX-512
)

//go:noescape
func tile6x16(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func row32(k int, a, b *float32, ldb int, c *float32)

//go:noescape
func row16(k int, a, b *float32, ldb int, c *float32)

//go:noescape
func tile6x8(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func row8(k int, a, b *float32, ldb int, c *float32)

//go:noescape
func dots4(groups, k int, a, b *float32, ldb int, out *float32)

//go:noescape
func relu8(n int, z, x *float32)

//go:noescape
func negAbs8(n int, z, x *float32)

//go:noescape
func logistic8(n int, z, e, x *float32)

//go:noescape
func max8(n int, x *float32) float32

//go:noescape
func dot8(n int, x, y *float32) float32

//go:noescape
func sum8(n int, x *float32) float32

//go:noescape
func exp8(n int, z, x *float32, top float32, consts *float32) float32

//go:noescape
func add8(n int, z, x, y *float32)

//go:noescape
func addWith8(n int, z, x *float32, y float32)

//go:noescape
func sub8(n int, z, x, y *float32)

//go:noescape
func subWith8(n int, z, x *float32, y float32)

//go:noescape
func mul8(n int, z, x, y *float32)

//go:noescape
func mulWith8(n int, z, x *float32, y float32)

//go:noescape
func div8(n int, z, x, y *float32)

//go:noescape
func divWith8(n int, z, x *float32, y float32)

//go:noescape
func quantize8(n int, out *uint8, x *float32, scale, zero float32)

// The next two write start plus rows of a times a panel, or half of one, into c; k counts groups of four rows of b.

//go:noescape
func ints4x16(k int, a *uint8, lda int, b *int8, start, c *int32, ldc int)

//go:noescape
func ints1x32(k int, a *uint8, b *int8, start, c *int32)

// The next two write a row of a times a panel of integers into c. blocks counts blocks of size rows.

//go:noescape
func eightBits32(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func fourBits32(blocks, size int, a *float32, b *int8, scale, c *float32)

// The next two write a panel of integers, times their scales.

//go:noescape
func expandEightBits(blocks, size int, b *int8, scale, out *float32)

//go:noescape
func expandFourBits(blocks, size int, b *int8, scale, out *float32)

func halfTileRows(rows int) int {
	if level != plain && rows >= 6 {
		return 6
	}
	return 1
}

// within panics, as an index does, unless so many rows of a width, a stride apart, are in
// x: assembly looks at no bounds.
func within(x []float32, rows, width, stride int) { _ = x[(rows-1)*stride+width-1] }

// tile is so many rows of a times 32 columns of b.
func tile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	within(a, rows, k, lda)
	within(b, k, Panel, ldb)
	within(c, rows, Panel, ldc)
	switch {
	case level == plain:
		plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel)
	case rows == 6:
		tile6x16(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
		tile6x16(k, &a[0], lda, &b[16], ldb, &c[16], ldc)
	default:
		wideTile(rows, k, a, lda, b, ldb, c, ldc)
	}
}

// halfTile is so many rows of a times 16 columns of b.
func halfTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	within(a, rows, k, lda)
	within(b, k, Panel/2, ldb)
	within(c, rows, Panel/2, ldc)
	switch {
	case level == plain:
		plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel/2)
	case rows == 6:
		tile6x16(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
	default:
		row16(k, &a[0], &b[0], ldb, &c[0])
	}
}

// quarterTile is so many rows of a times 8 columns of b.
func quarterTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	within(a, rows, k, lda)
	within(b, k, Panel/4, ldb)
	within(c, rows, Panel/4, ldc)
	switch {
	case level == plain:
		plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel/4)
	case rows == 6:
		tile6x8(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
	default:
		row8(k, &a[0], &b[0], ldb, &c[0])
	}
}

// dotGroups is groups of four products of a with rows of b.
func dotGroups(groups, k int, a, b []float32, ldb int, out []float32) {
	within(a, 1, k, 0)
	within(b, 4*groups, k, ldb)
	within(out, 1, 4*groups, 0)
	if level == plain {
		plainDots(groups, k, a, b, ldb, out)
		return
	}
	dots4(groups, k, &a[0], &b[0], ldb, &out[0])
}

// What follows works on vectors of one length, a multiple of eight.

func dotBlock(x, y []float32) float32 {
	if level == plain {
		return plainDot(x, y)
	}
	return dot8(len(x), &x[0], &y[:len(x)][0])
}

func sumBlock(x []float32) float32 {
	if level == plain {
		return plainSum(x)
	}
	return sum8(len(x), &x[0])
}

func maxBlock(x []float32) float32 {
	if level == plain {
		return plainMax(x)
	}
	return max8(len(x), &x[0])
}

func expBlock(z, x []float32, top float32) float32 {
	if level == plain {
		return plainExp(z, x, top)
	}
	return exp8(len(z), &z[0], &x[:len(z)][0], top, &expConsts[0])
}

func reluBlock(z, x []float32) {
	if level == plain {
		plainRelu(z, x)
		return
	}
	relu8(len(z), &z[0], &x[:len(z)][0])
}

func negAbsBlock(z, x []float32) {
	if level == plain {
		plainNegAbs(z, x)
		return
	}
	negAbs8(len(z), &z[0], &x[:len(z)][0])
}

func logisticBlock(z, e, x []float32) {
	if level == plain {
		plainLogistic(z, e, x)
		return
	}
	logistic8(len(z), &z[0], &e[:len(z)][0], &x[:len(z)][0])
}

func addBlock(z, x, y []float32) {
	if level == plain {
		plainAdd(z, x, y)
		return
	}
	add8(len(z), &z[0], &x[:len(z)][0], &y[:len(z)][0])
}

func addWithBlock(z, x []float32, y float32) {
	if level == plain {
		plainAddWith(z, x, y)
		return
	}
	addWith8(len(z), &z[0], &x[:len(z)][0], y)
}

func subBlock(z, x, y []float32) {
	if level == plain {
		plainSub(z, x, y)
		return
	}
	sub8(len(z), &z[0], &x[:len(z)][0], &y[:len(z)][0])
}

func subWithBlock(z, x []float32, y float32) {
	if level == plain {
		plainSubWith(z, x, y)
		return
	}
	subWith8(len(z), &z[0], &x[:len(z)][0], y)
}

func mulBlock(z, x, y []float32) {
	if level == plain {
		plainMul(z, x, y)
		return
	}
	mul8(len(z), &z[0], &x[:len(z)][0], &y[:len(z)][0])
}

func mulWithBlock(z, x []float32, y float32) {
	if level == plain {
		plainMulWith(z, x, y)
		return
	}
	mulWith8(len(z), &z[0], &x[:len(z)][0], y)
}

func divBlock(z, x, y []float32) {
	if level == plain {
		plainDiv(z, x, y)
		return
	}
	div8(len(z), &z[0], &x[:len(z)][0], &y[:len(z)][0])
}

func divWithBlock(z, x []float32, y float32) {
	if level == plain {
		plainDivWith(z, x, y)
		return
	}
	divWith8(len(z), &z[0], &x[:len(z)][0], y)
}

func quantizeBlock(out []uint8, x []float32, scale float32, zero uint8) {
	if level == plain {
		plainQuantize(out, x, scale, zero)
		return
	}
	quantize8(len(out), &out[0], &x[:len(out)][0], scale, float32(zero))
}

// expandBlocks writes a panel as float32.
func expandBlocks(b *Blocks, out []float32, panel []int8, scale []float32) {
	_, _, _ = panel[b.panelSize()-1], scale[b.K/b.Size*Panel-1], out[b.K*Panel-1]
	switch {
	case level == plain:
		plainExpand(b, out, panel, scale)
	case b.four:
		expandFourBits(b.K/b.Size, b.Size, &panel[0], &scale[0], &out[0])
	default:
		expandEightBits(b.K/b.Size, b.Size, &panel[0], &scale[0], &out[0])
	}
}

// blockRow is a row of a times a panel of 32 columns.
func blockRow(b *Blocks, a []float32, panel []int8, scale, c []float32) {
	// Assembly looks at no bounds.
	_, _, _, _ = a[b.K-1], panel[b.panelSize()-1], scale[b.K/b.Size*Panel-1], c[Panel-1]
	switch {
	case level == plain:
		plainBlockRow(b, a, panel, scale, c)
	case b.four:
		fourBits32(b.K/b.Size, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	default:
		eightBits32(b.K/b.Size, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	}
}
