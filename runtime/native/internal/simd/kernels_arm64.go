package simd

import "golang.org/x/sys/cpu"

// level says what the processor has: every arm64 has NEON.
var level = vectors

// dotProducts says that the processor multiplies and adds up four integers of 8 bits at once.
var dotProducts = cpu.ARM64.HasASIMDDP

// maxRows is the most rows of a tile.
const maxRows = 6

// tileRows returns how many of so many rows the next tile takes.
func tileRows(rows int) int { return halfTileRows(rows) }

// wideTile is tile for one row.
func wideTile(_, k int, a []float32, _ int, b []float32, ldb int, c []float32, _ int) {
	row32(k, &a[0], &b[0], ldb, &c[0])
}

// intBias is taken off the numbers of the left side by the kernels, which multiply signed ones.
const intBias = 128

// intRows returns how many of so many rows the next tile takes.
func intRows(_ *Ints, rows int) int {
	if level != plain && dotProducts && rows >= 4 {
		return 4
	}
	return 1
}

// intGroups is intTile for so many groups of four rows of b, and reports whether it has a kernel for them.
func intGroups(rows, groups int, b *Ints, a []uint8, panel []int8, start *[Panel]int32, c []int32, ldc int) bool {
	if level == plain || !dotProducts {
		return false
	}
	if rows == 4 {
		ints4x16(groups, &a[0], b.K, &panel[0], &start[0], &c[0], ldc)
		ints4x16(groups, &a[0], b.K, &panel[64], &start[16], &c[16], ldc)
	} else {
		ints1x32(groups, &a[0], &panel[0], &start[0], &c[0])
	}
	return true
}

func twoPanels(int, []float32, []float32, int, []float32) bool { return false }
