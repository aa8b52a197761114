package ort

import (
	"testing"

	"github.com/nopezoo/zoo/runtime/engine"
)

// BenchmarkInvoke is what a call of C costs in this build, beside the work of the function.
func BenchmarkInvoke(b *testing.B) {
	a := testAPI(b)
	for _, flush := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "flush"}[flush], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.callIn(flush, releaseValue, 0) // does nothing
			}
		})
	}
}

// testAPI returns the functions of the library that Find finds, for the length of a test.
func testAPI(t testing.TB) *api {
	lib, api, err := acquire(engine.CPU, "")
	if err != nil {
		t.Skip("needs ONNX Runtime: ", lib, err)
	}
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	return api
}
