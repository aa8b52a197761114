package simd

import "testing"

// everyLevel runs f with each set of kernels that the processor has.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	best := level
	defer func() { level = best }()
	for i, name := range []string{plain: "plain", avx2: "AVX2", avx512: "AVX-512"}[:best+1] {
		level = i
		t.Run(name, f)
	}
}
