package pe_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// t5Bucket returns the buckets of distances 0 … n−1, read off the bias of a
// table that holds its own row numbers.
func t5Bucket(t testing.TB, settings string, buckets, n int) []int {
	t.Helper()
	d := pe.Dims{Model: 16, Heads: 1}
	table := tensor.New(tensor.Float32, buckets, 1)
	for i := range tensor.Data[float32](table) {
		tensor.Data[float32](table)[i] = float32(i)
	}
	all := bias(t, newEncoding(t, "t5", settings, d), d, n, map[string]*tensor.Tensor{"relative_bias.weight": table})
	out := make([]int, n)
	for r := range out {
		out[r] = int(all[(n-1)*n+n-1-r]) // the last query sees every distance
	}
	return out
}

// The first distance of each bucket under T5's settings.
var t5Starts = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}

func TestT5Buckets(t *testing.T) {
	got := t5Bucket(t, ``, 32, 300)
	bucket := 0
	for r, b := range got {
		if bucket+1 < len(t5Starts) && r == t5Starts[bucket+1] {
			bucket++
		}
		if b != bucket {
			t.Errorf("distance %d is in bucket %d, want %d", r, b, bucket)
		}
	}
}

// The twin: T5's formula in float64 logarithms, at other settings. Where the
// logarithm comes within rounding of a whole number the formula itself is
// undecided; those boundaries are exact powers, tested below.
func TestT5Twin(t *testing.T) {
	for _, tc := range []struct {
		settings    string
		buckets     int
		maxDistance float64
	}{
		{`{"buckets":8,"max_distance":20}`, 8, 20},
		{`{"buckets":10,"max_distance":70}`, 10, 70},
		{`{"max_distance":250}`, 32, 250},
	} {
		half := float64(tc.buckets / 2)
		for r, got := range t5Bucket(t, tc.settings, tc.buckets, 300) {
			want := float64(r)
			if want >= half {
				x := half * math.Log(want/half) / math.Log(tc.maxDistance/half)
				if math.Abs(x-math.Round(x)) < 1e-9 {
					continue
				}
				want = min(float64(tc.buckets-1), half+math.Floor(x))
			}
			if got != int(want) {
				t.Errorf("%s: distance %d is in bucket %d, want %v", tc.settings, r, got, want)
			}
		}
	}
}

// With 8 buckets up to 64 the boundaries are 4·16^(k/4) = 4, 8, 16, 32: exactly
// the distances at which logarithms may round either way.
func TestT5ExactBoundaries(t *testing.T) {
	got := t5Bucket(t, `{"buckets":8,"max_distance":64}`, 8, 100)
	for r, want := range map[int]int{3: 3, 4: 4, 7: 4, 8: 5, 15: 5, 16: 6, 31: 6, 32: 7, 64: 7, 99: 7} {
		if got[r] != want {
			t.Errorf("distance %d is in bucket %d, want %d", r, got[r], want)
		}
	}
}

// Buckets never fall with the distance, leave none out, and saturate.
func TestT5Monotone(t *testing.T) {
	for _, settings := range []string{``, `{"buckets":8,"max_distance":9}`, `{"buckets":64,"max_distance":40}`} {
		buckets := 32
		if settings != "" {
			buckets = newEncoding(t, "t5", settings, pe.Dims{Model: 16, Heads: 1}).Params()[0].Shape[0]
		}
		got := t5Bucket(t, settings, buckets, 300)
		for r := 1; r < len(got); r++ {
			if got[r] < got[r-1] || got[r] >= buckets {
				t.Errorf("%s: distance %d is in bucket %d after %d", settings, r, got[r], got[r-1])
			}
		}
		if got[299] != buckets-1 {
			t.Errorf("%s: far distances are in bucket %d, want the last", settings, got[299])
		}
	}
}
