package precision

import (
	"math"
	"sync/atomic"

	"github.com/nopezoo/zoo/graph/tensor"
)

// Neighbours of a row that share a scale: blockSize, or halfBlock where these make the integers exact (GGUF's Q6_K).
const (
	blockSize = 32
	halfBlock = blockSize / 2
)

// levels are the integers of a form.
type levels struct{ low, high float64 }

var eightBits, fourBits = levels{-128, 127}, levels{-8, 7}

// blocked is a matrix [out, in] in blocks along in: value·scale + minimum.
type blocked struct {
	out, in, size int
	levels        levels
	values        []int8    // [out, in]
	scale         []float32 // [out, in/size]
	minimum       []float32 // the same; nil for zeros
}

// inBlocks rounds a matrix to the nearest of some levels. One that consists of such blocks already, since it comes from a
// GGUF file of them, keeps its values: with four bits wanted, in the eight that it has.
func inBlocks(w *tensor.Tensor, want levels) blocked {
	exact := func(of levels, size int, fit func([]float32, levels) (scale, minimum float32, exact bool)) (blocked, bool) {
		m := blocked{out: w.Shape()[0], in: w.Shape()[1], size: size, levels: of}
		return m, m.fill(tensor.Data[float32](w), fit)
	}
	if m, is := exact(want, blockSize, symmetric); is {
		return m
	}
	if want == fourBits {
		if m, is := exact(want, blockSize, affine); is {
			return m
		}
		if m, is := exact(eightBits, blockSize, symmetric); is {
			return m
		}
	}
	if m, is := exact(eightBits, halfBlock, symmetric); is {
		return m
	}
	m, _ := exact(want, blockSize, nearest)
	return m
}

// fill sets values, scales and minima as fit wants them, and reports whether all blocks fit.
func (m *blocked) fill(w []float32, fit func([]float32, levels) (scale, minimum float32, fits bool)) bool {
	each := m.in / m.size
	m.values, m.scale, m.minimum = make([]int8, len(w)), make([]float32, m.out*each), make([]float32, m.out*each)
	var misfit, shifted atomic.Bool
	tensor.Parallel(m.out, func(row int) {
		for i := row * each; i < (row+1)*each && !misfit.Load(); i++ {
			block, values := w[i*m.size:(i+1)*m.size], m.values[i*m.size:(i+1)*m.size]
			scale, minimum, fits := fit(block, m.levels)
			if !fits {
				misfit.Store(true)
				return
			}
			if m.scale[i], m.minimum[i] = scale, minimum; minimum != 0 {
				shifted.Store(true)
			}
			for k, v := range block {
				if scale != 0 {
					values[k] = int8(max(m.levels.low, min(m.levels.high, math.Round(float64(v-minimum)/float64(scale)))))
				}
			}
		}
	})
	if !shifted.Load() {
		m.minimum = nil
	}
	return !misfit.Load()
}

// nearest is the scale with which the number that is farthest from zero is the lowest level, as in GGUF's Q4_0, where
// levels are few.
func nearest(block []float32, of levels) (scale, minimum float32, fits bool) {
	if of == eightBits {
		return float32(math.Abs(float64(farthest(block))) / of.high), 0, true
	}
	return float32(float64(farthest(block)) / of.low), 0, true
}

func farthest(block []float32) (v float32) {
	for _, x := range block {
		if math.Abs(float64(x)) > math.Abs(float64(v)) {
			v = x
		}
	}
	return v
}

// symmetric finds the scale of which all numbers are multiples.
func symmetric(block []float32, of levels) (scale, minimum float32, exact bool) {
	most := float64(farthest(block))
	if most == 0 {
		return 0, 0, true
	}
	if scale = float32(most / of.low); multiples(block, scale, of) {
		return scale, 0, true
	}
	for level := of.high; level > 0; level-- {
		if scale = float32(math.Abs(most) / level); multiples(block, scale, of) {
			return scale, 0, true
		}
	}
	return 0, 0, false
}

func multiples(block []float32, scale float32, of levels) bool {
	for _, v := range block {
		if level := math.Round(float64(v) / float64(scale)); !(level >= of.low && level <= of.high) || float32(level)*scale != v {
			return false
		}
	}
	return true
}

// affine finds scale and minimum where all numbers are the least of them and steps from it, as in GGUF's Q4_1 and Q4_K. It
// heeds that these were rounded to float32. The minimum stands for the level 0.
func affine(block []float32, of levels) (scale, minimum float32, exact bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range block {
		least, most = min(least, float64(v)), max(most, float64(v))
	}
	if least == most {
		return 0, float32(least), true
	}
	rounding := 0x1p-21 * max(-least, most)
	for steps := of.high - of.low; steps > 0; steps-- {
		step := (most - least) / steps
		if steppedBy(block, least, step, rounding) {
			return float32(step), float32(least - of.low*step), true
		}
	}
	return 0, 0, false
}

func steppedBy(block []float32, least, step, rounding float64) bool {
	for _, v := range block {
		if from := float64(v) - least; math.Abs(math.Round(from/step)*step-from) > rounding {
			return false
		}
	}
	return true
}

// transposed returns a matrix [rows, cols] as [cols, rows].
func transposed[T any](m []T, rows, cols int) []T {
	const tile = 64
	out := make([]T, len(m))
	tensor.Parallel((cols+tile-1)/tile, func(part int) {
		from, to := part*tile, min((part+1)*tile, cols)
		for first := 0; first < rows; first += tile {
			for c := from; c < to; c++ {
				for r := first; r < min(first+tile, rows); r++ {
					out[c*rows+r] = m[r*cols+c]
				}
			}
		}
	})
	return out
}
