package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// By hand, with the natural logarithm. The coded form is another number, and not bounded.
func TestJensenShannon(t *testing.T) {
	for _, tc := range []struct {
		p, q            []float32
		want, published float64
	}{
		{[]float32{0.5, 0.5}, []float32{0.5, 0.5}, 0, 0},
		{[]float32{1, 0}, []float32{0, 1}, math.Ln2, math.Inf(1)},
		// M = (½, ½): ½(¾ ln 3⁄2 + ¼ ln ½)·2, and ½(½ ln(2⁄3) + ½ ln 2)·2
		{[]float32{0.75, 0.25}, []float32{0.25, 0.75}, 0.75*math.Log(1.5) + 0.25*math.Log(0.5), 0.5*math.Log(2.0/3) + 0.5*math.Ln2},
		{[]float32{0.3, 0.1}, []float32{0.25, 0.75}, 0.75*math.Log(1.5) + 0.25*math.Log(0.5), 0.5*math.Log(2.0/3) + 0.5*math.Ln2},
		{[]float32{0, 0}, []float32{0, 1}, math.Ln2, math.Inf(1)},
		{[]float32{0, 0}, []float32{0, 0}, 0, math.Inf(1)},
		{[]float32{1, 1e-6}, []float32{1e-6, 1}, math.Ln2, 6.2146},
	} {
		if got := jensenShannon(tc.p, tc.q); math.Abs(got-tc.want) > 1e-4 {
			t.Errorf("%v, %v: %v, want %v", tc.p, tc.q, got, tc.want)
		}
		if got := published(tc.p, tc.q); got != tc.published && math.Abs(got-tc.published) > 1e-4 {
			t.Errorf("%v, %v: the coded form is %v, want %v", tc.p, tc.q, got, tc.published)
		}
	}
}

// Weights that differ by rounding alone are never less than 0 apart.
func TestJensenShannonRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := make([]float32, 8)
		for i := range p {
			p[i] = rng.Float32()
		}
		q := slices.Clone(p)
		for i := range q {
			q[i] = math.Nextafter32(q[i], rng.Float32())
		}
		if got := jensenShannon(p, q); got < 0 || got > 1e-12 {
			t.Fatalf("%v", got)
		}
	}
}

// The least over pairs of heads counts; the coded form leaves out pairs of which the second head is not before the first.
func TestApart(t *testing.T) {
	heads := func(second ...float32) *inside { // weights of query 1 on key 0, of each head
		in := &inside{ids: make([]int64, 2), attention: [][]float32{nil}}
		for _, w := range second {
			in.attention[0] = append(in.attention[0], 1, 0, w, 1-w)
		}
		return in
	}
	a, b := heads(0.5, 0.9, 0.7), heads(0.8, 0.2, 0.7)
	var got apart
	got.add(a, b, 0, 3, 3, rand.New(rand.NewPCG(1, 1)))
	row := func(w float32) []float32 { return []float32{w, 1 - w} }
	want := min(published(row(0.9), row(0.8)), published(row(0.7), row(0.8)), published(row(0.7), row(0.2))) / 2
	if got.js != 0 || math.Abs(got.published-want) > 1e-9 || want < 1e-3 {
		t.Errorf("%+v, want 0 and %v", got, want)
	}
}
