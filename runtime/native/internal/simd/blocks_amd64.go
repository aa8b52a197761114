package simd

// These write a row of a times a panel of integers into c. blocks counts blocks of size rows.

//go:noescape
func eightBits32(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func fourBits32(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func eightBits32wide(blocks, size int, a *float32, b *int8, scale, c *float32)

//go:noescape
func fourBits32wide(blocks, size int, a *float32, b *int8, scale, c *float32)

// blockRow is a row of a times a panel of 32 columns.
func blockRow(b *Blocks, a []float32, panel []int8, scale, c []float32) {
	// Assembly looks at no bounds.
	_, _, _, _ = a[b.K-1], panel[b.panelSize()-1], scale[b.K/b.Size*Panel-1], c[Panel-1]
	blocks := b.K / b.Size
	switch {
	case level == plain:
		plainBlockRow(b, a, panel, scale, c)
	case level == avx512 && b.four:
		fourBits32wide(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	case level == avx512:
		eightBits32wide(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	case b.four:
		fourBits32(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	default:
		eightBits32(blocks, b.Size, &a[0], &panel[0], &scale[0], &c[0])
	}
}
