package simd

import "golang.org/x/sys/cpu"

// dotProducts says that the processor multiplies and adds up four integers of 8 bits at once.
var dotProducts = cpu.X86.HasAVX512VNNI

// These write start plus rows of a times a panel, or half of one, into c; k counts groups of
// four rows of b. The last two are for processors with AVX-512's VNNI.

//go:noescape
func ints4x16(k int, a *uint8, lda int, b *int8, start, c *int32, ldc int)

//go:noescape
func ints1x32(k int, a *uint8, b *int8, start, c *int32)

//go:noescape
func ints8x32vnni(k int, a *uint8, lda int, b *int8, start, c *int32, ldc int)

//go:noescape
func ints1x32vnni(k int, a *uint8, b *int8, start, c *int32)

//go:noescape
func quantize8(n int, out *uint8, x *float32, scale, zero float32)

// maxIntRows is the most rows of a tile of integers.
const maxIntRows = 8

// intRows returns how many of so many rows the next tile takes.
func intRows(b *Ints, rows int) int {
	switch {
	case level == avx512 && dotProducts && rows >= 8:
		return 8
	case level == avx2 || level == avx512 && !dotProducts:
		if rows >= 4 && !b.wide {
			return 4
		}
	}
	return 1
}

// intTile is start plus so many rows of a times a panel of b.
func intTile(rows int, b *Ints, a []uint8, panel []int8, start *[Panel]int32, c []int32, ldc int) {
	groups := b.K / 4
	if groups > 0 { // assembly looks at no bounds
		_, _, _ = a[rows*b.K-1], panel[groups*group-1], c[(rows-1)*ldc+Panel-1]
	}
	vnni := level == avx512 && dotProducts
	switch {
	case level == plain || b.wide && !vnni:
		groups = 0
	case groups == 0:
	case rows == 8:
		ints8x32vnni(groups, &a[0], b.K, &panel[0], &start[0], &c[0], ldc)
	case rows == 4:
		ints4x16(groups, &a[0], b.K, &panel[0], &start[0], &c[0], ldc)
		ints4x16(groups, &a[0], b.K, &panel[64], &start[16], &c[16], ldc)
	case vnni:
		ints1x32vnni(groups, &a[0], &panel[0], &start[0], &c[0])
	default:
		ints1x32(groups, &a[0], &panel[0], &start[0], &c[0])
	}
	if groups == 0 {
		for r := range rows {
			copy(c[r*ldc:][:Panel], start[:])
		}
	}
	if 4*groups < b.K {
		plainInts(rows, groups, b, a, panel, c, ldc)
	}
}

func quantizeBlock(out []uint8, x []float32, scale float32, zero uint8) {
	if level == plain {
		plainQuantize(out, x, scale, zero)
		return
	}
	quantize8(len(out), &out[0], &x[:len(out)][0], scale, float32(zero))
}
