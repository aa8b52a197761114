package analysis

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/internal/lists"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// alike draws as many directions as a subspace has, at right angles, along each of which states have the same variance as
// along the subspace's, or as near as they have: what is taken away along them is as much, and not what the subspace is of.
func alike(all *sums, as subspace, rng *rand.Rand) (subspace, error) {
	var out subspace
	left := all
	for _, d := range as {
		var principal mat.EigenSym
		if !principal.Factorize(left.spread, true) {
			return nil, errors.New("the hidden states are not finite: no directions can be drawn in them")
		}
		var vectors mat.Dense
		principal.VectorsTo(&vectors)
		unit := withVariance(principal.Values(nil), &vectors, all.variance(d), rng)
		if !out.add(direction{unit, floats.Dot(unit, all.mean)}) {
			break
		}
		left = left.without(out[len(out)-1])
	}
	return out, nil
}

// flattest is the share of the greatest variance below which a principal direction has none.
const flattest = 1e-9

// withVariance draws a direction at random with a variance between those of the principal directions: the weight of each is drawn,
// and multiplied by a power of its variance. The variance along the sum rises with the exponent.
func withVariance(variances []float64, principal *mat.Dense, want float64, rng *rand.Rand) []float64 {
	drawn := lists.Make(len(variances), func(int) float64 { return rng.NormFloat64() })
	most := floats.Max(variances)
	weights := make([]float64, len(drawn))
	weigh := func(exponent float64) (along float64) {
		for i, v := range variances {
			if weights[i] = 0; v > flattest*most {
				weights[i] = drawn[i] * math.Pow(v/most, exponent)
			}
		}
		if norm := floats.Norm(weights, 2); norm > 0 {
			floats.Scale(1/norm, weights)
		}
		for i, w := range weights {
			along += w * w * variances[i]
		}
		return along
	}
	least, greatest := -16.0, 16.0
	for range 64 {
		if middle := (least + greatest) / 2; weigh(middle) < want {
			least = middle
		} else {
			greatest = middle
		}
	}
	weigh(greatest)
	var out mat.VecDense
	out.MulVec(principal, mat.NewVecDense(len(weights), weights))
	return out.RawVector().Data
}
