package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
)

// A gated DeltaNet (Yang, Kautz & Hatamizadeh 2024, arXiv 2412.06464, equation 10) is a
// decoder with a linear recurrence in attention's place. Each head has a state S [K,K]:
//
//	S_t = α_t S_(t−1) (I − β_t k_t k_tᵀ) + β_t v_t k_tᵀ
//	o_t = S_t q_t
//
// so that S holds values by keys: at each token it forgets a part, and what it holds for
// the key k_t moves towards v_t, by the step β_t. With β between 0 and 2 the eigenvalues of
// I − β k kᵀ, for k of length 1, are between −1 and 1 (Grazzi et al. 2024, arXiv
// 2411.12537), which parity needs; the paper has β between 0 and 1. From the layer's
// normalised input x:
//
//	q, k, v = silu(conv(W x)), q and k divided by their lengths
//	β_t = beta_max σ(W_b x_t)
//	α_t = exp(−exp(a) softplus(W_a x_t + d)), or 1 without decay
//	y_t = W_o (rmsnorm(o_t) ∘ silu(W_g x_t))
//
// Kimi Delta Attention (Kimi Team 2025, arXiv 2510.26692) has decay "channel", gate "sigmoid" and a beta_max of 1: α is a
// number for each feature of a head's keys, and both come from a product of rank K:
//
//	α_t = exp(−exp(a) softplus(F₂ F₁ x_t + d)), and S_(t−1) Diag(α_t) in α_t S_(t−1)'s place
//	y_t = W_o (rmsnorm(o_t) ∘ σ(G₂ G₁ x_t + g))
//
// conv sums each channel over the last tokens with weights of its own. Values are as wide
// as keys, as in attention, where the paper has them twice as wide.
//
// In a hybrid some layers have attention instead, such as one of four (Kimi Linear: Kimi
// Team 2025, arXiv 2510.26692).
//
// Sequences are trained in chunks (deltachunks.go). A file takes one token at a time; of
// each layer it keeps the state, and the rows that the convolution sees again.

// deltaName is what the layers are called in patterns.
const deltaName = "deltanet"

// deltaArchitecture is the name of their architecture.
const deltaArchitecture = "deltanet"

// parseMixer reads the pattern of Config.Mixer, in either form of pe.ParsePattern.
func parseMixer(text string) (pe.Pattern, error) {
	p, err := pe.ParsePattern(text, 0)
	if err != nil {
		return nil, fmt.Errorf("mixer: %w", err)
	}
	if !slices.Contains(p, deltaName) {
		return nil, fmt.Errorf("mixer %v has no %s; for attention alone set architecture=%s and encoding=%v",
			p, deltaName, DefaultArchitecture, p)
	}
	for _, name := range p {
		if name == deltaName {
			continue
		}
		if _, err := pe.Find(name); err != nil {
			return nil, fmt.Errorf("mixer %v: %w", p, err)
		}
	}
	return p, nil
}

// newDeltaNet makes a DeltaNet from a resolved configuration.
func newDeltaNet(cfg Config) (Model, error) {
	p, err := parseMixer(cmp.Or(cfg.Mixer, deltaName))
	if err != nil {
		return nil, err
	}
	row, err := cfg.encodingRow()
	if err != nil {
		return nil, err
	}
	enc, err := row.Make.New(cfg.dims(), cfg.EncodingParams)
	if err != nil {
		return nil, err
	}
	d := &decoder{cfg: cfg, enc: enc, mixer: p}
	return d, d.checkScale()
}

// encodingRow returns the row of the encodings of a resolved configuration: of the layers
// that have a DeltaNet, NoPE's, which does nothing there.
func (c Config) encodingRow() (pe.Row, error) {
	if c.Architecture != deltaArchitecture {
		return pe.Find(c.Encoding)
	}
	p, err := parseMixer(cmp.Or(c.Mixer, deltaName))
	if err != nil {
		return pe.Row{}, err
	}
	for i, name := range p {
		if name == deltaName {
			p[i] = "nope"
		}
	}
	return pe.Find(p.String())
}

// resolveDeltaNet fills in and checks the DeltaNet's settings.
func resolveDeltaNet(c Config) (Config, error) {
	given := c.EncodingParams
	c.Encoding, c.EncodingParams = "nope", nil
	c, err := resolveDecoder(c)
	if err != nil {
		return c, err
	}
	c.Encoding, c.EncodingParams = "", given
	p, err := parseMixer(cmp.Or(c.Mixer, deltaName))
	if err != nil {
		return c, err
	}
	if c.Mixer = p.String(); c.Mixer == deltaName {
		c.Mixer = "" // one model has one configuration
	}
	c.BetaMax, c.Conv = cmp.Or(c.BetaMax, 2), cmp.Or(c.Conv, 4)
	c.Decay, c.Gate = cmp.Or(c.Decay, "learned"), cmp.Or(c.Gate, "silu")
	switch {
	case !(c.BetaMax > 0 && c.BetaMax <= 2):
		return c, fmt.Errorf("beta_max %v: want more than 0 and at most 2", c.BetaMax)
	case !slices.Contains([]string{"learned", "channel", "none"}, c.Decay):
		return c, fmt.Errorf("decay %q: want learned, channel or none", c.Decay)
	case !slices.Contains([]string{"silu", "sigmoid", "none"}, c.Gate):
		return c, fmt.Errorf("gate %q: want silu, sigmoid or none", c.Gate)
	case !(c.ConvStd >= 0 && c.ConvStd <= 100):
		return c, fmt.Errorf("conv_std %v: want 0 to 100", c.ConvStd)
	}
	_, err = pe.ParsePattern(p.String(), c.NLayers)
	return c, cmp.Or(checkSizes(size{"conv", c.Conv, 64}), err)
}

// deltaParams are the weights of a layer that attention does not have.
func deltaParams(c Config, at string, in stds) []pe.Param {
	inner := c.NHeads * c.DHead
	matrix := func(name string, out, width int, std float64) pe.Param {
		return pe.Param{Name: at + name, Shape: []int{out, width}, Std: std, Decay: true}
	}
	gate := func(name string) pe.Param {
		p := matrix(name, c.NHeads, c.DModel, in.kv)
		p.Full = true
		return p
	}
	list, decays := []pe.Param{gate("b_proj.weight")}, c.NHeads
	switch c.Decay {
	case "learned":
		list = append(list, gate("a_proj.weight"))
	case "channel":
		decays = inner
		list = append(list, matrix("a_down.weight", c.DHead, c.DModel, in.kv), matrix("a_up.weight", inner, c.DHead, in.kv))
	}
	if c.Decay != "none" {
		list = append(list, pe.Param{Name: at + "log_rate", Shape: []int{c.NHeads}},
			pe.Param{Name: at + "dt_bias", Shape: []int{decays}, Init: firstDecays(decays)})
	}
	if c.Conv > 1 {
		list = append(list, matrix("conv.weight", c.Conv, 3*inner, cmp.Or(c.ConvStd, 1/math.Sqrt(float64(c.Conv)))))
	}
	switch c.Gate {
	case "silu":
		list = append(list, matrix("g_proj.weight", inner, c.DModel, in.kv))
	case "sigmoid":
		list = append(list, matrix("g_down.weight", c.DHead, c.DModel, in.kv), matrix("g_up.weight", inner, c.DHead, in.kv),
			pe.Param{Name: at + "g_up.bias", Shape: []int{inner}})
	}
	return append(list, pe.Param{Name: at + "o_norm.weight", Shape: []int{c.DHead}, Mean: 1, Decay: in.decayGains})
}

// firstDecays are d for states that decay by 0.001 to 0.1 a token at first, one after
// the other. The reference code (fla) draws such rates, and multiplies them with factors up to
// 16: too much for short tasks that are trained from scratch.
func firstDecays(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		rate := 0.001 * math.Pow(100, (float64(i)+0.5)/float64(n))
		list[i] = math.Log(math.Expm1(rate)) // softplus of it is the rate
	}
	return list
}

// deltaNet mixes tokens in layer i, from u [B·T,D].
func (p *pass) deltaNet(i int, at string, u *graph.Node) *graph.Node {
	b, heads, head := p.b, graph.N(p.cfg.NHeads), graph.N(p.cfg.DHead)
	inner := heads.Mul(head)
	q, k, v := p.deltaInputs(i, at, u)
	beta := b.Mul(b.Sigmoid(p.eachHead(u, at+"b_proj.weight")), b.Float(p.cfg.BetaMax))
	var decay *graph.Node // log α, [B,H,T] or, of channels, [B,H,T,K]
	switch p.cfg.Decay {
	case "learned":
		rate := b.Reshape(b.Exp(p.param(at+"log_rate")), heads, graph.N(1))
		bias := b.Reshape(p.param(at+"dt_bias"), heads, graph.N(1))
		decay = b.Neg(b.Mul(rate, b.Softplus(b.Add(p.eachHead(u, at+"a_proj.weight"), bias))))
	case "channel":
		rate := b.Reshape(b.Exp(p.param(at+"log_rate")), heads, graph.N(1), graph.N(1))
		raw := b.Add(p.project(at+"a_up", p.project(at+"a_down", u)), p.param(at+"dt_bias"))
		decay = b.Neg(b.Mul(rate, b.Softplus(splitHeads(b, raw, p.batch, p.seq, p.cfg.NHeads, p.cfg.DHead))))
	default:
		decay = b.Expand(b.Float(0), beta.Shape...)
	}
	var o *graph.Node
	if p.mode.Cache {
		o = p.deltaStep(i, q, k, v, beta, decay)
	} else {
		o = deltaChunks(b, p.mode.Steps, q, k, v, beta, decay)
	}
	o = b.Reshape(joinHeads(b, o), p.rows().Mul(heads), head)
	o = b.Reshape(p.headNorm(at+"o_norm", o), p.rows(), inner)
	switch p.cfg.Gate {
	case "silu":
		o = b.Mul(o, silu(b, linear(b, u, p.param(at+"g_proj.weight"))))
	case "sigmoid":
		o = b.Mul(o, b.Sigmoid(p.project(at+"g_up", p.project(at+"g_down", u))))
	}
	b.In("o_proj", func() { o = p.project(at+"o_proj", o) })
	return p.dropRows(strings.TrimSuffix(at, "."), o)
}

// eachHead returns a number for each head and token, [B,H,T], by a weight [H,D].
func (p *pass) eachHead(u *graph.Node, weight string) *graph.Node {
	x := p.b.Reshape(linear(p.b, u, p.param(weight)), p.batch, p.seq, graph.N(p.cfg.NHeads))
	return p.b.Transpose(x, 0, 2, 1)
}

// deltaInputs returns queries, keys and values, [B,H,T,K] each. Padding has zeros, as
// if there were nothing: then state and convolution stay as they are before all tokens.
func (p *pass) deltaInputs(i int, at string, u *graph.Node) (q, k, v *graph.Node) {
	b, heads, head := p.b, p.cfg.NHeads, p.cfg.DHead
	parts := lists.Map([]string{"q_proj", "k_proj", "v_proj"}, func(name string) *graph.Node { return p.project(at+name, u) })
	x := b.Reshape(b.Concat(1, parts...), p.batch, p.seq, graph.N(3*heads*head))
	if p.mode.Cache {
		x = b.Mul(x, b.Unsqueeze(p.site(i, u).Real(), 2))
	}
	if p.cfg.Conv > 1 {
		x = p.shortConv(i, "conv", x, p.param(at+"conv.weight"))
	}
	x = silu(b, x)
	x = splitHeads(b, x, p.batch, p.seq, 3*heads, head)
	part := func(x *graph.Node, n int) *graph.Node { // so many heads, from n times heads on
		return b.Slice(x, 1, graph.N(n*heads), graph.N((n+1)*heads))
	}
	qk := unit(b, b.Slice(x, 1, graph.N(0), graph.N(2*heads)))
	return part(qk, 0), part(qk, 1), part(x, 2)
}

// shortConv is pe.Site.ShortConv of a layer.
func (p *pass) shortConv(layer int, name string, x, weights *graph.Node) *graph.Node {
	b := p.b
	taps, _ := weights.Dim(0).Int()
	if taps == 1 {
		return b.Mul(x, weights)
	}
	before, keep := p.carry(layer, name, p.batch, graph.N(taps-1), x.Dim(2))
	rows := b.Concat(1, before, x)
	keep(b.SliceLast(rows, 1, graph.N(taps-1)))
	if one, known := p.seq.Int(); known && one == 1 {
		return b.ReduceSum(b.Mul(rows, weights), true, 1)
	}
	term := func(n int) *graph.Node {
		w := b.Slice(weights, 0, graph.N(n), graph.N(n+1))
		return b.Mul(b.Slice(rows, 1, graph.N(n), graph.N(n).Add(p.seq)), w)
	}
	sum := term(0)
	for n := 1; n < taps; n++ {
		sum = b.Add(sum, term(n))
	}
	return sum
}

// deltaStep is the recurrence over one token, from q, k and v [B,H,1,K], β [B,H,1] and log α [B,H,1] or [B,H,1,K]. The
// layer keeps Sᵀ, [B,H,K,K].
func (p *pass) deltaStep(i int, q, k, v, beta, decay *graph.Node) *graph.Node {
	b, heads, head := p.b, graph.N(p.cfg.NHeads), graph.N(p.cfg.DHead)
	before, keep := p.carry(i, "state", p.batch, heads, head, head)
	kept := b.Exp(decay)
	if p.cfg.Decay == "channel" {
		kept = b.Reshape(kept, p.batch, heads, head, graph.N(1))
	} else {
		kept = b.Unsqueeze(kept, 3)
	}
	state := b.Mul(before, kept)
	change := b.Mul(b.Sub(v, b.MatMul(k, state)), b.Unsqueeze(beta, 3)) // [B,H,1,K]
	state = b.Add(state, b.Mul(b.Reshape(k, p.batch, heads, head, graph.N(1)), change))
	keep(state)
	return b.MatMul(q, state)
}

// silu returns x σ(x) (Hendrycks & Gimpel 2016, arXiv 1606.08415).
func silu(b *graph.Builder, x *graph.Node) *graph.Node { return b.Mul(x, b.Sigmoid(x)) }

// unit divides x by its length along the last axis; 0 stays 0.
func unit(b *graph.Builder, x *graph.Node) *graph.Node {
	square := b.ReduceSum(b.Mul(x, x), true, -1)
	return b.Mul(x, b.Op("Reciprocal", []*graph.Node{b.Sqrt(b.Add(square, b.Float(1e-6)))}))
}
