package models_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

func init() {
	twins["kerple"] = func(w *twin) {
		power := strings.Contains(string(w.cfg.EncodingParams), "power")
		softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
		w.score = func(layer, head int, _, _ []float64, distance int) float64 {
			weight := func(name string) float64 {
				all := w.w[name]
				if all == nil {
					all = w.w[fmt.Sprintf("layers.%d.attn.%s", layer, name)]
				}
				return float64(tensor.Data[float32](all)[head])
			}
			r1, raw := softplus(weight("kerple_r1")), weight("kerple_r2")
			if power {
				return -r1 * math.Pow(float64(distance), 2/(1+math.Exp(-raw)))
			}
			return -r1 * math.Log1p(softplus(raw)*float64(distance))
		}
	}
}
