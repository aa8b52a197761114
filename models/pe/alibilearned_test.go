package pe_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// At its start the bias is ALiBi's; afterwards it is linear in the distance with
// the slope that was learned.
func TestLearnedALiBi(t *testing.T) {
	d := pe.Dims{Model: 6, Heads: 6, Head: 1}
	e := newEncoding(t, "alibi-learned", ``, d)
	start := tensor.New(tensor.Float32, 6)
	for i, v := range e.Params()[0].Init {
		tensor.Data[float32](start)[i] = float32(v)
	}
	want := bias(t, newEncoding(t, "alibi", ``, d), d, 9, nil)
	// float32 logarithms of the slopes are off by 1e-7 of their size, up to 5.
	near(t, "at the start", bias(t, e, d, 9, map[string]*tensor.Tensor{"log_slope": start}), want, 1e-5)

	d.Heads = 2
	slopes := map[string]*tensor.Tensor{"log_slope": tensor.Of([]float32{0.5, -2}, 2)}
	got := bias(t, newEncoding(t, "alibi-learned", ``, d), d, 4, slopes)
	for h, a := range []float64{0.5, -2} {
		for q := range 4 {
			for k := range 4 {
				near(t, "slope", got[(h*4+q)*4+k:][:1], []float64{-math.Exp(a) * float64(q-k)}, 1e-12)
			}
		}
	}
}
