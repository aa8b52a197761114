package simd

import "testing"

var levelNames = []string{plain: "plain", vectors: "NEON"}

// TestTileRows has how many rows each set of kernels takes at once.
func TestTileRows(t *testing.T) {
	best, has := level, dotProducts
	defer func() { level, dotProducts = best, has }()
	for _, tc := range []struct{ level, rows, whole, ints, withDots int }{
		{plain, 20, 1, 1, 1}, {vectors, 3, 1, 1, 1}, {vectors, 4, 1, 1, 4}, {vectors, 5, 1, 1, 4}, {vectors, 6, 6, 1, 4}, {vectors, 9, 6, 1, 4},
	} {
		level, dotProducts = tc.level, false
		ints := intRows(nil, tc.rows)
		dotProducts = true
		if whole, half, dots := tileRows(tc.rows), halfTileRows(tc.rows), intRows(nil, tc.rows); whole != tc.whole || half != tc.whole ||
			ints != tc.ints || dots != tc.withDots {
			t.Errorf("level %d, %d rows: %d, %d, %d, %d", tc.level, tc.rows, whole, half, ints, dots)
		}
	}
}
