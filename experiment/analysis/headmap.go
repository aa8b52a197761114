package analysis

import "math"

// mapCells is how many rows and columns a map of weights has at most, in equal numbers.
const mapCells = 48

// shrink is a map of a head's weights: a cell has the mean over its queries of the weight on its keys.
func shrink(in *inside, layer, head int) [][]float64 {
	tokens := len(in.ids)
	cells := min(tokens, mapCells)
	cell := func(t int) int { return t * cells / tokens }
	out, rows := make([][]float64, cells), make([]float64, cells)
	for i := range out {
		out[i] = make([]float64, cells)
	}
	for t := range tokens {
		rows[cell(t)]++
		for j, w := range in.row(layer, head, t) {
			out[cell(t)][cell(j)] += float64(w)
		}
	}
	for i, row := range out {
		for j := range row {
			row[j] = math.Round(1000*row[j]/rows[i]) / 1000
		}
	}
	return out
}
