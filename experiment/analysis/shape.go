package analysis

import (
	"cmp"
	"iter"
	"math"

	"github.com/nopezoo/zoo/eval"
)

// compareShapes orders sequences by how many tokens they and their prompts have.
func compareShapes(a, b eval.Sequence) int {
	return cmp.Or(len(a.IDs)-len(b.IDs), a.Prompt-b.Prompt)
}

// chunksBy yields the runs of equal elements of a sorted list.
func chunksBy[T any](sorted []T, compare func(a, b T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for from := 0; from < len(sorted); {
			to := from + 1
			for to < len(sorted) && compare(sorted[from], sorted[to]) == 0 {
				to++
			}
			if !yield(sorted[from:to]) {
				return
			}
			from = to
		}
	}
}

// shrink is eval.Attention.Map of a head: where tokens share a cell, the mean of their rows of
// the weights' sum within the cell's columns.
func shrink(in *inside, layer, head int) [][]float64 {
	tokens := len(in.ids)
	cells := min(tokens, eval.MapCells)
	of := func(t int) int { return t * cells / tokens }
	out, rows := make([][]float64, cells), make([]float64, cells)
	for i := range out {
		out[i] = make([]float64, cells)
	}
	for t := range tokens {
		rows[of(t)]++
		for j, w := range in.row(layer, head, t) {
			out[of(t)][of(j)] += float64(w)
		}
	}
	for i, row := range out {
		for j := range row {
			row[j] = math.Round(1000*row[j]/rows[i]) / 1000
		}
	}
	return out
}
