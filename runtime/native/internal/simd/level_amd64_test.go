package simd

import "testing"

// forLevels calls f for each set of kernels that the processor has.
func forLevels(f func(name string)) {
	best := level
	defer func() { level = best }()
	for i, name := range []string{plain: "plain", avx2: "AVX2", avx512: "AVX-512"}[:best+1] {
		level = i
		f(name)
	}
}

// everyIntLevel runs f with each set of kernels for integers.
func everyIntLevel(t *testing.T, f func(t *testing.T)) {
	has := dotProducts
	defer func() { dotProducts = has }()
	everyLevel(t, f)
	dotProducts = false
	t.Run("without VNNI", f)
}
