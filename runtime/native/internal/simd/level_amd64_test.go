package simd

import (
	"fmt"
	"testing"
)

var levelNames = []string{plain: "plain", vectors: "AVX2", wide: "AVX-512"}

// TestTileRows has how many rows each set of kernels takes at once.
func TestTileRows(t *testing.T) {
	best, has := level, dotProducts
	defer func() { level, dotProducts = best, has }()
	small, large := &Ints{}, &Ints{wide: true}
	for _, tc := range []struct {
		level, rows, whole, half  int
		ints, withDots, wide, all int // of integers: without VNNI, with it, of wide numbers without, with
	}{
		{plain, 20, 1, 1, 1, 1, 1, 1}, {plain, 1, 1, 1, 1, 1, 1, 1},
		{vectors, 1, 1, 1, 1, 1, 1, 1}, {vectors, 3, 1, 1, 1, 1, 1, 1}, {vectors, 4, 1, 1, 4, 4, 1, 1}, {vectors, 5, 1, 1, 4, 4, 1, 1},
		{vectors, 6, 6, 6, 4, 4, 1, 1}, {vectors, 8, 6, 6, 4, 4, 1, 1},
		{wide, 3, 1, 1, 1, 1, 1, 1}, {wide, 4, 1, 1, 4, 1, 1, 1}, {wide, 6, 6, 6, 4, 1, 1, 1}, {wide, 7, 6, 6, 4, 1, 1, 1},
		{wide, 8, 8, 6, 4, 8, 1, 8}, {wide, 9, 8, 6, 4, 8, 1, 8},
	} {
		level = tc.level
		got := []int{tileRows(tc.rows), halfTileRows(tc.rows)}
		for _, b := range []*Ints{small, large} {
			for _, dotProducts = range []bool{false, true} {
				got = append(got, intRows(b, tc.rows))
			}
		}
		if want := []int{tc.whole, tc.half, tc.ints, tc.withDots, tc.wide, tc.all}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("level %d, %d rows: %v, want %v", tc.level, tc.rows, got, want)
		}
	}
}
