package analysis

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/nopezoo/zoo/eval"
)

// alphabet bounds the kinds of tokens of sequences for logits: so few that each pair is met at many distances.
const alphabet = 8

// logits fits the attention logits of each head by content and distance, which have nothing to do with one another where tokens are
// drawn at random from a few. The first half of the sequences is fitted on, the other is tried. The first token of a sequence,
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
	fits := make([]*logitDesign, len(m.layers))
	for i := range fits {
		fits[i] = newLogitDesign(len(cells), tokens, m.heads)
	}
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

// Fits, by the columns of the design that they have.
const (
	byDistance = iota
	byContent
	byBoth
	shuffled // byBoth, of logits in random order
	fitCount
)

// logitDesign is the design of one layer: a column for each pair of tokens, and one for each distance.
type logitDesign struct {
	tokens    int // kinds of them
	distances int
	gram      [][]float64 // XᵀX of the columns less their mean within each query
	pairs     []float64   // of the fit, by distance
	tried     int         // pairs
	heads     []logitHead
}

// logitHead is the fits of one head.
type logitHead struct {
	with, weights [fitCount][]float64 // Xᵀy, and the solutions, by columns of the design
	wrong         [fitCount]float64   // squared errors where they are tried
	all, square   float64             // squares of the logits less the mean of each query, and as they are
}

func newLogitDesign(tokens, distances, heads int) *logitDesign {
	d := &logitDesign{tokens: tokens, distances: distances, pairs: make([]float64, distances), heads: make([]logitHead, heads)}
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

func (d *logitDesign) columns() int { return d.tokens*d.tokens + d.distances }

// columnsOf are the columns of a fit.
func (d *logitDesign) columnsOf(part int) (from, to int) {
	content := d.tokens * d.tokens
	switch part {
	case byDistance:
		return content, d.columns()
	case byContent:
		return 0, content
	}
	return 0, d.columns()
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
	columns := make([][2]int, len(keys)) // of content and of distance
	for i, j := range keys {
		columns[i] = [2]int{cells[in.ids[t]]*d.tokens + cells[in.ids[j]], d.tokens*d.tokens + t - j}
	}
	if fit {
		d.addRow(columns)
	} else {
		d.tried += len(keys)
	}
	order := rng.Perm(len(keys))
	for h := range d.heads {
		scores := in.score(layer, h, t)
		mean := 0.0
		for _, j := range keys {
			mean += float64(scores[j]) / float64(len(keys))
		}
		centred, mixed := make([]float64, len(keys)), make([]float64, len(keys))
		for i, j := range keys {
			centred[i] = float64(scores[j]) - mean
			mixed[order[i]] = centred[i]
		}
		head := &d.heads[h]
		for part := range fitCount {
			y := centred
			if part == shuffled {
				y = mixed
			}
			if fit {
				for i, c := range columns {
					head.with[part][c[0]] += y[i]
					head.with[part][c[1]] += y[i]
				}
			} else {
				head.wrong[part] += miss(head.weights[part], columns, y)
			}
		}
		for i, j := range keys {
			if !fit {
				head.all += centred[i] * centred[i]
				head.square += float64(scores[j]) * float64(scores[j])
			}
		}
	}
}

// addRow adds the columns of a query's keys, less their mean over the keys, to XᵀX.
func (d *logitDesign) addRow(columns [][2]int) {
	counts := map[int]float64{}
	for _, c := range columns {
		counts[c[0]]++
		counts[c[1]]++
		d.pairs[c[1]-d.tokens*d.tokens]++
		d.gram[c[0]][c[0]]++
		d.gram[c[1]][c[1]]++
		d.gram[c[0]][c[1]]++
		d.gram[c[1]][c[0]]++
	}
	n := float64(len(columns))
	for a, x := range counts {
		for b, y := range counts {
			d.gram[a][b] -= x * y / n
		}
	}
}

// miss is the squared error of a fit for a query's keys, less the mean over them.
func miss(weights []float64, columns [][2]int, y []float64) (sum float64) {
	mean := 0.0
	for _, c := range columns {
		mean += (weights[c[0]] + weights[c[1]]) / float64(len(columns))
	}
	for i, c := range columns {
		e := y[i] - (weights[c[0]] + weights[c[1]] - mean)
		sum += e * e
	}
	return sum
}

// pairPenalty is the ridge of a fit, in pairs: it decides what no pair tells, such as a constant of f.
const pairPenalty = 1e-4

// solve finds the fits of all heads, with 0 for columns that a fit does not have.
func (d *logitDesign) solve() error {
	for part := range fitCount {
		from, to := d.columnsOf(part)
		gram := mat.NewSymDense(to-from, nil)
		for i := range to - from {
			for j := i; j < to-from; j++ {
				gram.SetSym(i, j, d.gram[from+i][from+j])
			}
			gram.SetSym(i, i, gram.At(i, i)+pairPenalty)
		}
		var c mat.Cholesky
		if !c.Factorize(gram) {
			return errors.New("content and distance cannot be told apart in these sequences; read more or longer ones")
		}
		for h := range d.heads {
			var out mat.VecDense
			if err := c.SolveVecTo(&out, mat.NewVecDense(to-from, d.heads[h].with[part][from:to])); err != nil {
				return err
			}
			d.heads[h].weights[part] = make([]float64, d.columns())
			copy(d.heads[h].weights[part][from:to], out.RawVector().Data)
		}
	}
	return nil
}

// rounding is the share of the logits' squares below which float32 alone makes their variance within queries.
const rounding = 1e-12

// result sets the R² of the fits, and the term of distance.
func (h *logitHead) result(d *logitDesign, o *eval.Observation) {
	if o.Values["pairs"] = float64(d.tried); d.tried == 0 || h.all <= rounding*h.square {
		for _, name := range []string{"sd", "r2_distance", "r2_content", "r2_both", "slope", "r2_straight"} {
			o.Values[name] = 0
		}
		o.Control["r2_both"] = 0
		return
	}
	r2 := func(part int) float64 { return 1 - h.wrong[part]/h.all }
	o.Values["sd"] = math.Sqrt(h.all / float64(d.tried))
	o.Values["r2_distance"], o.Values["r2_content"] = r2(byDistance), r2(byContent)
	o.Values["r2_both"], o.Control["r2_both"] = r2(byBoth), r2(shuffled)
	f := h.weights[byBoth][d.tokens*d.tokens:]
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
