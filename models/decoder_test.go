package models_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// micro is a model small enough for plain loops.
func micro(encoding, settings string) models.Config {
	return models.Config{
		Settings: settings, Encoding: encoding, DModel: 16, NLayers: 2, NHeads: 2, DHead: 8, DFF: 24, VocabSize: 11,
	}
}

func newDecoder(t testing.TB, cfg models.Config) models.Model {
	t.Helper()
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lively draws weights large enough that every part of the model shows in the
// logits (the usual initialisation leaves attention almost uniform).
func lively(m models.Model) map[string]*tensor.Tensor {
	params := m.Params()
	for i := range params {
		if params[i].Std != 0 {
			params[i].Std = 0.4
		} else {
			params[i].Std = 0.2
		}
	}
	return models.InitWeights(params, 7)
}

// modes are the graphs of a decoder that must agree: both contracts of states, in both
// profiles.
var modes = []models.Mode{{}, {Fused: true}, {Growing: true}, {Growing: true, Fused: true}}

func modeName(m models.Mode) string {
	name := "in place"
	if m.Growing {
		name = "growing"
	}
	if m.Fused {
		name += ", fused"
	}
	return name
}

// runner runs an exported graph in float64 over its states.
type runner struct {
	t       testing.TB
	prog    *interp.Program
	g       *graph.Graph
	states  []card.State
	weights map[string]*tensor.Tensor
	cache   map[string]*tensor.Tensor
	mask    [][]int64
	room    int // slots of states in place; 0 for growing ones
}

// junk fills the slots of states in place that no token has filled: what is there must
// not matter.
const junk = 1e3

func newRunner(t testing.TB, m models.Model, mode models.Mode, batch int) *runner {
	t.Helper()
	g, states, err := m.Graph(mode)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, prog: interp.New(g, tensor.Float64), g: g, states: states, weights: lively(m),
		cache: map[string]*tensor.Tensor{}, mask: make([][]int64, batch)}
	if g.Input("cache_position") != nil {
		r.room = 16
	}
	for _, s := range states {
		c := tensor.New(tensor.Float32, s.AppendDims(nil, batch, r.room)...)
		for i := range tensor.Data[float32](c) {
			if !s.Slotted() {
				break // it begins with 0
			}
			tensor.Data[float32](c)[i] = junk
		}
		r.cache[s.Past] = c
	}
	return r
}

// feed returns the inputs for the next tokens of each row (−1: a pad on the left).
func (r *runner) feed(rows ...[]int64) map[string]*tensor.Tensor {
	batch, width, filled := len(rows), len(rows[0]), len(r.mask[0])
	ids, pos := tensor.New(tensor.Int64, batch, width), tensor.New(tensor.Int64, batch, width)
	for i, row := range rows {
		for j, id := range row {
			real := int64(0)
			for _, m := range r.mask[i] {
				real += m
			}
			if id >= 0 {
				r.mask[i] = append(r.mask[i], 1)
				tensor.Data[int64](ids)[i*width+j] = id
				tensor.Data[int64](pos)[i*width+j] = real
			} else {
				r.mask[i] = append(r.mask[i], 0)
			}
		}
	}
	feed := map[string]*tensor.Tensor{"input_ids": ids}
	if r.g.Input("logits_to_keep") != nil {
		feed["logits_to_keep"] = tensor.Of([]int64{int64(width)}, 1)
	}
	columns := filled + width
	if r.g.Input("attention_mask").Shape[1] == graph.N(1) { // of a model without slots
		columns = 1
		for i := range r.mask {
			r.mask[i] = r.mask[i][filled:]
		}
	}
	if r.room > 0 {
		columns = r.room
		at := tensor.New(tensor.Int64, width)
		for i := range width {
			tensor.Data[int64](at)[i] = int64(filled + i)
		}
		feed["cache_position"] = at
	}
	var mask []int64
	for _, m := range r.mask {
		mask = append(mask, m...)
		mask = append(mask, slices.Repeat([]int64{1}, columns-len(m))...)
	}
	feed["attention_mask"] = tensor.Of(mask, batch, columns)
	if r.g.Input("position_ids") != nil {
		feed["position_ids"] = pos
	}
	maps.Copy(feed, r.cache)
	return feed
}

// step feeds the next tokens of each row, one after the other to a model that takes one at a
// time, and returns the logits of all of them, [B][T][V].
func (r *runner) step(rows ...[]int64) [][][]float64 {
	r.t.Helper()
	batch, width := len(rows), len(rows[0])
	if r.g.Input("input_ids").Shape[1] == graph.N(1) && width > 1 {
		result := make([][][]float64, batch)
		for i := range width {
			var column [][]int64
			for _, row := range rows {
				column = append(column, row[i:i+1])
			}
			for k, logits := range r.step(column...) {
				result[k] = append(result[k], logits...)
			}
		}
		return result
	}
	out, err := r.prog.Run(r.t.Context(), r.feed(rows...), r.weights)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range r.states {
		r.cache[s.Past] = out[s.Present]
	}
	logits := tensor.Data[float64](out["logits"])
	vocab := out["logits"].Shape()[2]
	result := make([][][]float64, batch)
	for i := range result {
		for j := range width {
			result[i] = append(result[i], logits[(i*width+j)*vocab:][:vocab])
		}
	}
	return result
}

func worst(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i])/max(1, math.Abs(b[i])))
	}
	return d
}

// same asserts that two computations of the same logits in float64 agree: 1e-9
// is far above rounding and far below any mistake. Constants of the graph are
// float32, which both sides see alike.
func same(t testing.TB, what string, a, b []float64) {
	t.Helper()
	if d := worst(a, b); !(d < 1e-9) {
		t.Errorf("%s: logits differ by %g", what, d)
	}
}

func tokens(n int, seed uint64) []int64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := make([]int64, n)
	for i := range out {
		out[i] = rng.Int64N(11)
	}
	return out
}

// decoders yields every arrangement under all families of settings, and the variants of attention with
// some of them.
func decoders(t *testing.T) iter.Seq2[string, models.Model] {
	return func(yield func(string, models.Model) bool) {
		for _, a := range arrangements() {
			for _, settings := range []string{"modern", "faithful", "gpt2"} {
				if !yield(a.name+"/"+settings, newDecoder(t, a.config(settings))) {
					return
				}
			}
		}
		for _, encoding := range []string{"nope", "rope", "alibi", "txl"} {
			for name, change := range attentionVariants {
				cfg := micro(encoding, "modern")
				if change(&cfg); name == "adaptive" && encoding == "alibi" {
					cfg.Encoding = "nape" // which has heads without slopes too
				}
				if !yield(cfg.Encoding+"/"+name, newDecoder(t, cfg)) {
					return
				}
			}
		}
		for name, change := range blockVariants {
			for _, encoding := range []string{"rope", "cope"} {
				if encoding == "cope" && name != "key heads" { // it reads the keys themselves
					continue
				}
				cfg := micro(encoding, "modern")
				change(&cfg)
				if !yield(encoding+"/"+name, newDecoder(t, cfg)) {
					return
				}
			}
		}
	}
}

// variants calls f for all decoders and in all modes.
func variants(t *testing.T, f func(t *testing.T, m models.Model, mode models.Mode)) {
	for name, m := range decoders(t) {
		for _, mode := range modes {
			t.Run(name+"/"+modeName(mode), func(t *testing.T) { f(t, m, mode) })
		}
	}
}

// Token by token, in chunks, and all at once give the same logits.
func TestStepEqualsFull(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		ids := tokens(13, 1)
		full := newRunner(t, m, mode, 1).step(ids)[0]
		for _, chunk := range []int{1, 4, 7} {
			r := newRunner(t, m, mode, 1)
			at := 0
			for part := range slices.Chunk(ids, chunk) {
				for _, got := range r.step(part)[0] {
					same(t, fmt.Sprintf("chunks of %d, token %d", chunk, at), got, full[at])
					at++
				}
			}
		}
	})
}

// Without a cache, as in training, the logits are those with one.
func TestUncachedEqualsCached(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		if mode.Fused {
			return // training graphs are not fused
		}
		ids := tokens(13, 1)
		b := graph.NewBuilder()
		g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{}).Logits})
		if err != nil {
			t.Fatal(err)
		}
		positions := make([]int64, len(ids))
		for i := range positions {
			positions[i] = int64(i)
		}
		feed := map[string]*tensor.Tensor{
			"input_ids": tensor.Of(ids, 1, len(ids)), "position_ids": tensor.Of(positions, 1, len(ids)),
		}
		out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, lively(m))
		if err != nil {
			t.Fatal(err)
		}
		cached := newRunner(t, m, mode, 1).step(ids)[0]
		same(t, "uncached", tensor.Data[float64](out["logits"]), slices.Concat(cached...))
	})
}

// ofPositions reports whether a value depends on positions and on weights of all layers alone,
// given which of its inputs do.
func ofPositions(n *graph.Node, known map[*graph.Node]bool) bool {
	switch n.Op {
	case graph.OpInput:
		return n.Name == card.PositionIDs.Name || n.Name == card.CachePosition.Name || n.Name == card.AttentionMask.Name
	case graph.OpParam:
		return !strings.HasPrefix(n.Name, "layers.")
	case graph.OpConstant, "Shape":
		return true
	}
	return !slices.ContainsFunc(n.Inputs, func(in *graph.Node) bool { return !known[in] })
}

// What depends on positions alone is computed once, however many layers read it.
func TestPositionsAreShared(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		count := func(layers int) map[string]int {
			cfg := m.Config()
			cfg.NLayers = layers
			g, _, err := newDecoder(t, cfg).Graph(mode)
			if err != nil {
				t.Fatal(err)
			}
			n, shared := map[string]int{}, map[*graph.Node]bool{}
			for _, node := range slices.Concat(g.Inputs, g.Params, g.Nodes) {
				if shared[node] = ofPositions(node, shared); shared[node] && node.Op != graph.OpConstant {
					n[node.Op]++
				}
			}
			return n
		}
		if diff := cmp.Diff(count(2), count(4)); diff != "" { // two may be a pattern
			t.Errorf("a model with 4 layers computes more of these than one with 2:\n%s", diff)
		}
	})
}

// No logit at t depends on tokens after t; it does depend on those before.
func TestCausal(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		a, b := tokens(9, 1), tokens(9, 1)
		b[5] = (b[5] + 1) % 11
		x, y := newRunner(t, m, mode, 1).step(a)[0], newRunner(t, m, mode, 1).step(b)[0]
		for i := range 5 {
			same(t, fmt.Sprintf("token %d", i), x[i], y[i])
		}
		for i := 5; i < 9; i++ {
			if i > 5 && m.Config().Attention == "entmax" {
				break // which gives keys no weight: TestTwin tells whether these
			}
			if worst(x[i], y[i]) < 1e-6 {
				t.Errorf("token %d does not see the change at 5", i)
			}
		}
	})
}

// Left padding and company in the batch change nothing.
func TestLeftPadding(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		a, b := tokens(8, 1), tokens(5, 2)
		padded := append([]int64{-1, -1, -1}, b...)
		both := newRunner(t, m, mode, 2).step(a, padded)
		for i, want := range newRunner(t, m, mode, 1).step(a)[0] {
			same(t, "row without padding", both[0][i], want)
		}
		for i, want := range newRunner(t, m, mode, 1).step(b)[0] {
			same(t, "padded row", both[1][3+i], want)
		}
	})
}

// Order must matter: swapping two earlier tokens changes the last logits of a
// model with two layers, even without an encoding.
func TestOrderMatters(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		a := tokens(6, 1)
		b := slices.Clone(a)
		b[1], b[2] = a[2], a[1]
		if a[1] == a[2] {
			t.Fatal("the two tokens are equal; choose another seed")
		}
		x, y := newRunner(t, m, mode, 1).step(a)[0], newRunner(t, m, mode, 1).step(b)[0]
		if worst(x[5], y[5]) < 1e-6 {
			t.Error("the order of tokens makes no difference")
		}
	})
}

// No bit of a row depends on the others of its batch: neither its logits nor what the
// states hold of it, and the other rows change nothing.
func TestRowsAreApart(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		a, b := newRunner(t, m, mode, 3), newRunner(t, m, mode, 3)
		for _, step := range []struct{ mine, other []int64 }{
			{tokens(5, 1), tokens(5, 2)}, {tokens(1, 3), tokens(1, 4)}, {tokens(4, 5), tokens(4, 6)},
		} {
			x := a.step(step.mine, step.mine, step.mine)
			y := b.step(step.other, step.mine, step.other)
			if diff := cmp.Diff(x[1], y[1]); diff != "" {
				t.Errorf("logits of row 1, with itself and with others:\n%s", diff)
			}
		}
		for _, s := range a.states {
			x, y := tensor.Data[float64](a.cache[s.Past]), tensor.Data[float64](b.cache[s.Past])
			row := len(x) / 3
			if !slices.Equal(x[row:2*row], y[row:2*row]) {
				t.Errorf("%s: row 1 holds something else among other rows", s.Past)
			}
			if slices.Equal(x[:row], y[:row]) {
				t.Errorf("%s: row 0 holds the same for other tokens", s.Past)
			}
		}
	})
}

// A run writes the slots that it is told to and no others, so that what is filled stays,
// and what was written before a failure is written again.
func TestInPlace(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		if mode.Growing {
			return
		}
		r, once := newRunner(t, m, mode, 2), newRunner(t, m, mode, 2)
		r.step(tokens(5, 1), tokens(5, 2))
		once.step(tokens(5, 1), tokens(5, 2))
		before := maps.Clone(r.cache)
		r.step(tokens(3, 3), tokens(3, 4))
		for i := range r.mask {
			r.mask[i] = r.mask[i][:5] // as if that run had failed
		}
		for _, s := range r.states {
			if s.Kind != card.InPlace {
				r.cache[s.Past] = before[s.Past]
			}
		}
		again, want := r.step(tokens(3, 5), tokens(3, 6)), once.step(tokens(3, 5), tokens(3, 6))
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("slots filled for the second time:\n%s", diff)
		}
		for _, s := range r.states {
			if diff := cmp.Diff(tensor.Data[float64](once.cache[s.Past]), tensor.Data[float64](r.cache[s.Past])); diff != "" {
				t.Errorf("%s:\n%s", s.Past, diff)
			}
			if s.Kind != card.InPlace {
				continue
			}
			shape := r.cache[s.Past].Shape()
			inner := tensor.Numel(shape[s.Axis+1:])
			for i, v := range tensor.Data[float64](r.cache[s.Past]) {
				if slot := i / inner % shape[s.Axis]; (v == junk) != (slot >= 8) {
					t.Fatalf("%s: slot %d holds %v after 8 tokens", s.Past, slot, v)
				}
			}
		}
	})
}

// logits_to_keep returns the last rows only.
func TestLogitsToKeep(t *testing.T) {
	m := newDecoder(t, micro("nope", "modern"))
	for _, mode := range modes {
		ids := tokens(6, 3)
		all := newRunner(t, m, mode, 1).step(ids)[0]
		r := newRunner(t, m, mode, 1)
		feed := r.feed(ids)
		feed["logits_to_keep"] = tensor.Of([]int64{2}, 1)
		out, err := r.prog.Run(t.Context(), feed, r.weights)
		if err != nil {
			t.Fatal(err)
		}
		if s := out["logits"].Shape(); !slices.Equal(s, []int{1, 2, 11}) {
			t.Fatalf("logits have shape %v", s)
		}
		same(t, "kept rows", tensor.Data[float64](out["logits"]), slices.Concat(all[4], all[5]))
	}
}

// Attention weights are a causal distribution over the keys.
func TestAttentions(t *testing.T) {
	m := newDecoder(t, micro("alibi", "modern"))
	for _, mode := range []models.Mode{{Attentions: true}, {Attentions: true, Growing: true}} {
		r := newRunner(t, m, mode, 1)
		keys := max(r.room, 4)
		out, err := r.prog.Run(t.Context(), r.feed(tokens(4, 1)), r.weights)
		if err != nil {
			t.Fatal(err)
		}
		for layer := range 2 {
			a := out[fmt.Sprintf("attentions.%d", layer)]
			if !slices.Equal(a.Shape(), []int{1, 2, 4, keys}) {
				t.Fatalf("attentions.%d have shape %v", layer, a.Shape())
			}
			for i := range 8 {
				row := tensor.Data[float64](a)[i*keys:][:keys]
				sum := 0.0
				for k, p := range row {
					sum += p
					if k > i%4 && p != 0 {
						t.Errorf("layer %d, query %d sees key %d", layer, i%4, k)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("layer %d, query %d: weights sum to %v", layer, i%4, sum)
				}
			}
		}
	}
}

// Attention logits are what the softmax makes attention weights of, and hidden states that are shifted by 0 are as
// they were; a shift is added to what the next layer reads, and is refused with a cache.
func TestAttentionLogitsAndShift(t *testing.T) {
	m := newDecoder(t, micro("alibi", "modern"))
	run := func(mode models.Mode, shift float64) map[string]*tensor.Tensor {
		b := graph.NewBuilder()
		f := m.Forward(b, mode)
		g, err := b.Build(slices.Concat([]graph.Output{{Name: "logits", Node: f.Logits}}, f.Attentions, f.AttentionLogits, f.Hidden)...)
		if err != nil {
			t.Fatal(err)
		}
		feed := map[string]*tensor.Tensor{"input_ids": tensor.Of([]int64{1, 2, 3, 4}, 1, 4),
			"position_ids": tensor.Of([]int64{0, 1, 2, 3}, 1, 4)}
		for layers := range m.Config().NLayers + 1 {
			by := tensor.New(tensor.Float32, 1, 4, m.Config().DModel)
			if layers == 1 {
				for i := range tensor.Data[float32](by) {
					tensor.Data[float32](by)[i] = float32(shift)
				}
			}
			feed[fmt.Sprintf(models.ShiftName, layers)] = by
		}
		out, err := interp.New(g, tensor.Float32).Run(context.Background(), feed, models.InitWeights(m.Params(), 1))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := run(models.Mode{Attentions: true, AttentionLogits: true, Hidden: true}, 0)
	for layer := range 2 {
		weights, logits := tensor.Data[float32](plain[card.Attentions(layer)]), tensor.Data[float32](plain[fmt.Sprintf(models.LogitsName, layer)])
		for row := range len(logits) / 4 {
			sum := 0.0
			for _, v := range logits[row*4:][:4] {
				sum += math.Exp(float64(v))
			}
			for j, v := range logits[row*4:][:4] {
				if want := math.Exp(float64(v)) / sum; math.Abs(want-float64(weights[row*4+j])) > 1e-6 {
					t.Errorf("layer %d, row %d, key %d: weight %v of logits that give %v", layer, row, j, weights[row*4+j], want)
				}
			}
		}
	}
	hidden := func(out map[string]*tensor.Tensor, layers int) []float32 {
		return tensor.Data[float32](out[fmt.Sprintf(models.HiddenName, layers)])
	}
	still, moved := run(models.Mode{Hidden: true, Shift: true}, 0), run(models.Mode{Hidden: true, Shift: true}, 0.5)
	if !slices.Equal(hidden(plain, 2), hidden(still, 2)) {
		t.Error("a shift by 0 changes hidden states")
	}
	for i, v := range hidden(moved, 1) {
		if d := v - hidden(still, 1)[i]; math.Abs(float64(d)-0.5) > 1e-6 || hidden(moved, 0)[i] != hidden(still, 0)[i] {
			t.Fatalf("feature %d after a layer is moved by %v", i, d)
		}
	}
	if slices.Equal(hidden(moved, 2), hidden(still, 2)) {
		t.Error("the next layer does not read what was shifted")
	}
	if _, _, err := m.Graph(models.Mode{Shift: true}); err == nil || !strings.Contains(err.Error(), "not with a cache") {
		t.Errorf("with a cache: %v", err)
	}
}

// Golden texts of the forward graphs guard refactors. What states that grow change is
// the same for all encodings, so one shows it.
func TestGraphText(t *testing.T) {
	var names []string
	for _, row := range pe.Table() {
		for _, mode := range modes {
			if mode.Growing && row.Name != "nope" {
				continue
			}
			cfg := micro(row.Name, "modern")
			cfg.NLayers = 1
			g, _, err := newDecoder(t, cfg).Graph(mode)
			if err != nil {
				t.Fatal(err)
			}
			name := row.Name
			if mode.Growing {
				name += "_growing"
			}
			if mode.Fused {
				name += "_fused"
			}
			names = append(names, name)
			graphtest.Golden(t, name, g.String())
		}
	}
	for _, variant := range []string{"qk-norm", "ssmax", "log-n", "factors", "sink", "head gate", "element gate", "differential", "entmax", "adaptive", "llama-4"} {
		cfg := micro("nope", "modern")
		cfg.NLayers = 1
		attentionVariants[variant](&cfg)
		g, _, err := newDecoder(t, cfg).Graph(models.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		name := "nope_" + strings.ReplaceAll(variant, " ", "-")
		names = append(names, name)
		graphtest.Golden(t, name, g.String())
	}
	cfg := micro("nope", "gpt2")
	cfg.NLayers = 1
	g, _, err := newDecoder(t, cfg).Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "nope_gpt2")
	graphtest.Golden(t, "nope_gpt2", g.String())
	graphtest.NoOtherGolden(t, append(names, "cwrnn", "deltanet", "lstm")...)
}

// No parameter exists that a variant does not use.
func TestEveryParamIsUsed(t *testing.T) {
	variants(t, func(t *testing.T, m models.Model, mode models.Mode) {
		g, _, err := m.Graph(mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params() {
			if g.Input(p.Name) == nil {
				t.Errorf("nothing reads %s", p.Name)
			}
		}
		if got, want := len(g.Params), len(m.Params()); got != want {
			t.Errorf("the graph has %d parameters, the model lists %d", got, want)
		}
	})
}

func TestInitWeightsShared(t *testing.T) {
	a := models.InitWeights(newDecoder(t, micro("nope", "modern")).Params(), 5)
	b := models.InitWeights(newDecoder(t, micro("rope", "modern")).Params(), 5)
	for name, w := range a {
		if !tensor.Equal(w, b[name]) {
			t.Errorf("%s differs between encodings", name)
		}
	}
	c := models.InitWeights(newDecoder(t, micro("nope", "modern")).Params(), 6)
	if tensor.Equal(a["embed.weight"], c["embed.weight"]) {
		t.Error("another seed gives the same weights")
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*models.Config)
		want   string
	}{
		{func(c *models.Config) { c.Settings = "paper" }, `settings "paper": want modern, faithful or gpt2`},
		{func(c *models.Config) { c.Encoding = "rotary" }, `"rotary"`},
		{func(c *models.Config) { c.Encoding = "absolute" }, "sinusoidal or learned"},
		{func(c *models.Config) { c.DHead, c.NHeads = 0, 3 }, "n_heads 3 does not divide d_model 16"},
		{func(c *models.Config) { c.DModel = -1 }, "d_model -1"},
		{func(c *models.Config) { c.NLayers = 0 }, "n_layers 0"},
		{func(c *models.Config) { c.NLayers = 1 << 30 }, "n_layers"},
		{func(c *models.Config) { c.VocabSize = 0 }, "vocab_size 0"},
		{func(c *models.Config) { c.Activation = "swish" }, `activation "swish"`},
		{func(c *models.Config) { c.NormEps = math.NaN() }, "norm_eps NaN"},
		{func(c *models.Config) { c.Norm = "batch" }, `norm "batch": want rms or layer`},
		{func(c *models.Config) { c.Bias = "q" }, `bias "q": want none, linear`},
		{func(c *models.Config) { c.QKNorm = "l2" }, `qk_norm "l2": want none or rms`},
		{func(c *models.Config) { c.Attention = "linear" }, `attention "linear": want softmax or differential or entmax`},
		{func(c *models.Config) { c.Attention, c.AttentionSink = "entmax", "zero" }, "softmax, which attention entmax replaces"},
		{func(c *models.Config) { c.Attention, c.NHeads = "differential", 3 }, "n_heads 3 is odd"},
		{func(c *models.Config) { c.AttentionSink = "one" }, `attention_sink "one": want none or learned or zero`},
		{func(c *models.Config) { c.AttentionGate = "token" }, `attention_gate "token": want none or head or element`},
		{func(c *models.Config) { c.Attention, c.AttentionGate = "differential", "head" }, "one output for each pair of heads; set element"},
		{func(c *models.Config) { c.LogitScale = "log" }, `logit_scale "log": want none or ssmax or log-n or llama-4 or adaptive`},
		{func(c *models.Config) { c.LogitLayers = "nope" }, "logit_layers nope: there is no logit_scale"},
		{func(c *models.Config) { c.LogitScale, c.LogitLayers = "adaptive", "rope" }, "logit_layers rope: no layer has this encoding, layers have nope"},
		{func(c *models.Config) { c.LogitScale, c.Encoding = "adaptive", "alibi" }, "all heads of the encoding alibi have slopes"},
		{func(c *models.Config) { c.LogitScale = "log-n" }, "trained_length 0"},
		{func(c *models.Config) { c.LogitScale, c.TrainedLength = "ssmax", 1 }, "trained_length 1"},
		{func(c *models.Config) { c.LogitSlope = 1 }, "logit_slope 1: only logit_scale log-n and llama-4 have a slope"},
		{func(c *models.Config) { c.LogitScale, c.TrainedLength, c.LogitSlope = "log-n", 9, -1 }, "logit_slope -1"},
		{func(c *models.Config) { c.LogitFactors = []float64{1, 2, 3} }, "3 of them; want 1, 2"},
		{func(c *models.Config) { c.LogitFactors = []float64{1, 0} }, "logit_factors: 0"},
		{func(c *models.Config) { c.EncodingParams = json.RawMessage(`{"a":1}`) }, "a"},
	} {
		cfg := micro("nope", "modern")
		tc.change(&cfg)
		if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %s", err, tc.want)
		}
	}
}
