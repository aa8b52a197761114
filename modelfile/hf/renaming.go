package hf

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// renaming gives the tensors of a folder the names and shapes of a model's parameters. Tensors keep their precision, but
// where they are computed with.
type renaming struct {
	in       map[string]stored // what nothing has taken yet
	shapes   map[string][]int  // of the model's parameters
	out      map[string]*tensor.Tensor
	listing  string // the file that says which tensors there are
	problems []error
}

func newRenaming(listing string, in map[string]stored, params []pe.Param) *renaming {
	w := &renaming{in: in, shapes: map[string][]int{}, out: map[string]*tensor.Tensor{}, listing: listing}
	for _, p := range params {
		w.shapes[p.Name] = p.Shape
	}
	return w
}

func (w *renaming) fail(format string, args ...any) {
	w.problems = append(w.problems, fmt.Errorf(format, args...))
}

// readWeights reads the weights of a folder as those of a model of the family. sum is the SHA-256 of config.json and the
// files with the weights, in the order of their names.
func (f family) readWeights(dir string, made models.Model) (weights map[string]*tensor.Tensor, sum string, err error) {
	params, d := made.Params(), newDigest()
	defer d.sum()
	if err := d.file(filepath.Join(dir, configFile)); err != nil {
		return nil, "", err
	}
	listing, all, err := readTensors(dir, roomFor(params), d)
	if err != nil {
		return nil, "", err
	}
	w := newRenaming(listing, all, params)
	f.rename(made.Config(), w)
	weights, err = w.finish()
	return weights, d.sum(), err
}

// take returns a tensor of the folder; it is nil, and a problem is noted, where there is none of that many axes.
func (w *renaming) take(name string, axes int) *tensor.Tensor {
	s, ok := w.in[name]
	delete(w.in, name)
	switch {
	case !ok:
		w.fail("%s: lacks the tensor %s", w.listing, name)
		return nil
	case len(s.Shape()) != axes:
		w.fail("%s: tensor %s has the shape %v: want %d axes", s.file, name, s.Shape(), axes)
		return nil
	case s.DType() != tensor.Float32 && !s.DType().Halves():
		w.fail("%s: tensor %s is %v: want F32, F16 or BF16", s.file, name, s.DType())
		return nil
	}
	return s.Tensor
}

// has reports whether the model has a parameter.
func (w *renaming) has(name string) bool { return w.shapes[name] != nil }

// put makes a tensor a parameter; nil is a problem that was noted.
func (w *renaming) put(name string, t *tensor.Tensor) {
	if t == nil {
		return
	}
	if want := w.shapes[name]; !slices.Equal(t.Shape(), want) {
		w.fail("%s: what becomes %s has the shape %v, the model wants %v", w.listing, name, t.Shape(), want)
		return
	}
	w.out[name] = t
}

// move takes over a weight of so many axes, and its bias where the model has one.
func (w *renaming) move(ours, theirs string, axes int) {
	w.put(ours+".weight", w.take(theirs+".weight", axes))
	if w.has(ours + ".bias") {
		w.put(ours+".bias", w.take(theirs+".bias", 1))
	}
}

// layers takes over each layer, where form gives theirs a prefix: with cut, unless it is nil, what stands in one tensor together;
// then pairs of our name and theirs. What the model has not, or has been given, is passed over.
func (w *renaming) layers(c models.Config, form string, cut func(ours, theirs string), pairs ...string) {
	for i := range c.NLayers {
		ours, theirs := layer(i), fmt.Sprintf(form, i)
		if cut != nil {
			cut(ours, theirs)
		}
		for _, pair := range pairs {
			our, their, _ := strings.Cut(pair, " ")
			if name := ours + our + ".weight"; w.has(name) && w.out[name] == nil {
				w.move(ours+our, theirs+their, len(w.shapes[name]))
			}
		}
	}
}

// matrix and norm are move.
func (w *renaming) matrix(ours, theirs string) { w.move(ours, theirs, 2) }
func (w *renaming) norm(ours, theirs string)   { w.move(ours, theirs, 1) }

// zeroBias gives a LayerNorm without a bias one of zeros.
func (w *renaming) zeroBias(ours string) {
	if name := ours + ".bias"; w.has(name) {
		w.put(name, tensor.New(tensor.Float32, w.shapes[name]...))
	}
}

// cut gives parameters rows of one tensor, and of its bias.
func (w *renaming) cut(theirs string, parts map[string]blocks) {
	matrix := w.take(theirs+".weight", 2)
	biased := false
	for ours, part := range parts {
		w.put(ours+".weight", w.rows(theirs, matrix, part))
		biased = biased || w.has(ours+".bias")
	}
	if !biased {
		return
	}
	vector := w.take(theirs+".bias", 1)
	for ours, part := range parts {
		w.put(ours+".bias", w.rows(theirs, vector, part))
	}
}

// blocks are rows of a tensor: of each of n blocks of stride rows those from first on, width of them.
type blocks struct{ n, stride, first, width int }

// span is width rows from the first on.
func span(first, width int) blocks { return blocks{n: 1, first: first, width: width} }

// rows returns rows of a tensor; nil of nil.
func (w *renaming) rows(name string, t *tensor.Tensor, part blocks) *tensor.Tensor {
	if t == nil {
		return nil
	}
	if end := (part.n-1)*part.stride + part.first + part.width; end > t.Shape()[0] {
		w.fail("%s: tensor %s has %d rows: the model wants %d", w.listing, name, t.Shape()[0], end)
		return nil
	}
	switch t.DType() {
	case tensor.Float16:
		return rowsOf[uint16](t, part)
	case tensor.BFloat16:
		return rowsOf[tensor.BFloat16Bits](t, part)
	}
	return rowsOf[float32](t, part)
}

func rowsOf[T tensor.Element](t *tensor.Tensor, part blocks) *tensor.Tensor {
	data, shape := tensor.Data[T](t), slices.Clone(t.Shape())
	width := t.Len() / max(shape[0], 1)
	shape[0] = part.n * part.width
	block := func(i int) []T { return data[(i*part.stride+part.first)*width:][:part.width*width] }
	if part.n == 1 { // not copied
		return tensor.Of(block(0), shape...)
	}
	out := make([]T, 0, shape[0]*width)
	for i := range part.n {
		out = append(out, block(i)...)
	}
	return tensor.Of(out, shape...)
}

// transposed returns a matrix [in, out] as [out, in]; nil of nil.
func transposed(t *tensor.Tensor) *tensor.Tensor {
	if t == nil {
		return nil
	}
	switch t.DType() {
	case tensor.Float16:
		return transposedOf[uint16](t)
	case tensor.BFloat16:
		return transposedOf[tensor.BFloat16Bits](t)
	}
	return transposedOf[float32](t)
}

func transposedOf[T tensor.Element](t *tensor.Tensor) *tensor.Tensor {
	rows, cols := t.Shape()[0], t.Shape()[1]
	data, out := tensor.Data[T](t), make([]T, t.Len())
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = data[i*cols+j]
		}
	}
	return tensor.Of(out, cols, rows)
}

// float32s returns a tensor in float32; nil of nil.
func float32s(t *tensor.Tensor) *tensor.Tensor {
	if t == nil || t.DType() == tensor.Float32 {
		return t
	}
	return t.As(tensor.Float32)
}

// plusOne is the gain 1 + w of a norm, in float32.
func plusOne(t *tensor.Tensor) *tensor.Tensor {
	if t == nil {
		return nil
	}
	t = float32s(t)
	out := tensor.New(tensor.Float32, t.Shape()...)
	for i, v := range tensor.Data[float32](t) {
		tensor.Data[float32](out)[i] = 1 + v
	}
	return out
}

// product returns a · b, or a · bᵀ, in float32, summed in float64; nil of nil.
func product(a, b *tensor.Tensor, transpose bool) *tensor.Tensor {
	if a == nil || b == nil {
		return nil
	}
	a, b = float32s(a), float32s(b)
	if !transpose {
		b = transposed(b)
	}
	n, m, k := a.Shape()[0], b.Shape()[0], a.Shape()[1]
	if b.Shape()[1] != k {
		return tensor.New(tensor.Float32, 0, 0) // put names the shape
	}
	out := tensor.New(tensor.Float32, n, m)
	x, y, z := tensor.Data[float32](a), tensor.Data[float32](b), tensor.Data[float32](out)
	tensor.Parallel(n, func(i int) {
		for j := range m {
			sum := 0.0
			for l := range k {
				sum += float64(x[i*k+l]) * float64(y[j*k+l])
			}
			z[i*m+j] = float32(sum)
		}
	})
	return out
}

// drop leaves out tensors that are no parameters, by the ends of their names.
func (w *renaming) drop(ends ...string) {
	for name := range w.in {
		if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
			delete(w.in, name)
		}
	}
}

// prefix is what stands before all names of a folder: one of these.
func (w *renaming) prefix(candidates ...string) string {
	for _, p := range candidates {
		for name := range w.in {
			if p != "" && strings.HasPrefix(name, p) {
				return p
			}
		}
	}
	return candidates[len(candidates)-1]
}

// layer is the prefix of our names in a layer.
func layer(i int) string { return fmt.Sprintf("layers.%d.", i) }

// finish returns the weights, or everything that is wrong with them, up to a limit.
func (w *renaming) finish() (map[string]*tensor.Tensor, error) {
	for _, name := range slices.Sorted(maps.Keys(w.in)) {
		w.fail("%s: tensor %s belongs to no part of the model", w.in[name].file, clip([]byte(name)))
	}
	if len(w.problems) == 0 {
		for _, name := range slices.Sorted(maps.Keys(w.shapes)) {
			if t := w.out[name]; t == nil {
				w.fail("%s: nothing in the folder becomes %s%v", w.listing, name, w.shapes[name])
			} else if err := tensor.CheckFinite(t); err != nil {
				w.fail("%s: what becomes %s: %w", w.listing, name, err)
			}
		}
	}
	return w.out, joinFirst(w.problems, len(w.problems))
}
