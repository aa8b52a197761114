package tensor_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// short is a type of 16 bits: a sign, an exponent, and a mantissa of so many bits.
type short struct {
	name     string
	mantissa int
	bias     int
	read     func(uint16) float32
	round    func(float32) uint16
}

var (
	binary16 = short{"float16", 10, 15, tensor.Float32FromFloat16, tensor.Float16Of}
	brain    = short{"bfloat16", 7, 127, func(b uint16) float32 { return tensor.BFloat16Of(b) },
		func(v float32) uint16 { return uint16(tensor.ToBFloat16(v)) }}
	shorts = []short{binary16, brain}
)

// infinite is +Inf: the exponent has all bits, the mantissa none.
func (s short) infinite() uint16 { return 0x7fff >> s.mantissa << s.mantissa }

// value computes what the bits stand for from the definition.
func (s short) value(b uint16) float64 {
	exponent := int(b & s.infinite() >> s.mantissa)
	fraction := math.Ldexp(float64(b&^0x8000&^s.infinite()), -s.mantissa)
	v := math.Ldexp(1+fraction, exponent-s.bias)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, 1-s.bias)
	case b&s.infinite() == s.infinite() && fraction == 0:
		v = math.Inf(1)
	case b&s.infinite() == s.infinite():
		v = math.NaN()
	}
	if b>>15 == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

func eachShort(t *testing.T, check func(t *testing.T, s short)) {
	for _, s := range shorts {
		t.Run(s.name, func(t *testing.T) { check(t, s) })
	}
}

func TestShortEveryValue(t *testing.T) {
	eachShort(t, func(t *testing.T, s short) {
		for i := range 1 << 16 {
			b := uint16(i)
			got, want := float64(s.read(b)), s.value(b)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) {
				t.Fatalf("%#04x is %v, want %v", b, got, want)
			}
			back := s.round(s.read(b))
			if math.IsNaN(want) {
				b |= 1 << (s.mantissa - 1) // a NaN comes back quiet
			}
			if back != b {
				t.Fatalf("%#04x comes back as %#04x", b, back)
			}
		}
	})
}

// TestShortRounding checks the points between all neighbours: just below the middle, the
// middle, and just above it. Above the largest the next would be the next power of two.
func TestShortRounding(t *testing.T) {
	eachShort(t, func(t *testing.T, s short) {
		for b := range s.infinite() {
			high := s.value(b + 1)
			if b+1 == s.infinite() {
				high = math.Ldexp(1, s.bias+1)
			}
			middle := float32((s.value(b) + high) / 2) // exact: one bit more than the type has
			for _, tc := range []struct {
				v    float32
				want uint16
			}{
				{math.Nextafter32(middle, 0), b},
				{middle, b + b&1},
				{math.Nextafter32(middle, math.MaxFloat32), b + 1},
			} {
				if got := s.round(tc.v); got != tc.want {
					t.Fatalf("%v rounds to %#04x, want %#04x", tc.v, got, tc.want)
				}
				if got := s.round(-tc.v); got != tc.want|0x8000 {
					t.Fatalf("%v rounds to %#04x, want %#04x", -tc.v, got, tc.want|0x8000)
				}
			}
		}
		for _, bits := range []uint32{0x7f800001, 0xff80ffff, 0x7fffffff, 0xffc00000} { // NaNs, some in the lower half alone
			got := float64(s.read(s.round(math.Float32frombits(bits))))
			if !math.IsNaN(got) || math.Signbit(got) != (bits>>31 == 1) {
				t.Errorf("the NaN %#x becomes %v", bits, got)
			}
		}
	})
}

// TestShortRandom: random floats of all exponents go to the nearer of their two neighbours.
func TestShortRandom(t *testing.T) {
	eachShort(t, func(t *testing.T, s short) {
		rng := rand.New(rand.NewPCG(7, 7))
		for range 200_000 {
			v := math.Float32frombits(rng.Uint32())
			got := s.round(v)
			if v != v || got&0x7fff == s.infinite() { // above the largest: see TestShortRounding
				continue
			}
			away := math.Abs(float64(s.read(got)) - float64(v))
			for _, other := range []uint16{got - 1, got + 1} {
				if d := math.Abs(s.value(other) - float64(v)); d < away || d == away && got&1 == 1 {
					t.Fatalf("%v becomes %v, and %v is nearer", v, s.read(got), s.value(other))
				}
			}
		}
	})
}

func TestToBFloat16(t *testing.T) {
	x := tensor.Of([]float32{1, -0.5, 3e38, 1 + 1./1024}, 2, 2)
	b := x.As(tensor.BFloat16)
	want := tensor.Of([]float32{1, -0.5, float32(brain.value(0x7f62)), 1}, 2, 2)
	if got := b.As(tensor.Float32); !tensor.Equal(got, want) {
		t.Errorf("%v became %v", tensor.Data[float32](x), tensor.Data[float32](got))
	}
	if b.String() != "bfloat16[2,2]" || tensor.Equal(b, x.As(tensor.Float16)) || !tensor.Equal(b, b.Clone()) {
		t.Errorf("%v", b)
	}
	if err := tensor.CheckFinite(b); err != nil {
		t.Error(err)
	}
	if err := tensor.CheckFinite(tensor.Of([]float32{math.MaxFloat32}, 1).As(tensor.BFloat16)); err == nil {
		t.Error("the largest float32 stays finite")
	}
}

func TestHalvedAndWidened(t *testing.T) {
	x := tensor.Of([]float32{1, -0.5, 65504, 1 + 1./4096}, 2, 2)
	want := tensor.Of([]float32{1, -0.5, 65504, 1}, 2, 2)
	if got := x.As(tensor.Float16).As(tensor.Float32); !tensor.Equal(got, want) {
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
