//go:build !amd64 && !arm64

package simd

// maxRows is the most rows of a tile.
const maxRows = 1

func tileRows(int) int { return 1 }

func halfTileRows(int) int { return 1 }

// tile is so many rows of a times 32 columns of b.
func tile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel)
}

// halfTile is so many rows of a times 16 columns of b.
func halfTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel/2)
}

// quarterTile is so many rows of a times 8 columns of b.
func quarterTile(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	plainTile(rows, k, a, lda, b, ldb, c, ldc, Panel/4)
}

func dotGroups(groups, k int, a, b []float32, ldb int, out []float32) {
	plainDots(groups, k, a, b, ldb, out)
}

// What follows works on multiples of eight numbers.

func dotBlock(x, y []float32) float32              { return plainDot(x, y) }
func sumBlock(x []float32) float32                 { return plainSum(x) }
func maxBlock(x []float32) float32                 { return plainMax(x) }
func expBlock(z, x []float32, top float32) float32 { return plainExp(z, x, top) }
func addBlock(z, x, y []float32)                   { plainAdd(z, x, y) }
func subBlock(z, x, y []float32)                   { plainSub(z, x, y) }
func mulBlock(z, x, y []float32)                   { plainMul(z, x, y) }
func divBlock(z, x, y []float32)                   { plainDiv(z, x, y) }
func addWithBlock(z, x []float32, y float32)       { plainAddWith(z, x, y) }
func subWithBlock(z, x []float32, y float32)       { plainSubWith(z, x, y) }
func mulWithBlock(z, x []float32, y float32)       { plainMulWith(z, x, y) }
func divWithBlock(z, x []float32, y float32)       { plainDivWith(z, x, y) }
func reluBlock(z, x []float32)                     { plainRelu(z, x) }

func negAbsBlock(z, x []float32)      { plainNegAbs(z, x) }
func logisticBlock(z, e, x []float32) { plainLogistic(z, e, x) }

func quantizeBlock(out []uint8, x []float32, scale float32, zero uint8) {
	plainQuantize(out, x, scale, zero)
}

const intBias = 0

func intRows(*Ints, int) int { return 1 }

func intGroups(int, int, *Ints, []uint8, []int8, *[Panel]int32, []int32, int) bool { return false }

func expandBlocks(b *Blocks, out []float32, panel []int8, scale []float32) {
	plainExpand(b, out, panel, scale)
}

func blockRow(b *Blocks, a []float32, panel []int8, scale, c []float32) {
	plainBlockRow(b, a, panel, scale, c)
}

func twoPanels(int, []float32, []float32, int, []float32) bool { return false }
