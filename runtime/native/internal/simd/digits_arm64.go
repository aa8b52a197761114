package simd

// hasDigits says whether products of blocks of a size are by digits.
func hasDigits(size int) bool {
	return level != plain && dotProducts && size%16 == 0 && size <= 256 // or 32 bits overflow
}

const (
	digitBias     = 0 // integers are signed ones
	mostDigitRows = 1
)

// digitTile is one row in digits times a panel.
func digitTile(_ int, b *Blocks, a *float32, _ int, panel []int8, scale, c []float32, _ int) {
	digitLine(b, a, panel, scale, c)
}
