package models_test

import (
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
)

func init() {
	twins["fire"] = func(w *twin) {
		threshold := w.setting("threshold", 512)
		w.mapLogits = func(l *twinLayer, t int, z [][]float64) {
			weight := func(name string, i int) float64 {
				all := w.w["fire."+name]
				if all == nil {
					all = w.w[fmt.Sprintf("layers.%d.attn.fire.%s", l.index, name)]
				}
				return float64(tensor.Data[float32](all)[i])
			}
			c := weight("c", 0)
			psi := func(x float64) float64 { return math.Log(math.Abs(c*x) + 1) }
			longest := max(float64(w.at(t)), math.Abs(weight("mu", 0)*threshold))
			for head := range z {
				for j := range z[head] {
					x := psi(float64(w.at(t)-w.at(j))) / (psi(longest) + float64(float32(1e-6)))
					for unit := range 32 {
						active := max(weight("in_proj.weight", unit)*x+weight("in_proj.bias", unit), 0)
						z[head][j] += weight("out_proj.weight", head*32+unit) * active
					}
				}
			}
		}
	}
}
