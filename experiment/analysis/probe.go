package analysis

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/nopezoo/zoo/eval"
)

// probe observes, after each number of layers, how well positions can be read off the hidden states of all tokens: by a probe that
// was fitted at one length, and by one that was fitted at several, for a place in one length may be another quantity than a place.
func (r request) probe(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	fitted, tried, err := r.fitAndTry(ctx)
	if err != nil {
		return nil, err
	}
	mixed, err := r.mixed(ctx, tried)
	if err != nil {
		return nil, err
	}
	var states [3][]inside
	for i, sequences := range [][]eval.Sequence{fitted, mixed, tried} {
		if states[i], err = r.readAll(ctx, sequences, onSequence); err != nil {
			return nil, err
		}
	}
	var out []eval.Observation
	for layers := range states[0][0].hidden {
		p, err := fitProbe(states[0], layers)
		if err != nil {
			return nil, err
		}
		o := r.observation(layers, len(tried), longest(tried))
		p.try(&o, states[2], r.fitLength == r.length)
		if p, err = fitProbe(states[1], layers); err != nil {
			return nil, err
		}
		o.Values["mixed_states"], o.Values["r2_mixed"] = float64(p.states), p.r2(states[2], layers)
		out = append(out, o)
	}
	return out, nil
}

// mixedLengths are the lengths that a probe of several is fitted at, evenly spread up to fitLength.
const mixedLengths = 8

// mixed draws sequences of several lengths to fit a probe on, without those that it is tried on. Lengths that the task lacks are
// left out.
func (r request) mixed(ctx context.Context, tried []eval.Sequence) ([]eval.Sequence, error) {
	var out []eval.Sequence
	other := r
	for k, last := 1, 0; k <= mixedLengths; k++ {
		if other.length = max(1, r.fitLength*k/mixedLengths); other.length == last {
			continue
		}
		last = other.length
		others, err := other.othersThan(ctx, tried)
		if err != nil {
			return nil, err
		}
		out = append(out, others...)
	}
	if len(out) == 0 {
		return nil, errors.New("there are no sequences but those that a probe is tried on; read fewer or longer ones")
	}
	return out, nil
}

// othersThan draws sequences that are none of the given ones; none at a length that the task lacks.
func (r request) othersThan(ctx context.Context, tried []eval.Sequence) ([]eval.Sequence, error) {
	most := r.samples
	r.samples *= 2 // as many of others, where the given ones are among them
	drawn, err := r.sequences(ctx)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	drawn = slices.DeleteFunc(drawn, func(s eval.Sequence) bool {
		return slices.ContainsFunc(tried, func(t eval.Sequence) bool { return slices.Equal(s.IDs, t.IDs) })
	})
	return drawn[:min(len(drawn), most)], nil
}

// fitAndTry draws sequences of fitLength to fit a probe on, and others to try it at: at the same length as many.
func (r request) fitAndTry(ctx context.Context) (fitted, tried []eval.Sequence, err error) {
	fit := r
	fit.length = r.fitLength
	if r.fitLength == r.length {
		fit.samples *= 2 // the first half to fit on, the others to try at
	}
	drawn, err := fit.sequences(ctx)
	if err != nil {
		return nil, nil, err
	}
	if r.fitLength != r.length {
		tried, err = r.sequences(ctx)
		return drawn, tried, err
	}
	if len(drawn) < 2 {
		return nil, nil, errors.New("there is one sequence of this length, and a probe is fitted on others than it is tried at")
	}
	return drawn[:len(drawn)/2], drawn[len(drawn)/2:], nil
}

// leftOut reports whether a position is withheld from the regression.
func leftOut(position int) bool { return position%4 == 2 }

// probe reads positions off hidden states [D].
type probe struct {
	mean, scale []float64
	regression  *mat.Dense // [D+1,1]
	classes     *mat.Dense // [D+1,positions]
	states      int
}

// ridge is the penalty on weights, for each state, of features with variance 1.
const ridge = 1e-4

// fitProbe fits a probe on the states of sequences after so many layers.
func fitProbe(inputs []inside, layers int) (*probe, error) {
	p, err := newSums(inputs, layers).probe()
	if err != nil {
		return nil, err
	}
	width, positions := len(p.mean), 0
	for _, in := range inputs {
		positions = max(positions, len(in.ids))
	}
	all := newNormal(width+1, positions)
	row := make([]float64, width+1)
	for _, in := range inputs {
		for t := range in.ids {
			p.features(row, in.hidden[layers][t*width:][:width])
			all.add(row, t)
		}
	}
	p.classes, err = all.solve()
	return p, err
}

// features are a state, with mean 0 and variance 1 over the states fitted on, and a constant 1.
func (p *probe) features(row []float64, state []float32) {
	for i, v := range state {
		row[i] = (float64(v) - p.mean[i]) * p.scale[i]
	}
	row[len(state)] = 1
}

// normal has the sums for least squares: XᵀX and XᵀY.
type normal struct {
	gram *mat.SymDense
	with *mat.Dense
	rows int
}

func newNormal(features, targets int) *normal {
	return &normal{mat.NewSymDense(features, nil), mat.NewDense(features, targets, nil), 0}
}

// add adds a row whose target number k is 1, and whose other targets are 0.
func (n *normal) add(row []float64, k int) {
	n.rows++
	n.gram.SymRankOne(n.gram, 1, mat.NewVecDense(len(row), row))
	for i, v := range row {
		n.with.Set(i, k, n.with.At(i, k)+v)
	}
}

// solve returns the weights with the least squares and the penalty.
func (n *normal) solve() (*mat.Dense, error) {
	for i := range n.gram.SymmetricDim() - 1 { // the constant is free
		n.gram.SetSym(i, i, n.gram.At(i, i)+ridge*float64(n.rows))
	}
	var c mat.Cholesky
	if !c.Factorize(n.gram) {
		return nil, errors.New("the hidden states are not finite: no probe can be fitted on them")
	}
	var out mat.Dense
	return &out, c.SolveTo(&out, n.with)
}

// try sets how well the probe reads positions; same: at the length that it was fitted on.
func (p *probe) try(o *eval.Observation, outputs []inside, same bool) {
	_, classes := p.classes.Dims()
	right, longest := 0, 0
	var withheld readings
	all := p.read(outputs, o.Layer, func(t int, features mat.Vector, read float64) {
		longest = max(longest, t+1)
		if leftOut(t) {
			withheld.add(read, float64(t))
		}
		best, most := 0, math.Inf(-1)
		for k := range classes {
			if v := mat.Dot(features, p.classes.ColView(k)); v > most {
				best, most = k, v
			}
		}
		if best == t {
			right++
		}
	})
	o.Values["fit_states"], o.Values["r2"], o.Values["mean_error"] = float64(p.states), all.r2(), all.absolute/all.n
	o.Values["classified"], o.Control["classified"] = float64(right)/all.n, 1/float64(longest)
	if same {
		o.Values["r2_withheld"] = withheld.r2()
	}
}

// read reads positions off states by regression, and shows each state's place and features.
func (p *probe) read(outputs []inside, layers int, show func(t int, features mat.Vector, read float64)) readings {
	width := len(p.mean)
	row := make([]float64, width+1)
	var all readings
	for _, in := range outputs {
		for t := range in.ids {
			p.features(row, in.hidden[layers][t*width:][:width])
			features := mat.NewVecDense(width+1, row)
			read := mat.Dot(features, p.regression.ColView(0))
			all.add(read, float64(t))
			show(t, features, read)
		}
	}
	return all
}

// r2 is the regression's R².
func (p *probe) r2(outputs []inside, layers int) float64 {
	all := p.read(outputs, layers, func(int, mat.Vector, float64) {})
	return all.r2()
}

// readings sums the errors of positions that were read.
type readings struct{ n, sum, squares, wrong, absolute float64 }

func (e *readings) add(read, is float64) {
	e.n++
	e.sum += is
	e.squares += is * is
	e.wrong += (read - is) * (read - is)
	e.absolute += math.Abs(read - is)
}

func (e *readings) r2() float64 {
	variance := e.squares - e.sum*e.sum/max(e.n, 1)
	if variance <= 0 {
		return 0
	}
	return 1 - e.wrong/variance
}
