//go:build amd64 || arm64

package simd

// Processors that multiply integers of 8 bits multiply integers in blocks with rows of integers, too. Each block of a row becomes
// integers of 16 bits with a scale of the block, as the largest number has 32,639, and these two digits: 256·high + low, of −128…127
// each. Sums of digits times integers are exact. So a row has the same bits alone and among others, and the rounding of its numbers,
// half of 1/32,639 of the block's largest at most, is all that is lost.
//
// A block of a row lies in 2 + Size/2 words of 32 bits: what the integers' bias adds up to, with its sign turned; for each four
// numbers their high and their low digits; the scale. Integers of a panel lie in groups of four rows, as those of Ints, and are
// digitBias more than they stand for. Those of 4 bits are 8 more, and two groups lie in one, the first in the lower bits.

// hasDigits says whether products of blocks of a size are by digits.
func hasDigits(size int) bool {
	return level >= digitLevel && dotProducts && size%16 == 0 && size <= 256 // or 32 bits overflow
}

// digitRows is how many rows get digits at a time: these stay in the cache while all panels pass.
const digitRows = 64

//go:noescape
func digits16(blocks, size, bias int, x, out *float32)

//go:noescape
func digits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func nibbleDigits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)

// digitScratch is how many numbers productDigits needs for so many rows.
func digitScratch(rows int, b *Blocks) int { return min(rows, digitRows) * b.digitRow() }

// digitRow is how many words a row has.
func (b *Blocks) digitRow() int { return b.K / b.Size * (2 + b.Size/2) }

// productDigits is ProductBlocks by digits.
func productDigits(c, a []float32, rows int, b *Blocks, from, to int, scratch []float32) {
	blocks, lda := b.K/b.Size, b.digitRow()
	bias := digitBias
	if b.four {
		bias = 8
	}
	var partial [mostDigitRows * Panel]float32
	for ; rows > 0; rows -= digitRows {
		n := min(rows, digitRows)
		// Assembly looks at no bounds.
		_, _, _ = a[n*b.K-1], scratch[n*lda-1], c[(n-1)*b.N+min(to*Panel, b.N)-1]
		digits16(n*blocks, b.Size, bias, &a[0], &scratch[0])
		for i := from; i < to; i++ {
			panel, scale := b.data[i*b.panelSize():][:b.panelSize()], b.scale[i*blocks*Panel:][:blocks*Panel]
			cols := min(Panel, b.N-i*Panel)
			for r := 0; r < n; {
				out, ldc, tile := c[r*b.N+i*Panel:], b.N, 1
				if n-r >= mostDigitRows {
					tile = mostDigitRows
				}
				if cols < Panel {
					out, ldc = partial[:], Panel
				}
				digitTile(tile, b, &scratch[r*lda], lda, panel, scale, out, ldc)
				if cols < Panel {
					for k := range tile {
						copy(c[(r+k)*b.N+i*Panel:][:cols], partial[k*Panel:])
					}
				}
				r += tile
			}
		}
		if rows > digitRows {
			c, a = c[digitRows*b.N:], a[digitRows*b.K:]
		}
	}
}

// digitLine is a row in digits times a panel.
func digitLine(b *Blocks, a *float32, panel []int8, scale, c []float32) {
	if b.four {
		nibbleDigits1x32(b.K/b.Size, b.Size, a, &panel[0], &scale[0], &c[0])
	} else {
		digits1x32(b.K/b.Size, b.Size, a, &panel[0], &scale[0], &c[0])
	}
}
