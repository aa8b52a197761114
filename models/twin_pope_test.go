package models_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

func init() {
	twins["pope"] = func(w *twin) {
		w.rotate = func([]float64, int) []float64 { return nil } // the score is all
		w.score = func(layer, head int, q, k []float64, distance int) float64 {
			phase, sum := w.vector(fmt.Sprintf("layers.%d.attn.phase", layer), head), 0.0
			for c := range q {
				freq := float64(float32(math.Pow(w.setting("theta", 10000), -float64(c)/float64(len(q)))))
				size := math.Log(1+math.Exp(q[c])) * math.Log(1+math.Exp(k[c]))
				sum += size * math.Cos(-float64(distance)*freq+phase[c])
			}
			return sum * w.scale()
		}
	}
}

// Outputs that another program (numpy) computed by the paper's formula from the arrays of checkArray.
func TestPoPECheckValues(t *testing.T) {
	m := newDecoder(t, checkConfig("pope"))
	weights := checkWeights(m)
	compareOutputs(t, "without phases", checkOutputs(t, m, models.Mode{}, weights), [2][4]float64{
		{-0.6018574, 0.1634755, 0.5597316, -0.3077122}, {0.6035200, -0.0516546, -0.5902092, 0.2037450}}, -0.1244481)
	phase := tensor.New(tensor.Float32, checkHeads, checkHead)
	for i, d := range checkArray("delta", 3, checkHeads*checkHead) {
		tensor.Data[float32](phase)[i] = -float32(math.Abs(d))
	}
	weights["layers.0.attn.phase"] = phase
	compareOutputs(t, "with phases", checkOutputs(t, m, models.Mode{}, weights), [2][4]float64{
		{-0.5989898, -0.1457732, 0.6365539, -0.0182598}, {0.6796989, -0.1437748, -0.6426497, 0.3093785}}, 0.0430953)
}
