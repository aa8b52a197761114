package native

// maxRank is the most axes that the engine's own kernels take.
const maxRank = 8

// maxArrays is the most arrays that a walk goes along.
const maxArrays = 4

// walk visits, in row-major order of one shape, the matching elements of several arrays.
// Axes that all arrays step through alike are merged, so that operands of equal shape are
// a single row.
type walk struct {
	rank    int // at least 1; the last axis is a row
	shape   [maxRank]int
	strides [maxArrays][maxRank]int
	arrays  int
	rows    int
}

// begin starts a walk over a shape; along adds arrays, end is called after the last.
func (w *walk) begin(arrays int) { w.rank, w.arrays = 0, arrays }

// axis adds an axis, with the distance of neighbours in each array.
func (w *walk) axis(n int, strides ...int) {
	if n == 1 {
		return
	}
	k := w.rank
	merge := k > 0
	for a, s := range strides {
		merge = merge && w.strides[a][k-1] == s*n
	}
	if !merge {
		w.shape[k] = 1
		w.rank++
		k++
	}
	w.shape[k-1] *= n
	for a, s := range strides {
		w.strides[a][k-1] = s
	}
}

func (w *walk) end() {
	if w.rank == 0 {
		w.rank, w.shape[0] = 1, 1
		for a := range w.arrays {
			w.strides[a][0] = 0
		}
	}
	w.rows = 1
	for _, n := range w.shape[:w.rank-1] {
		w.rows *= n
	}
	if w.shape[w.rank-1] == 0 {
		w.rows = 0
	}
}

// spread walks over a shape along operands that are broadcast to it.
func (w *walk) spread(shape []int, operands ...*value) {
	w.begin(len(operands))
	var strides [maxArrays]int
	for i, n := range shape {
		for a, v := range operands {
			strides[a] = 0
			if k := i - (len(shape) - len(v.shape)); k >= 0 && v.shape[k] != 1 {
				strides[a] = product(v.shape[k+1:])
			}
		}
		w.axis(n, strides[:len(operands)]...)
	}
	w.end()
}

// step is the distance of an array's elements within a row.
func (w *walk) step(array int) int { return w.strides[array][w.rank-1] }

// width is the number of elements of a row.
func (w *walk) width() int { return w.shape[w.rank-1] }

// cursor is a row of a walk.
type cursor struct {
	at    [maxArrays]int // the offset of its first element in each array
	index [maxRank]int
}

// from returns the cursor of a row.
func (w *walk) from(row int) (c cursor) {
	if w.rows == 0 {
		return c
	}
	for axis := w.rank - 2; axis >= 0; axis-- {
		c.index[axis] = row % w.shape[axis]
		row /= w.shape[axis]
		for a := range w.arrays {
			c.at[a] += c.index[axis] * w.strides[a][axis]
		}
	}
	return c
}

// next moves to the row behind, if there is one.
func (c *cursor) next(w *walk) {
	for axis := w.rank - 2; axis >= 0; axis-- {
		c.index[axis]++
		for a := range w.arrays {
			c.at[a] += w.strides[a][axis]
		}
		if c.index[axis] < w.shape[axis] {
			return
		}
		for a := range w.arrays {
			c.at[a] -= w.strides[a][axis] * c.index[axis]
		}
		c.index[axis] = 0
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
