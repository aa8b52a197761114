package pe_test

import (
	"math"
	"testing"
)

// Llama 3.2 1B (θ 500000, 64 features, 32 times 8192 tokens): pairs 0 to 14 stay, 15 to 17 are divided by what transformers
// divides them by (printed to three digits), and all others by 32.
func TestLlama3Values(t *testing.T) {
	plain, _ := turnedBy(t, `{"theta":500000}`, 64)
	scaled, length := turnedBy(t, `{"theta":500000,"scaling":"llama3","scaling_factor":32,"scaling_length":8192}`, 64)
	if length != 1 && math.Abs(length-1) > 1e-6 {
		t.Errorf("queries are multiplied by %v", length)
	}
	for c := range plain {
		want := 32.0
		if c < 15 {
			want = 1
		} else if c < 18 {
			want = []float64{1.65, 3.29, 9.67}[c-15]
		}
		if got := plain[c] / scaled[c]; math.Abs(got-want) > 0.006*max(1, want/2) {
			t.Errorf("pair %d is divided by %v, want %v", c, got, want)
		}
	}
}
