package summary

import "github.com/nopezoo/zoo/eval"

// depthOf is the depth of a row and 1, 0 for none.
func depthOf(r eval.Row) int {
	if r.Depth == nil {
		return 0
	}
	return *r.Depth + 1
}
