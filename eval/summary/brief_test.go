package summary

import (
	"slices"
	"testing"
)

// TestTelling: of too many lengths those stay where something ends, the last, and such as lie between.
func TestTelling(t *testing.T) {
	for _, test := range []struct {
		n, most int
		given   []int
		want    []int
	}{
		{14, 10, []int{5, 6, 11}, []int{0, 2, 4, 5, 6, 7, 9, 11, 12, 13}},
		{14, 5, []int{5, 5}, []int{3, 5, 8, 12, 13}},
		{3, 5, []int{1}, []int{0, 1, 2}},
		{9, 2, []int{1, 2, 3}, []int{3, 8}},
		{4, 1, nil, []int{3}},
	} {
		if got := telling(test.n, test.most, test.given); !slices.Equal(got, test.want) {
			t.Errorf("%d of %d with %v: %v, want %v", test.most, test.n, test.given, got, test.want)
		}
	}
}
