package precision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// wide is what a matrix in blocks stands for.
func (m blocked) wide() []float32 {
	out := make([]float32, len(m.values))
	for i, v := range m.values {
		if out[i] = float32(v) * m.scale[i/m.size]; m.minimum != nil {
			out[i] += m.minimum[i/m.size]
		}
	}
	return out
}

// half rounds to float16, as the scales of GGUF are.
func half(v float64) float32 {
	return tensor.Data[float32](tensor.Of([]float32{float32(v)}, 1).As(tensor.Float16).As(tensor.Float32))[0]
}

const testRows, testWidth = 3, 512

// inFormat draws a matrix as a format of GGUF dequantizes it, by the formulas of ggml's dequantize_row functions.
func inFormat(rng *rand.Rand, format string) *tensor.Tensor {
	w := make([]float32, 0, testRows*testWidth)
	for len(w) < cap(w) {
		d, least := half(rng.NormFloat64()/50), half(rng.NormFloat64()/5)
		for range 256 / 32 {
			sc, m := float32(rng.IntN(64)), float32(rng.IntN(64))
			if format == "Q4_0" || format == "Q8_0" || format == "Q4_1" { // a scale for each 32
				d, least = half(rng.NormFloat64()/50), half(rng.NormFloat64()/5)
			}
			for i := range 32 {
				switch format {
				case "Q4_0":
					w = append(w, d*float32(rng.IntN(16)-8))
				case "Q4_1":
					w = append(w, d*float32(rng.IntN(16))+least)
				case "Q8_0":
					w = append(w, d*float32(rng.IntN(255)-127))
				case "Q4_K":
					d1, m1 := d*sc, least*m
					w = append(w, d1*float32(rng.IntN(16))-m1)
				case "Q6_K":
					if i == 16 {
						sc = float32(rng.IntN(256) - 128)
					}
					w = append(w, d*sc*float32(rng.IntN(64)-32))
				}
			}
		}
	}
	return tensor.Of(w, testRows, testWidth)
}

// Matrices of GGUF files keep their values: to the bit where there is no minimum, else up to float32's rounding.
func TestFormatsOfGGUF(t *testing.T) {
	for _, tc := range []struct {
		format  string
		want    levels
		levels  levels
		size    int
		minimum bool
	}{
		{"Q4_0", fourBits, fourBits, 32, false},
		{"Q4_0", eightBits, eightBits, 32, false},
		{"Q4_1", fourBits, fourBits, 32, true},
		{"Q4_K", fourBits, fourBits, 32, true},
		{"Q8_0", fourBits, eightBits, 32, false},
		{"Q8_0", eightBits, eightBits, 32, false},
		{"Q6_K", fourBits, eightBits, 16, false},
		{"Q6_K", eightBits, eightBits, 16, false},
	} {
		for seed := range uint64(20) {
			w := inFormat(rand.New(rand.NewPCG(seed, 1)), tc.format)
			m := inBlocks(w, tc.want)
			if m.levels != tc.levels || m.size != tc.size || (m.minimum != nil) != tc.minimum {
				t.Fatalf("%s became levels %v in blocks of %d, minimum %v", tc.format, m.levels, m.size, m.minimum != nil)
			}
			for i, v := range m.wide() {
				x, bound := tensor.Data[float32](w)[i], 0.0
				if tc.minimum {
					bound = 1e-5
				}
				if math.Abs(float64(v-x)) > bound {
					t.Fatalf("%s: %g became %g", tc.format, x, v)
				}
			}
		}
	}
}

// Other numbers are rounded to the nearest level of their block.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := make([]float32, testRows*testWidth)
	for i := range w {
		w[i] = float32(rng.NormFloat64())
	}
	copy(w, make([]float32, 32)) // a block of zeros
	for want, steps := range map[levels]float64{fourBits: 8, eightBits: 127} {
		m := inBlocks(tensor.Of(w, testRows, testWidth), want)
		if m.levels != want || m.size != blockSize || m.minimum != nil {
			t.Fatalf("%v became %v in blocks of %d", want, m.levels, m.size)
		}
		beyond := 0
		for i, v := range m.wide() {
			scale := math.Abs(float64(m.scale[i/blockSize]))
			if e := math.Abs(float64(v - w[i])); e > scale/2*(1+1e-5) {
				if beyond++; e > scale {
					t.Errorf("%v: %g became %g, and a step is %g", want, w[i], v, scale)
				}
			}
			if most := float64(farthest(w[i/blockSize*blockSize:][:blockSize])); math.Abs(math.Abs(most)/steps-scale) > 1e-6 {
				t.Fatalf("%v: a step is %g of %g", want, scale, most)
			}
		}
		if want == eightBits && beyond > 0 || beyond > len(w)/50 { // of four bits there is no level opposite to the farthest
			t.Errorf("%v: %d of %d numbers are more than half a step away", want, beyond, len(w))
		}
	}
}

func TestTransposed(t *testing.T) {
	const rows, cols = 70, 131
	m := make([]int32, rows*cols)
	for i := range m {
		m[i] = int32(i)
	}
	for i, v := range transposed(m, rows, cols) {
		if v != int32(i%rows*cols+i/rows) {
			t.Fatalf("element %d is %d", i, v)
		}
	}
}
