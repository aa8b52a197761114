package simd

import "golang.org/x/sys/cpu"

// dotProducts says that the processor multiplies and adds up four integers of 8 bits at once.
var dotProducts = cpu.X86.HasAVX512VNNI

// As ints4x16 and ints1x32, for processors with AVX-512's VNNI.

//go:noescape
func ints8x32vnni(k int, a *uint8, lda int, b *int8, start, c *int32, ldc int)

//go:noescape
func ints1x32vnni(k int, a *uint8, b *int8, start, c *int32)

// intBias is taken off the numbers of the left side by the kernels.
const intBias = 0

// intRows returns how many of so many rows the next tile takes.
func intRows(b *Ints, rows int) int {
	switch {
	case level == wide && dotProducts && rows >= 8:
		return 8
	case level == vectors || level == wide && !dotProducts:
		if rows >= 4 && !b.wide {
			return 4
		}
	}
	return 1
}

// intGroups is intTile for so many groups of four rows of b, and reports whether it has a kernel for them.
func intGroups(rows, groups int, b *Ints, a []uint8, panel []int8, start *[Panel]int32, c []int32, ldc int) bool {
	vnni := level == wide && dotProducts
	switch {
	case level == plain || b.wide && !vnni:
		return false
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
	return true
}
