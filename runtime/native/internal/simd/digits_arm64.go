package simd

const (
	digitLevel    = vectors // the lowest with kernels
	digitBias     = 0       // integers are signed ones
	mostDigitRows = 1
)

// digitTile is one row in digits times a panel.
func digitTile(_ int, b *Blocks, a *float32, _ int, panel []int8, scale, c []float32, _ int) {
	digitLine(b, a, panel, scale, c)
}
