package simd

const (
	digitLevel    = wide // the lowest with kernels
	digitBias     = 128
	mostDigitRows = 8 // of a tile, or else one
)

//go:noescape
func digits8x16(blocks, size int, a *float32, lda int, b *int8, scale, c *float32, ldc int)

//go:noescape
func nibbleDigits8x16(blocks, size int, a *float32, lda int, b *int8, scale, c *float32, ldc int)

// digitTile is one row or mostDigitRows in digits times a panel.
func digitTile(rows int, b *Blocks, a *float32, lda int, panel []int8, scale, c []float32, ldc int) {
	if rows == 1 {
		digitLine(b, a, panel, scale, c)
		return
	}
	blocks := b.K / b.Size
	for i := 0; i < Panel; i += 16 {
		if b.four {
			nibbleDigits8x16(blocks, b.Size, a, lda, &panel[4*i], &scale[i], &c[i], ldc)
		} else {
			digits8x16(blocks, b.Size, a, lda, &panel[4*i], &scale[i], &c[i], ldc)
		}
	}
}
