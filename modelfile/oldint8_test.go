package modelfile_test

import (
	"math"
	"os"
	"testing"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
)

// testdata/int8.onnx was written before integers had blocks: a rope model of random weights, with a scale for each row. Its last
// logits of the tokens 1 to 5 are what they were.
func TestOldInt8(t *testing.T) {
	orttest.Require(t)
	file, err := os.ReadFile("testdata/int8.onnx")
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{-0.116667025, -0.0004867384, -0.035880663, 0.11377694, 0.10221062, 0.34288794, -0.02982338}
	for _, provider := range []string{"cpu", "go"} {
		got := answered(t, file, runtime.Options{Provider: provider}, [][]int64{{1, 2, 3, 4, 5}})
		for i, v := range got[len(got)-vocab:][:len(want)] {
			if math.Abs(float64(v-want[i])) > 1e-5 {
				t.Errorf("%s: logit %d is %g, want %g", provider, i, v, want[i])
			}
		}
	}
}
