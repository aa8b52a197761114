package analysis

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/nopezoo/zoo/eval"
)

// Probe asks of the hidden states of a model, after each number of layers, how well the position of a
// token can be read off them (see eval.Probe). The probes are fitted on r.Samples sequences of
// fitLength, and tried at r.Length; at the same length on as many others. All tokens of a
// sequence count. A length that the model or the task does not have gives one finding with NA set.
func Probe(ctx context.Context, m *Model, r Request, fitLength int, onSequence func()) ([]eval.Finding, error) {
	return r.findings(m, eval.FindProbe, func() ([]eval.Finding, error) { return probeAll(ctx, m, r, fitLength, onSequence) })
}

func probeAll(ctx context.Context, m *Model, r Request, fitLength int, onSequence func()) ([]eval.Finding, error) {
	fitted, tried, err := r.fitAndTry(ctx, m, fitLength)
	if err != nil {
		return nil, err
	}
	inputs, err := m.states(ctx, r, fitted, onSequence)
	if err != nil {
		return nil, err
	}
	outputs, err := m.states(ctx, r, tried, onSequence)
	if err != nil {
		return nil, err
	}
	var out []eval.Finding
	for layers := range inputs[0].hidden {
		p, err := fitProbe(inputs, layers)
		if err != nil {
			return nil, err
		}
		f := r.finding(m, eval.FindProbe)
		f.Layer, f.N, f.Probe = layers, len(tried), p.try(outputs, layers, fitLength == r.Length)
		f.Probe.FitLength = fitLength
		for _, in := range outputs {
			f.SequenceTokens = max(f.SequenceTokens, len(in.ids))
		}
		out = append(out, f)
	}
	return out, nil
}

// fitAndTry draws the sequences to fit a probe on, of fitLength, and others to try it at.
func (r Request) fitAndTry(ctx context.Context, m *Model, fitLength int) (fitted, tried []eval.Sequence, err error) {
	fit := r
	fit.Length = fitLength
	if fitLength == r.Length {
		fit.Samples *= 2 // the first half to fit on, the others to try at
	}
	drawn, err := fit.sequences(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if fitLength != r.Length {
		tried, err = r.sequences(ctx, m)
		return drawn, tried, err
	}
	if len(drawn) < 2 {
		return nil, nil, fmt.Errorf("there is one sequence of this length, and a probe is fitted on others than it is tried at")
	}
	return drawn[:len(drawn)/2], drawn[len(drawn)/2:], nil
}

// states runs sequences and keeps their hidden states alone.
func (m *Model) states(ctx context.Context, r Request, sequences []eval.Sequence, onSequence func()) ([]inside, error) {
	var out []inside
	for _, s := range sequences {
		in, err := r.read(ctx, m, s)
		if err != nil {
			return nil, err
		}
		out = append(out, in.statesAlone())
		if onSequence != nil {
			onSequence()
		}
	}
	return out, nil
}

// statesAlone is a run without what else was read.
func (in *inside) statesAlone() inside { return inside{ids: in.ids, hidden: in.hidden} }

// leftOut reports whether the regression is not fitted on a position.
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

func fitProbe(inputs []inside, layers int) (*probe, error) {
	width := len(inputs[0].hidden[layers]) / len(inputs[0].ids)
	p := &probe{mean: make([]float64, width), scale: make([]float64, width)}
	positions := 0
	for _, in := range inputs {
		positions = max(positions, len(in.ids))
		p.states += len(in.ids)
		for i, v := range in.hidden[layers] {
			p.mean[i%width] += float64(v)
		}
	}
	for i := range p.mean {
		p.mean[i] /= float64(p.states)
	}
	for _, in := range inputs {
		for i, v := range in.hidden[layers] {
			d := float64(v) - p.mean[i%width]
			p.scale[i%width] += d * d / float64(p.states)
		}
	}
	for i, v := range p.scale {
		if p.scale[i] = 0; v > 0 { // a feature without variance says nothing
			p.scale[i] = 1 / math.Sqrt(v)
		}
	}
	some, all := newNormal(width+1, 1), newNormal(width+1, positions)
	row := make([]float64, width+1)
	for _, in := range inputs {
		for t := range in.ids {
			p.features(row, in.hidden[layers][t*width:][:width])
			all.add(row, t, 1)
			if !leftOut(t) {
				some.add(row, 0, float64(t))
			}
		}
	}
	var err error
	if p.regression, err = some.solve(); err == nil {
		p.classes, err = all.solve()
	}
	return p, err
}

// features are a state's with mean 0 and variance 1 over those fitted on, and a constant 1.
func (p *probe) features(row []float64, state []float32) {
	for i, v := range state {
		row[i] = (float64(v) - p.mean[i]) * p.scale[i]
	}
	row[len(state)] = 1
}

// normal is what least squares need of rows: XᵀX and XᵀY.
type normal struct {
	gram *mat.SymDense
	with *mat.Dense
	rows int
}

func newNormal(features, targets int) *normal {
	return &normal{mat.NewSymDense(features, nil), mat.NewDense(features, targets, nil), 0}
}

// add takes a row whose target number k is y, and whose others are 0.
func (n *normal) add(row []float64, k int, y float64) {
	n.rows++
	n.gram.SymRankOne(n.gram, 1, mat.NewVecDense(len(row), row))
	for i, v := range row {
		n.with.Set(i, k, n.with.At(i, k)+v*y)
	}
}

// solve returns the weights with the least squares and the penalty.
func (n *normal) solve() (*mat.Dense, error) {
	for i := range n.gram.SymmetricDim() - 1 { // the constant is free
		n.gram.SetSym(i, i, n.gram.At(i, i)+ridge*float64(n.rows))
	}
	var c mat.Cholesky
	if !c.Factorize(n.gram) {
		return nil, fmt.Errorf("the hidden states are not finite: no probe can be fitted on them")
	}
	var out mat.Dense
	return &out, c.SolveTo(&out, n.with)
}

// try has the probe read positions. same says that they are those which it was fitted on.
func (p *probe) try(outputs []inside, layers int, same bool) *eval.Probe {
	width := len(p.mean)
	row := make([]float64, width+1)
	_, classes := p.classes.Dims()
	var all, withheld readings
	right, states, longest := 0, 0, 0
	for _, in := range outputs {
		longest = max(longest, len(in.ids))
		for t := range in.ids {
			p.features(row, in.hidden[layers][t*width:][:width])
			features := mat.NewVecDense(width+1, row)
			read := mat.Dot(features, p.regression.ColView(0))
			all.add(read, float64(t))
			if leftOut(t) {
				withheld.add(read, float64(t))
			}
			best, most := 0, math.Inf(-1)
			for k := range classes {
				if v := mat.Dot(features, p.classes.ColView(k)); v > most {
					best, most = k, v
				}
			}
			states++
			if best == t {
				right++
			}
		}
	}
	out := &eval.Probe{FitStates: p.states, R2: all.r2(), MeanError: all.absolute / float64(states),
		Classified: float64(right) / float64(states), Chance: 1 / float64(longest)}
	if same {
		r2 := withheld.r2()
		out.Withheld = &r2
	}
	return out
}

// r2 is eval.Probe.R2 alone.
func (p *probe) r2(outputs []inside, layers int) float64 {
	width := len(p.mean)
	row := make([]float64, width+1)
	var all readings
	for _, in := range outputs {
		for t := range in.ids {
			p.features(row, in.hidden[layers][t*width:][:width])
			all.add(mat.Dot(mat.NewVecDense(width+1, row), p.regression.ColView(0)), float64(t))
		}
	}
	return all.r2()
}

// readings gathers the squared errors of positions that were read.
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
