package simd

import "golang.org/x/sys/cpu"

// level says what the processor has.
var level = detect()

func detect() int {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return plain
	case !cpu.X86.HasAVX512F:
		return vectors
	}
	return wide
}

//go:noescape
func tile8x32(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func row32wide(k int, a, b *float32, ldb int, c *float32)

//go:noescape
func row64wide(k int, a, b *float32, ldb int, c *float32)

// maxRows is the most rows of a tile.
const maxRows = 8

// tileRows returns how many of so many rows the next tile takes.
func tileRows(rows int) int {
	if level == wide && rows >= 8 {
		return 8
	}
	return halfTileRows(rows)
}

// wideTile is tile for one row and for eight.
func wideTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	switch {
	case rows == 8:
		tile8x32(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
	case level == wide:
		row32wide(k, &a[0], &b[0], ldb, &c[0])
	default:
		row32(k, &a[0], &b[0], ldb, &c[0])
	}
}

// twoPanels is tile for one row and 64 columns, and reports whether there is a kernel for it.
func twoPanels(k int, a, b []float32, ldb int, c []float32) bool {
	if level != wide {
		return false
	}
	within(a, 1, k, 0)
	within(b, k, 2*Panel, ldb)
	within(c, 1, 2*Panel, 0)
	row64wide(k, &a[0], &b[0], ldb, &c[0])
	return true
}
