// Package theory holds the proofs of Kazemnejad et al. 2023 (arXiv 2305.19466,
// section 5 and appendix C) as models: weights of the ordinary decoder, without
// any positional encoding, that write the absolute position into the hidden
// state (Theorem 1) and turn it into relative attention (Theorem 2). They are
// constructed, not trained: they show what the architecture can represent, not
// that training finds it.
//
// The proofs assume that the norms do nothing. Here they do nothing exactly,
// with the decoder as it is: the residual stream is kept so small (2^−32 of the
// construction's numbers) that in float32 the mean square vanishes next to norm_eps
// = 1/4. Each norm then multiplies by 2, its gain undoes that and the smallness,
// and all of these factors are powers of two, which rounding leaves alone. What
// is left is the rounding of the construction itself.
//
// Sequences start with the token <bos>; positions t count from 1, as in the
// paper. Nothing else about the tokens matters.
package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// Model is a decoder with constructed weights. Its config and weights go where
// a trained model's go.
type Model struct {
	Config  models.Config
	Weights map[string]*tensor.Tensor
	// Pieces names the tokens, ready for a tokenizer.
	Pieces []string
	// Max is the greatest position t that is recovered, and so the longest
	// sequence; beyond it the recovered position stays near Max.
	Max int

	// BOS starts every sequence. Words may follow it in any order; they differ in
	// the features that the construction leaves free. Marked are the same words
	// with a mark for reading attention weights.
	BOS           int64
	Words, Marked []int64
	// Position is the token whose logit at t is the recovered position t. It and
	// Heads are for reading logits, not for sequences.
	Position int64
	// Heads holds a token per attention head of Theorem 2. Its logit at t is the
	// head's attention weight on the marked words of the sequence.
	Heads []int64
	// Slopes of Theorem 2, one for each head.
	Slopes []float64
}

// The features of the hidden state: the paper's dimensions 1, 2 and 3, a mark,
// and the content that tells words apart; then one per head for reading.
const (
	one = iota
	bos
	position
	mark
	content
	contentWidth = 4
	reading      = content + contentWidth
	wordCount    = 4
)

// The norms: see the package comment. x·(1/√eps)·gain = x/small, exactly.
const (
	small   = 1.0 / (1 << 32)
	normEps = 0.25
	gain    = 0.5 / small
)

// maxPosition keeps the hidden state small enough for the norms to do nothing.
const maxPosition = 1 << 16

// newModel makes a decoder that passes its embeddings through.
func newModel(max, layers, heads, headWidth int) (*Model, error) {
	if max < 2 || max > maxPosition {
		return nil, fmt.Errorf("theory: maximum position %d: want 2 to %d", max, maxPosition)
	}
	m := &Model{Max: max, Weights: map[string]*tensor.Tensor{}}
	token := func(piece string) int64 {
		m.Pieces = append(m.Pieces, piece)
		return int64(len(m.Pieces) - 1)
	}
	token("<pad>")
	token("</s>")
	m.BOS = token("<bos>")
	for i := range wordCount {
		m.Words = append(m.Words, token(" "+string(rune('a'+i))))
	}
	for i := range wordCount {
		m.Marked = append(m.Marked, token(" "+string(rune('A'+i))))
	}
	m.Position = token("<position>")
	if layers > 1 {
		for h := range heads {
			m.Heads = append(m.Heads, token(fmt.Sprintf("<head%d>", h)))
		}
	}
	m.Config = models.Config{
		Settings: "faithful", Encoding: pe.Table()[0].Name, HeadScale: "none", NormEps: normEps,
		DModel: reading + len(m.Heads), NLayers: layers, NHeads: heads, DHead: headWidth, DFF: max - 1,
		VocabSize: len(m.Pieces),
	}
	d, err := models.New(m.Config)
	if err != nil {
		return nil, fmt.Errorf("theory: %w", err)
	}
	m.Config = d.Config()
	for _, p := range d.Params() {
		m.Weights[p.Name] = tensor.New(tensor.Float32, p.Shape...)
		if len(p.Shape) == 1 { // a norm
			g := gain
			if p.Name == "norm.weight" {
				g /= small // for the embedding, which is small, at the output
			}
			for i := range p.Shape[0] {
				tensor.Data[float32](m.Weights[p.Name])[i] = float32(g)
			}
		}
	}
	m.embed()
	return m, nil
}

// set writes one weight.
func (m *Model) set(name string, row, col int, v float64) {
	w := m.Weights[name]
	tensor.Data[float32](w)[row*w.Shape()[1]+col] = float32(v)
}

// embed fills the tied embedding: tokens of sequences have feature one, <bos> its
// own, words their content; tokens for reading pick one feature each.
func (m *Model) embed() {
	put := func(token int64, feature int, v float64) { m.set("embed.weight", int(token), feature, v*small) }
	for token := range m.Position {
		put(token, one, 1)
	}
	put(m.BOS, bos, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range wordCount {
		put(m.Marked[i], mark, 1)
		for c := range contentWidth {
			v := rng.NormFloat64()
			put(m.Words[i], content+c, v)
			put(m.Marked[i], content+c, v)
		}
	}
	put(m.Position, position, 1)
	for h, token := range m.Heads {
		put(token, reading+h, 1)
	}
}

// Theorem1 returns a model of one layer that recovers the positions 1 … max of a
// sequence from the causal mask and <bos> alone (Theorem 1). Its feed-forward
// layer has max − 1 hidden units. float32 costs an error of up to 5e-5 for a
// maximum of 64, 1e-3 for 256, 1e-2 for 1024.
func Theorem1(max int) (*Model, error) {
	m, err := newModel(max, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	m.count()
	m.invert()
	return m, nil
}

// count makes head 0 of layer 0 write 1/t into the feature position: with no
// query all t visible keys weigh the same, and the value is 1 at <bos> alone.
func (m *Model) count() {
	m.set("layers.0.attn.k_proj.weight", 0, one, 1)
	m.set("layers.0.attn.v_proj.weight", 0, bos, 1)
	m.set("layers.0.attn.o_proj.weight", position, 0, small)
}

// invert makes the feed-forward layer of layer 0 add t − 1/t to the 1/t that is
// there. The proof appeals to ReLU networks being universal; this one is explicit:
// with x = 1/t, t − 1/t = 3·relu(1 − x) + Σ 2k·relu(1/k − x), k = 2 … N−1. The
// hinges open towards small x, so all terms are positive: the float32 error grows
// with t, not with N², as it does where large terms cancel.
func (m *Model) invert() {
	for k := 1; k < m.Max; k++ {
		out := 2 * float64(k)
		if k == 1 {
			out = 3
		}
		m.set("layers.0.mlp.up_proj.weight", k-1, position, -1)
		m.set("layers.0.mlp.up_proj.weight", k-1, one, 1/float64(k))
		m.set("layers.0.mlp.down_proj.weight", position, k-1, out*small)
	}
}

// Theorem2 returns a model of two layers in which the logit of query t and key i
// in head h of the second layer is a content term minus slopes[h]·(t − i): ALiBi's
// attention, from a model without a positional encoding (Theorem 2). The content
// term is a product of features of the two tokens, as in any decoder.
func Theorem2(max int, slopes []float64) (*Model, error) {
	if len(slopes) < 1 || len(slopes) > 64 {
		return nil, fmt.Errorf("theory: %d slopes: want 1 to 64, one for each head", len(slopes))
	}
	for h, s := range slopes {
		if !(s > 0) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("theory: slope %v of head %d: want a positive number", s, h)
		}
	}
	m, err := newModel(max, 2, len(slopes), 2+contentWidth)
	if err != nil {
		return nil, err
	}
	m.Slopes = slices.Clone(slopes)
	m.count()
	m.invert()
	rng := rand.New(rand.NewPCG(2, 2))
	for h, slope := range slopes {
		m.relate(h, slope, rng)
	}
	return m, nil
}

// relate makes head h of layer 1 score with (m, −m·t, content) · (i, 1, content),
// and write its weight on marked words where it can be read.
func (m *Model) relate(h int, slope float64, rng *rand.Rand) {
	const at = "layers.1.attn."
	first := h * m.Config.DHead
	m.set(at+"q_proj.weight", first, one, slope)
	m.set(at+"k_proj.weight", first, position, 1)
	m.set(at+"q_proj.weight", first+1, position, -slope)
	m.set(at+"k_proj.weight", first+1, one, 1)
	for c := range contentWidth {
		m.set(at+"q_proj.weight", first+2+c, content+c, 1)
		for j := range contentWidth {
			m.set(at+"k_proj.weight", first+2+c, content+j, rng.NormFloat64()/2)
		}
	}
	m.set(at+"v_proj.weight", first, mark, 1)
	m.set(at+"o_proj.weight", reading+h, first, small)
}
