package models_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// Check values are outputs of heads that another program (numpy, float64) computed from arrays that no random generator
// makes: 6 tokens, 2 heads of width 4, inputs of width 8.
const checkTokens, checkHeads, checkHead, checkWidth = 6, 2, 4, 8

// checkArray is the array of a name: amp·sin(1.7·(n+1) + s), s being the sum of the name's bytes modulo 10.
func checkArray(name string, amp float64, size int) []float64 {
	s := 0
	for _, c := range []byte(name) {
		s += int(c)
	}
	out := make([]float64, size)
	for n := range out {
		out[n] = amp * math.Sin(1.7*float64(n+1)+float64(s%10))
	}
	return out
}

// checkConfig has one layer, whose normalised input is a multiple of one of 8 unit vectors for each token: so a
// projection can give every token what a check array says.
func checkConfig(encoding string) models.Config {
	return models.Config{Settings: "modern", Encoding: encoding, DModel: checkWidth, NLayers: 1, NHeads: checkHeads,
		DHead: checkHead, DFF: 4, VocabSize: checkWidth, NormEps: 1e-12}
}

// checkWeights makes token t's queries, keys and values those of the arrays q, k and v [H,T,K].
func checkWeights(m models.Model) map[string]*tensor.Tensor {
	w := models.InitWeights(m.Params(), 1)
	embed := tensor.New(tensor.Float32, checkWidth, checkWidth)
	for t := range checkWidth {
		tensor.Data[float32](embed)[t*checkWidth+t] = 1
	}
	w["embed.weight"] = embed
	for _, name := range []string{"q", "k", "v"} {
		values, rows := checkArray(name, 1, checkHeads*checkTokens*checkHead), make([][]float64, checkTokens)
		for t := range rows {
			for h := range checkHeads {
				rows[t] = append(rows[t], values[(h*checkTokens+t)*checkHead:][:checkHead]...)
			}
		}
		ofTokens(w, "layers.0.attn."+name+"_proj.weight", rows)
	}
	return w
}

// ofTokens makes a projection give row t of values for token t.
func ofTokens(w map[string]*tensor.Tensor, name string, values [][]float64) {
	matrix := tensor.New(tensor.Float32, len(values[0]), checkWidth)
	for t, row := range values {
		for i, v := range row {
			tensor.Data[float32](matrix)[i*checkWidth+t] = float32(v / math.Sqrt(checkWidth)) // the norm makes 1 the root of 8
		}
	}
	w[name] = matrix
}

// times multiplies x [T,D] by a matrix of so many rows: what a projection gives each token.
func times(matrix []float64, rows int, x []float64) [][]float64 {
	width := checkWidth
	out := make([][]float64, checkTokens)
	for t := range out {
		for i := range rows {
			sum := 0.0
			for j := range width {
				sum += matrix[i*width+j] * x[t*width+j]
			}
			out[t] = append(out[t], sum)
		}
	}
	return out
}

// checkInput is the array x [T,D].
func checkInput() []float64 { return checkArray("x", 1, checkTokens*checkWidth) }

// checkOutputs returns what the heads give, [T][H·K].
func checkOutputs(t *testing.T, m models.Model, mode models.Mode, weights map[string]*tensor.Tensor) [][]float64 {
	t.Helper()
	mode.HeadOutputs = true
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "heads", Node: m.Forward(b, mode).HeadOutputs[0].Node})
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{0, 1, 2, 3, 4, 5}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, 1, checkTokens)}
	if g.Input("position_ids") != nil {
		feed["position_ids"] = tensor.Of(ids, 1, checkTokens)
	}
	out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, weights)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, checkTokens)
	for i := range rows {
		rows[i] = tensor.Data[float64](out["heads"])[i*checkHeads*checkHead:][:checkHeads*checkHead]
	}
	return rows
}

// compareOutputs compares both heads' outputs of the last token, and the sum of all outputs. Weights in float32 are off
// by 1e-7; values have seven digits.
func compareOutputs(t *testing.T, what string, got [][]float64, last [2][4]float64, sum float64) {
	t.Helper()
	const bound = 2e-6
	total := 0.0
	for _, row := range got {
		for _, v := range row {
			total += v
		}
	}
	for h := range checkHeads {
		for i, want := range last[h] {
			if v := got[checkTokens-1][h*checkHead+i]; math.Abs(v-want) > bound {
				t.Errorf("%s, head %d, feature %d: %.7f, want %.7f", what, h, i, v, want)
			}
		}
	}
	if math.Abs(total-sum) > 10*bound {
		t.Errorf("%s: the outputs sum to %.7f, want %.7f", what, total, sum)
	}
}
