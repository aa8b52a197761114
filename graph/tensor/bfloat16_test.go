package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// brainValue computes what a bfloat16 stands for from the definition.
func brainValue(b tensor.BFloat16Bits) float64 {
	exponent, mantissa := int(b>>7&255), float64(b&127)
	v := math.Ldexp(1+mantissa/128, exponent-127)
	switch {
	case exponent == 0:
		v = math.Ldexp(mantissa/128, -126)
	case exponent == 255 && mantissa == 0:
		v = math.Inf(1)
	case exponent == 255:
		v = math.NaN()
	}
	if b>>15 == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

func TestBFloat16EveryValue(t *testing.T) {
	for i := range 1 << 16 {
		b := tensor.BFloat16Bits(i)
		got, want := float64(b.Float32()), brainValue(b)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%#04x is %v, want %v", b, got, want)
		}
		back := tensor.BFloat16FromFloat32(b.Float32())
		if math.IsNaN(want) {
			b |= 0x40 // a NaN comes back quiet
		}
		if back != b {
			t.Fatalf("%#04x comes back as %#04x", b, back)
		}
	}
}

// Between all neighbours: just below the middle, the middle, and just above it. Above the
// largest the next would be 2^128.
func TestBFloat16Rounding(t *testing.T) {
	for b := tensor.BFloat16Bits(0); b < 0x7f80; b++ {
		high := brainValue(b + 1)
		if b == 0x7f7f {
			high = 0x1p128
		}
		middle := float32((brainValue(b) + high) / 2) // exact: one bit more than bfloat16 has
		for _, tc := range []struct {
			v    float32
			want tensor.BFloat16Bits
		}{
			{math.Nextafter32(middle, 0), b},
			{middle, b + b&1},
			{math.Nextafter32(middle, math.MaxFloat32), b + 1},
		} {
			if got := tensor.BFloat16FromFloat32(tc.v); got != tc.want {
				t.Fatalf("%v rounds to %#04x, want %#04x", tc.v, got, tc.want)
			}
			if got := tensor.BFloat16FromFloat32(-tc.v); got != tc.want|0x8000 {
				t.Fatalf("%v rounds to %#04x, want %#04x", -tc.v, got, tc.want|0x8000)
			}
		}
	}
	for _, bits := range []uint32{0x7f800001, 0xff80ffff, 0x7fffffff, 0xffc00000} { // NaNs, some in the lower half alone
		got := float64(tensor.BFloat16FromFloat32(math.Float32frombits(bits)).Float32())
		if !math.IsNaN(got) || math.Signbit(got) != (bits>>31 == 1) {
			t.Errorf("the NaN %#x becomes %v", bits, got)
		}
	}
}

// Random floats of all exponents go to the nearer of their two neighbours.
func TestBFloat16Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200_000 {
		v := math.Float32frombits(rng.Uint32())
		got := tensor.BFloat16FromFloat32(v)
		if v != v || got&0x7fff == 0x7f80 { // above the largest: see TestBFloat16Rounding
			continue
		}
		away := math.Abs(float64(got.Float32()) - float64(v))
		for _, other := range []tensor.BFloat16Bits{got - 1, got + 1} {
			if d := math.Abs(brainValue(other) - float64(v)); d < away || d == away && got&1 == 1 {
				t.Fatalf("%v becomes %v, and %v is nearer", v, got.Float32(), brainValue(other))
			}
		}
	}
}

func TestToBFloat16(t *testing.T) {
	x := tensor.Of([]float32{1, -0.5, 3e38, 1 + 1./1024}, 2, 2)
	b := tensor.ToBFloat16(x)
	want := tensor.Of([]float32{1, -0.5, float32(brainValue(0x7f62)), 1}, 2, 2)
	if got := tensor.Widened(b); !tensor.Equal(got, want) {
		t.Errorf("%v became %v", tensor.Data[float32](x), tensor.Data[float32](got))
	}
	if b.String() != "bfloat16[2,2]" || b.Bytes() != 8 || tensor.Equal(b, tensor.Halved(x)) || !tensor.Equal(b, b.Clone()) {
		t.Errorf("%v of %d bytes", b, b.Bytes())
	}
	if err := tensor.CheckFinite(b); err != nil {
		t.Error(err)
	}
	if err := tensor.CheckFinite(tensor.ToBFloat16(tensor.Of([]float32{math.MaxFloat32}, 1))); err == nil {
		t.Error("the largest float32 stays finite")
	}
}
