package main

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
)

func loadOf(t *testing.T, encoding string) workload {
	t.Helper()
	data, err := untrained(encoding, 1)
	if err != nil {
		t.Fatal(err)
	}
	info, err := export.ReadInfo(data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorkload(data, c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Counted by hand for the model of untrained: one layer, D = 16, two heads of 8,
// F = 32, V = 106.
func TestWorkload(t *testing.T) {
	const d, f, v = 16, 32, 106
	w := loadOf(t, "nope")
	weights := float64(4 * (v*d + 4*d*d + 2*d*f + 3*d))
	if w.weights != weights || w.vocab != v || w.oneStep {
		t.Fatalf("%v bytes of weights, %d ids, one step: %v; want %v, %d", w.weights, w.vocab, w.oneStep, weights, v)
	}
	const batch, length, fresh = 64, 20, 4 // in chunks of 16 and 4
	got, err := w.work(batch, length, fresh)
	if err != nil {
		t.Fatal(err)
	}
	perToken := 2.0 * (4*d*d + 2*d*f)
	attention := func(n, total int) float64 { return 2 * 2 * float64(n*total*d) } // q·k and weights·v
	head := 2.0 * d * v                                                           // for the last token of a run
	state := func(tokens int) float64 { return 2 * 4 * float64(tokens*d) }
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"prefill FLOPs", got.PrefillFLOPs, batch * (20*perToken + attention(16, 16) + attention(4, 20) + 2*head)},
		{"prefill bytes", got.PrefillBytes, 2*weights + batch*(state(20)+state(16)+2*4*v)},
		{"decode FLOPs", got.DecodeFLOPs, batch * (perToken + attention(1, 23) + head)},
		{"decode bytes", got.DecodeBytes, weights + batch*(state(23)+4*v)},
	} {
		if x.got != x.want {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}

// Every encoding is counted; with the length memory grows linearly at most.
func TestWorkloadOfEncodings(t *testing.T) {
	for _, encoding := range encodingNames() {
		w := loadOf(t, encoding)
		work, err := w.work(1, 64, 8)
		if err != nil || work.PrefillFLOPs <= 0 || work.DecodeBytes <= w.weights {
			t.Errorf("%s: work %+v, error %v", encoding, work, err)
		}
		var m [3]int64
		for i, length := range []int{1 << 14, 1 << 15, 1 << 16} {
			if m[i], err = w.memory(1, length, 8); err != nil {
				t.Fatalf("%s: %v", encoding, err)
			}
		}
		if a, b := m[1]-m[0], m[2]-m[1]; a < 0 || math.Abs(float64(b-2*a)) > 0.01*float64(b)+8 {
			t.Errorf("%s: memory grows by %d, then %d bytes", encoding, a, b)
		}
		if w.grows() == (encoding == "cwrnn") {
			t.Errorf("%s: the state grows: %v", encoding, w.grows())
		}
	}
}

func TestWorkloadFits(t *testing.T) {
	w := loadOf(t, "rope")
	need, err := w.memory(4, 5000, 8)
	if err != nil {
		t.Fatal(err)
	}
	most := w.fits(4, 100000, 8, need)
	if after, _ := w.memory(4, most+1, 8); most < 5000 || after <= need {
		t.Errorf("%d is the largest length of %d bytes, 5000 needs as many", most, need)
	}
	if err := w.checkFits(5000, 4, 8, need); err != nil {
		t.Errorf("what fits is refused: %v", err)
	}
	if err := w.checkFits(100000, 4, 8, need); err == nil || !strings.Contains(err.Error(), "length 100000 at batch 4 needs about") || !strings.Contains(err.Error(), "largest length that fits is 5") {
		t.Errorf("error %v", err)
	}
	if err := w.checkFits(10, 4, 8, 1); err == nil || !strings.Contains(err.Error(), "not even a length of 1") {
		t.Errorf("error %v", err)
	}
}

// The peaks are positive; how large is the machine's affair.
func TestPeaks(t *testing.T) {
	if bandwidth(2) <= 0 {
		t.Error("no bandwidth")
	}
	lib, err := library()
	if err != nil || lib == "" {
		t.Skip("the rest needs ONNX Runtime")
	}
	p, err := measurePeaks(t.Context(), 1)
	if err != nil || p.FLOPS <= 0 || p.Bandwidth <= 0 {
		t.Errorf("peaks %+v, error %v", p, err)
	}
}
