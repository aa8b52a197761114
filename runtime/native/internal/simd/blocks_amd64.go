package simd

// These write a row of a times a panel of integers into c. blocks counts blocks of size rows.

//go:noescape
func eightBits32wide(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func fourBits32wide(blocks, size int, a *float32, b *int8, scale, c *float32)

// blockKernel is blockRow for level vectors and above.
func blockKernel(b *Blocks, a []float32, panel []int8, scale, c []float32) {
	blocks := b.K / b.Size
	switch {
	case level == wide && b.four:
		fourBits32wide(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	case level == wide:
		eightBits32wide(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	case b.four:
		fourBits32(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	default:
		eightBits32(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	}
}
