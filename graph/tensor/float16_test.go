package tensor_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// value computes what a binary16 stands for from the definition.
func value(h uint16) float64 {
	exponent, mantissa := int(h>>10&31), float64(h&1023)
	v := math.Ldexp(1+mantissa/1024, exponent-15)
	switch {
	case exponent == 0:
		v = math.Ldexp(mantissa/1024, -14)
	case exponent == 31 && mantissa == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if h>>15 == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

func TestFloat16EveryValue(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := float64(tensor.Float32FromFloat16(h)), value(h)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
		back := tensor.Float16FromFloat32(tensor.Float32FromFloat16(h))
		if math.IsNaN(want) {
			h |= 0x200 // a NaN comes back quiet
		}
		if back != h {
			t.Fatalf("%#04x comes back as %#04x", h, back)
		}
	}
}

// TestFloat16Rounding checks the points between all neighbours: just below the
// middle, the middle, and just above it.
func TestFloat16Rounding(t *testing.T) {
	for h := uint16(0); h < 0x7bff; h++ {
		low, high := value(h), value(h+1)
		middle := float32((low + high) / 2) // exact: one bit more than binary16 has
		even := h + h&1
		for _, tc := range []struct {
			v    float32
			want uint16
		}{
			{math.Nextafter32(middle, 0), h},
			{middle, even},
			{math.Nextafter32(middle, math.MaxFloat32), h + 1},
		} {
			if got := tensor.Float16FromFloat32(tc.v); got != tc.want {
				t.Fatalf("%v rounds to %#04x, want %#04x", tc.v, got, tc.want)
			}
			if got := tensor.Float16FromFloat32(-tc.v); got != tc.want|0x8000 {
				t.Fatalf("%v rounds to %#04x, want %#04x", -tc.v, got, tc.want|0x8000)
			}
		}
	}
	for v, want := range map[float32]uint16{65519.99: 0x7bff, 65520: 0x7c00, 1e30: 0x7c00, 1e-30: 0,
		math.SmallestNonzeroFloat32: 0} {
		if got := tensor.Float16FromFloat32(v); got != want {
			t.Errorf("%v rounds to %#04x, want %#04x", v, got, want)
		}
	}
}

func TestHalvedAndWidened(t *testing.T) {
	x := tensor.Of([]float32{1, -0.5, 65504, 1 + 1./4096}, 2, 2)
	want := tensor.Of([]float32{1, -0.5, 65504, 1}, 2, 2)
	if got := tensor.Widened(tensor.Halved(x)); !tensor.Equal(got, want) {
		t.Errorf("%v became %v", tensor.Data[float32](x), tensor.Data[float32](got))
	}
}

func TestCheckFinite(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		err := tensor.CheckFinite(tensor.Of([]float32{0, bad}, 2))
		if err == nil || !strings.Contains(err.Error(), "element 1 is ") {
			t.Errorf("%v: got %v", bad, err)
		}
	}
	if err := tensor.CheckFinite(tensor.Of([]float32{0, math.MaxFloat32}, 2)); err != nil {
		t.Error(err)
	}
}
