package analysis

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nopezoo/zoo/internal/lists"
)

// sums are what regressions of positions on states of width W after so many layers need to know of the states, x from their mean.
// Those of states without a direction follow from them, without the states.
type sums struct {
	states int
	mean   []float64     // [W]
	spread *mat.SymDense // [W,W], the covariance
	flat   float64       // the variance of a feature up to which it has none

	// Of the states that are not withheld from the regression:
	n    float64
	gram *mat.SymDense // [W,W], Σ xxᵀ
	sum  []float64     // [W], Σ x

	with   []float64 // [W], Σ xy of the positions y
	labels float64   // Σ y
}

// newSums sums states up, with their own positions.
func newSums(inputs []inside, layers int) *sums {
	width := len(inputs[0].hidden[layers]) / len(inputs[0].ids)
	s := &sums{mean: make([]float64, width)}
	for _, in := range inputs {
		s.states += len(in.ids)
		for i, v := range in.hidden[layers] {
			s.mean[i%width] += float64(v)
		}
	}
	floats.Scale(1/float64(s.states), s.mean)
	s.gram, s.spread, s.sum = mat.NewSymDense(width, nil), mat.NewSymDense(width, nil), make([]float64, width)
	s.each(inputs, layers, func(_, t int, state []float64) {
		if leftOut(t) {
			s.spread.SymRankOne(s.spread, 1, mat.NewVecDense(width, state))
			return
		}
		s.n++
		floats.Add(s.sum, state)
		s.gram.SymRankOne(s.gram, 1, mat.NewVecDense(width, state))
	})
	s.spread.AddSym(s.spread, s.gram)
	s.spread.ScaleSym(1/float64(s.states), s.spread)
	s.flat = flattest * floats.Max(s.variances())
	return s.labelled(inputs, layers, func(_, t int) int { return t })
}

// each shows each state from the mean, the number of its sequence and its place.
func (s *sums) each(inputs []inside, layers int, use func(k, t int, state []float64)) {
	width := len(s.mean)
	state := make([]float64, width)
	for k, in := range inputs {
		for t := range in.ids {
			for i, v := range in.hidden[layers][t*width:][:width] {
				state[i] = float64(v) - s.mean[i]
			}
			use(k, t, state)
		}
	}
}

// labelled are the sums of the same states with the positions that label gives: of place t in sequence k.
func (s *sums) labelled(inputs []inside, layers int, label func(k, t int) int) *sums {
	out := *s
	out.with, out.labels = make([]float64, len(s.mean)), 0
	s.each(inputs, layers, func(k, t int, state []float64) {
		if leftOut(t) {
			return
		}
		y := float64(label(k, t))
		out.labels += y
		floats.AddScaled(out.with, y, state)
	})
	return &out
}

// without are the sums of the states at their mean along a direction.
func (s *sums) without(d direction) *sums {
	out := *s
	unit := mat.NewVecDense(len(d.unit), d.unit)
	both := func(m *mat.SymDense) *mat.SymDense { // (I − uuᵀ) m (I − uuᵀ)
		left := mat.NewSymDense(len(d.unit), nil)
		var along mat.VecDense
		along.MulVec(m, unit)
		left.RankTwo(m, -1, unit, &along)
		left.SymRankOne(left, mat.Dot(unit, &along), unit)
		return left
	}
	one := func(v []float64) []float64 {
		return floats.AddScaledTo(make([]float64, len(v)), v, -floats.Dot(v, d.unit), d.unit)
	}
	out.spread, out.gram, out.sum, out.with = both(s.spread), both(s.gram), one(s.sum), one(s.with)
	return &out
}

// variances are those of the features.
func (s *sums) variances() []float64 {
	return lists.Make(len(s.mean), func(i int) float64 { return s.spread.At(i, i) })
}

// variance is that of states along directions at right angles.
func (s *sums) variance(along ...direction) (total float64) {
	for _, d := range along {
		unit := mat.NewVecDense(len(s.mean), d.unit)
		total += mat.Inner(unit, s.spread, unit)
	}
	return total
}

// probe fits a regression to the sums.
func (s *sums) probe() (*probe, error) {
	width := len(s.mean)
	p := &probe{mean: s.mean, states: s.states, scale: lists.Map(s.variances(), func(v float64) float64 {
		if v <= s.flat { // a feature without variance says nothing
			return 0
		}
		return 1 / math.Sqrt(v)
	})}
	normal := newNormal(width+1, 1)
	normal.rows = int(s.n)
	for i, scale := range p.scale {
		for k := i; k < width; k++ {
			normal.gram.SetSym(i, k, scale*p.scale[k]*s.gram.At(i, k))
		}
		normal.gram.SetSym(i, width, scale*s.sum[i])
		normal.with.Set(i, 0, scale*s.with[i])
	}
	normal.gram.SetSym(width, width, s.n)
	normal.with.Set(width, 0, s.labels)
	var err error
	p.regression, err = normal.solve()
	return p, err
}

// directions are n directions of probes, each fitted without those before, or as many as there are, and the sums without them.
func (s *sums) directions(n int) (found subspace, rest *sums, err error) {
	rest = s
	for len(found) < n {
		p, err := rest.probe()
		if err != nil {
			return nil, nil, err
		}
		if !found.add(p.direction()) {
			break
		}
		rest = rest.without(found[len(found)-1])
	}
	return found, rest, nil
}
