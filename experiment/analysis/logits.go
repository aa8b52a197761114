package analysis

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// alphabet bounds the kinds of tokens of sequences for logits: so few that each pair is met at many distances.
const alphabet = 8

// logits fits the attention logits of each head by content, by distance and by the key's place. Content has nothing to do with the
// other two where tokens are drawn at random from a few. The first half of the sequences is fitted on, the other is tried. The first token of a sequence,
// the only one of its kind, is no key.
func (r request) logits(ctx context.Context, onSequence func()) ([]eval.Observation, error) {
	sequences, err := r.sequencesOf(ctx, alphabet)
	if err != nil {
		return nil, err
	}
	m, tokens, cells := r.model, longest(sequences), map[int64]int{}
	for _, s := range sequences {
		for _, id := range s.IDs[1:] {
			if _, known := cells[id]; !known {
				cells[id] = len(cells)
			}
		}
	}
	half := len(sequences) / 2
	fits := lists.Make(len(m.layers), func(int) *logitDesign { return newLogitDesign(len(cells), tokens, m.heads) })
	// The logits of all sequences would not fit into memory: each is read once, and the fits are solved between the halves.
	rng := r.rng()
	for i, s := range sequences {
		in, err := r.read(ctx, s, readOptions{logits: true})
		if err != nil {
			return nil, err
		}
		for layer, d := range fits {
			if i == half {
				if err := d.solve(); err != nil {
					return nil, err
				}
			}
			for t := 2; t < len(in.ids); t++ {
				d.row(&in, layer, t, cells, rng, i < half)
			}
		}
		onSequence()
	}
	var out []eval.Observation
	for layer, d := range fits {
		for head := range m.heads {
			o := r.observation(m.layers[layer], len(sequences)-half, tokens)
			o.Head, o.Heads = head, m.heads
			d.heads[head].result(d, &o)
			out = append(out, o)
		}
	}
	return out, nil
}

// Fits, by the terms that they have beside the query's constant.
const (
	byDistance = iota
	byPlace
	byPositions // distance and place
	byContent
	byBoth // content and distance
	byContentPlace
	shuffled // byBoth, of logits in random order
	fitCount
)

// terms are the blocks of columns of each fit: content, distance and place.
var terms = [fitCount][3]bool{byDistance: {false, true, false}, byPlace: {false, false, true}, byPositions: {false, true, true},
	byContent: {true, false, false}, byBoth: {true, true, false}, byContentPlace: {true, false, true}, shuffled: {true, true, false}}

// fitNames end the names of the numbers of fits.
var fitNames = [fitCount]string{byDistance: "distance", byPlace: "place", byPositions: "positions", byContent: "content", byBoth: "both",
	byContentPlace: "content_place"}

// logitDesign is the design of one layer: a column for each pair of tokens, one for each distance, and one for each place of a key.
type logitDesign struct {
	tokens int         // kinds of them
	places int         // as many as distances
	gram   [][]float64 // XᵀX of the columns less their mean within each query
	pairs  []float64   // of the fit, by distance
	tried  int         // pairs
	rows   int         // queries that they are of
	heads  []logitHead
}

// logitHead is the fits of one head.
type logitHead struct {
	with, weights [fitCount][]float64 // Xᵀy, and the solutions, by columns of the design
	wrong, apart  [fitCount]float64   // squared errors, and total variation distances of attention, where they are tried
	uneven        float64             // total variation distances of even attention
	all, square   float64             // squares of the logits less the mean of each query, and as they are
}

func newLogitDesign(tokens, places, heads int) *logitDesign {
	d := &logitDesign{tokens: tokens, places: places, pairs: make([]float64, places), heads: make([]logitHead, heads)}
	for range d.columns() {
		d.gram = append(d.gram, make([]float64, d.columns()))
	}
	for h := range d.heads {
		for k := range fitCount {
			d.heads[h].with[k] = make([]float64, d.columns())
		}
	}
	return d
}

func (d *logitDesign) columns() int { return d.tokens*d.tokens + 2*d.places }

// distances is the first column of the distances.
func (d *logitDesign) distances() int { return d.tokens * d.tokens }

// columnsOf are the columns of a fit.
func (d *logitDesign) columnsOf(fit int) (columns []int) {
	from := 0
	for term, size := range []int{d.tokens * d.tokens, d.places, d.places} {
		for column := from; column < from+size && terms[fit][term]; column++ {
			columns = append(columns, column)
		}
		from += size
	}
	return columns
}

// row adds the keys that query t sees, without the first, to the fits, or tries the fits on them.
func (d *logitDesign) row(in *inside, layer, t int, cells map[int64]int, rng *rand.Rand, fit bool) {
	var keys []int
	for j, v := range in.score(layer, 0, t) {
		if j > 0 && v > unseen {
			keys = append(keys, j)
		}
	}
	if len(keys) < 2 {
		return // one key has no difference to another
	}
	columns := make([][3]int, len(keys)) // of content, distance and place
	for i, j := range keys {
		columns[i] = [3]int{cells[in.ids[t]]*d.tokens + cells[in.ids[j]], d.distances() + t - j, d.distances() + d.places + j}
	}
	if fit {
		d.addRow(columns)
	} else {
		d.tried += len(keys)
		d.rows++
	}
	order := rng.Perm(len(keys))
	for h := range d.heads {
		centred, mixed := make([]float64, len(keys)), make([]float64, len(keys))
		for i, j := range keys {
			centred[i] = float64(in.score(layer, h, t)[j])
			if !fit {
				d.heads[h].square += centred[i] * centred[i]
			}
		}
		centre(centred)
		for i, v := range centred {
			mixed[order[i]] = v
		}
		if head := &d.heads[h]; fit {
			head.fit(columns, centred, mixed)
		} else {
			head.try(columns, centred, mixed)
		}
	}
}

// centre takes their mean from values.
func centre(values []float64) {
	floats.AddConst(-floats.Sum(values)/float64(len(values)), values)
}

// fit adds a query's logits less their mean, and the same in random order.
func (h *logitHead) fit(columns [][3]int, logits, mixed []float64) {
	for fit := range fitCount {
		y := logits
		if fit == shuffled {
			y = mixed
		}
		for i, c := range columns {
			for _, column := range c {
				h.with[fit][column] += y[i]
			}
		}
	}
}

// try adds the errors of the fits for a query's logits less their mean.
func (h *logitHead) try(columns [][3]int, logits, mixed []float64) {
	attention := softmax(logits)
	for fit := range fitCount {
		fitted := make([]float64, len(columns))
		for i, c := range columns {
			for _, column := range c {
				fitted[i] += h.weights[fit][column]
			}
		}
		centre(fitted)
		y := logits
		if fit == shuffled {
			y = mixed
		}
		apart := floats.Distance(y, fitted, 2)
		h.wrong[fit] += apart * apart
		h.apart[fit] += floats.Distance(attention, softmax(fitted), 1) / 2
	}
	h.uneven += floats.Distance(attention, softmax(make([]float64, len(logits))), 1) / 2
	h.all += floats.Dot(logits, logits)
}

// softmax is the attention that logits give.
func softmax(logits []float64) []float64 {
	out := make([]float64, len(logits))
	all := floats.LogSumExp(logits)
	for i, v := range logits {
		out[i] = math.Exp(v - all)
	}
	return out
}

// addRow adds the columns of a query's keys, less their mean over the keys, to XᵀX.
func (d *logitDesign) addRow(columns [][3]int) {
	counts := make([]float64, d.columns())
	var met []int // columns
	for _, c := range columns {
		d.pairs[c[1]-d.distances()]++
		for _, a := range c {
			if counts[a] == 0 {
				met = append(met, a)
			}
			counts[a]++
			for _, b := range c {
				d.gram[a][b]++
			}
		}
	}
	n := float64(len(columns))
	for _, a := range met {
		for _, b := range met {
			d.gram[a][b] -= counts[a] * counts[b] / n
		}
	}
}

// pairPenalty is the ridge of a fit, in pairs: it decides what no pair tells, such as a constant of f.
const pairPenalty = 1e-4

// solve finds the fits of all heads, with 0 for columns that a fit does not have.
func (d *logitDesign) solve() error {
	for fit := range fitCount {
		columns := d.columnsOf(fit)
		gram := mat.NewSymDense(len(columns), nil)
		for i, a := range columns {
			for j, b := range columns[i:] {
				gram.SetSym(i, i+j, d.gram[a][b])
			}
			gram.SetSym(i, i, gram.At(i, i)+pairPenalty)
		}
		var c mat.Cholesky
		if !c.Factorize(gram) {
			return errors.New("content and positions cannot be told apart in these sequences; read more or longer ones")
		}
		for h := range d.heads {
			head := &d.heads[h]
			with := mat.NewVecDense(len(columns), nil)
			for i, column := range columns {
				with.SetVec(i, head.with[fit][column])
			}
			var out mat.VecDense
			if err := c.SolveVecTo(&out, with); err != nil {
				return err
			}
			head.weights[fit] = make([]float64, d.columns())
			for i, column := range columns {
				head.weights[fit][column] = out.AtVec(i)
			}
		}
	}
	return nil
}

// rounding is the share of the logits' squares below which float32 alone makes their variance within queries.
const rounding = 1e-12

// result sets the R² of the fits, how far the attention that they give is apart from the head's, and the term of distance.
func (h *logitHead) result(d *logitDesign, o *eval.Observation) {
	o.Values["pairs"] = float64(d.tried)
	flat := d.tried == 0 || h.all <= rounding*h.square
	for fit, name := range fitNames[:shuffled] {
		o.Values["r2_"+name], o.Values["tv_"+name] = 0, 0
		if !flat {
			o.Values["r2_"+name], o.Values["tv_"+name] = 1-h.wrong[fit]/h.all, h.apart[fit]/float64(d.rows)
		}
	}
	if flat {
		for _, name := range []string{"sd", "slope", "r2_straight", "tv_even"} {
			o.Values[name] = 0
		}
		o.Control["r2_both"] = 0
		return
	}
	o.Values["sd"], o.Values["tv_even"] = math.Sqrt(h.all/float64(d.tried)), h.uneven/float64(d.rows)
	o.Control["r2_both"] = 1 - h.wrong[shuffled]/h.all
	f := h.weights[byBoth][d.distances() : d.distances()+d.places]
	var shape []float64
	for i := range f {
		if d.pairs[i] == 0 { // farther than any key is seen
			break
		}
		shape = append(shape, math.Round(1e4*(f[i]-f[0]))/1e4)
	}
	o.Series = [][]float64{shape}
	o.Values["slope"], o.Values["r2_straight"] = straight(f[1:], d.pairs[1:])
}

// straight fits a line to values at 0, 1, …, with weights: how much it falls from one to the next, and its R².
func straight(values, weights []float64) (slope, r2 float64) {
	var n, x, y, xx, xy, yy float64
	for i, v := range values {
		w, at := weights[i], float64(i)
		n, x, y = n+w, x+w*at, y+w*v
		xx, xy, yy = xx+w*at*at, xy+w*at*v, yy+w*v*v
	}
	xx, xy, yy = xx-x*x/n, xy-x*y/n, yy-y*y/n
	if !(xx > 0 && yy > 0) {
		return 0, 0
	}
	return -xy / xx, xy * xy / (xx * yy)
}
