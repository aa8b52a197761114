package pe_test

import (
	"math"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

// The values of D = 4 at position 3 follow from the formula by hand: angles 3
// and 0.03. 1e-6 is their printed precision.
func TestSinusoidalValues(t *testing.T) {
	d := pe.Dims{Model: 4}
	for settings, want := range map[string][]float64{
		`{"amplitude":1,"layout":"halves"}`:      {0.14112, 0.029996, -0.989992, 0.99955},
		`{"amplitude":1,"layout":"interleaved"}`: {0.14112, -0.989992, 0.029996, 0.99955},
		`{"amplitude":1}`:                        {0.14112, -0.989992, 0.029996, 0.99955},
		``:                                       {0.02 * 0.14112, 0.02 * -0.989992, 0.02 * 0.029996, 0.02 * 0.99955},
	} {
		got, err := embedded(t, newEncoding(t, "sinusoidal", settings, d), d, []int64{3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "layout "+settings, got, want, 1e-6)
	}
}

// A learned amplitude is one weight that begins at the amplitude, without decay.
func TestSinusoidalLearned(t *testing.T) {
	d := pe.Dims{Model: 4}
	for settings, start := range map[string]float64{`{"learned":true}`: 0.02, `{"learned":true,"amplitude":0.5}`: 0.5} {
		got := newEncoding(t, "sinusoidal", settings, d).Params()
		if len(got) != 1 || got[0].Mean != start || got[0].Std != 0 || got[0].Decay || !slices.Equal(got[0].Shape, []int{1}) {
			t.Errorf("%s: weights %+v", settings, got)
		}
	}
	for _, settings := range []string{"", `{"learned":false}`, `{"amplitude":1}`} {
		if got := newEncoding(t, "sinusoidal", settings, d).Params(); got != nil {
			t.Errorf("%s: weights %+v", settings, got)
		}
	}
}

// The twin, element by element from the paper's formula, and far beyond any
// table. 1e-3 allows for the float32 frequencies at position 10,000.
func TestSinusoidalTwin(t *testing.T) {
	d := pe.Dims{Model: 10}
	for _, pos := range []int64{0, 1, 17, 513, 10000} {
		got, err := embedded(t, newEncoding(t, "sinusoidal", `{"amplitude":1}`, d), d, []int64{pos}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, d.Model)
		for i := range want {
			angle := float64(pos) / math.Pow(10000, float64(i/2*2)/float64(d.Model))
			if want[i] = math.Sin(angle); i%2 == 1 {
				want[i] = math.Cos(angle)
			}
		}
		near(t, "features", got, want, 1e-3)
	}
}
