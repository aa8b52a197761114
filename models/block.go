package models

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph"
)

// Values of the settings of a block that are not the default.
const (
	exactGELU      = "gelu_exact"
	gatedMLP       = "gated"
	untiedHead     = "untied"
	normOutput     = "output"
	normBoth       = "both"
	normAfter      = "after"
	parallel       = "parallel"
	parallelShared = "parallel-shared"
	normedResidual = "normed"
)

// normsInput reports whether norms stand before sub-layers, or, with NormPlace "after", behind the sums.
func (c Config) normsInput() bool { return c.NormPlace != normOutput }

// normsOutput reports whether sub-layers have a norm of what they give.
func (c Config) normsOutput() bool { return c.NormPlace == normOutput || c.NormPlace == normBoth }

// maxMultiplier bounds factors and caps: a guard against typing slips.
const maxMultiplier = 1 << 20

// checkBlock reports the first setting of the block that cannot be.
func checkBlock(c Config) error {
	for _, f := range []struct {
		key   string
		value float64
	}{{"embed_scale", c.EmbedScale}, {"residual_scale", c.ResidualScale}, {"attention_cap", c.AttentionCap},
		{"logit_cap", c.LogitCap}, {"clip_qkv", c.ClipQKV}} {
		if f.value != 0 && !(f.value > 0 && f.value <= maxMultiplier) {
			return fmt.Errorf("%s %v: want a positive number up to %d, or leave it out", f.key, f.value, maxMultiplier)
		}
	}
	for _, f := range []struct{ key, value string }{{"attention_scale", c.AttentionScale}, {"head_scale", c.HeadScale}} {
		x, err := strconv.ParseFloat(f.value, 64)
		if f.value != "sqrt" && f.value != "none" && (err != nil || !(x > 0 && x <= maxMultiplier)) {
			return fmt.Errorf("%s %q: want sqrt, none or a positive number up to %d", f.key, f.value, maxMultiplier)
		}
	}
	if g := c.NKVHeads; g != 0 && (g < 0 || g > c.NHeads || c.NHeads%g != 0) {
		return fmt.Errorf("n_kv_heads %d: want a divisor of n_heads %d", g, c.NHeads)
	}
	if c.NKVHeads != 0 && c.Attention == differential {
		return fmt.Errorf("n_kv_heads %d: heads of attention %s attend in pairs; leave out the one or the other", c.NKVHeads, differential)
	}
	if c.Residual != "" && c.NormPlace != "" {
		return fmt.Errorf("residual %s has its norms before the sub-layers, and norm_place is %s; leave out the one or the other",
			c.Residual, c.NormPlace)
	}
	return nil
}

// biases says which projections have one.
type biases struct{ qkv, out, mlp, head bool }

// linearBias is the name of the first three.
const linearBias = "linear"

// places lists the biases by their names.
func (b *biases) places() map[string]*bool {
	return map[string]*bool{"qkv": &b.qkv, "out": &b.out, "mlp": &b.mlp, "head": &b.head}
}

func parseBias(text string) (b biases, err error) {
	if text == "none" {
		return b, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name == linearBias {
			b.qkv, b.out, b.mlp = true, true, true
		} else if place := b.places()[name]; place != nil {
			*place = true
		} else {
			return b, fmt.Errorf("bias %q: want none, linear, or some of qkv, out, mlp and head with commas between", text)
		}
	}
	return b, nil
}

// String returns the one text that parseBias reads so.
func (b biases) String() string {
	var names []string
	if b.qkv && b.out && b.mlp {
		names, b.qkv, b.out, b.mlp = []string{linearBias}, false, false, false
	}
	for _, name := range []string{"qkv", "out", "mlp", "head"} {
		if *b.places()[name] {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, ","), "none")
}

// biases are those of a resolved configuration.
func (c Config) biases() biases {
	b, err := parseBias(cmp.Or(c.Bias, "none"))
	if err != nil {
		panic(err) // Resolve has read it
	}
	return b
}

// factorOf is the number of an AttentionScale or a HeadScale, over features.
func factorOf(setting string, features int) float64 {
	switch setting {
	case "none":
		return 1
	case "sqrt":
		return 1 / math.Sqrt(float64(features))
	}
	x, err := strconv.ParseFloat(setting, 64)
	if err != nil {
		panic(err) // Resolve has read it
	}
	return x
}

// times multiplies by a factor; 0 is 1.
func (p *pass) times(x *graph.Node, factor float64) *graph.Node {
	if factor == 0 || factor == 1 {
		return x
	}
	return p.b.Mul(x, p.b.Float(factor))
}

// cap returns c·tanh(x/c); a c of 0 is none.
func (p *pass) cap(x *graph.Node, c float64) *graph.Node {
	if c == 0 {
		return x
	}
	return p.b.Mul(p.b.Tanh(p.b.Div(x, p.b.Float(c))), p.b.Float(c))
}

// layer is one block on x [B·T, D].
func (p *pass) layer(i int, x *graph.Node) *graph.Node {
	at := fmt.Sprintf("layers.%d.", i)
	mix := func(u *graph.Node) (y *graph.Node) {
		p.b.In("attn", func() {
			if p.isDelta(i) {
				y = p.deltaNet(i, at+"attn.", u)
			} else {
				y = p.attention(i, at+"attn.", u)
			}
		})
		return y
	}
	mlp := func(u *graph.Node) *graph.Node { return p.mlp(at, u) }
	if p.cfg.Residual == parallel || p.cfg.Residual == parallelShared {
		u := p.norm(at+"attn_norm", x)
		v := u
		if p.cfg.Residual == parallel {
			v = p.norm(at+"mlp_norm", x)
		}
		return p.b.Add(x, p.times(p.b.Add(mix(u), mlp(v)), p.cfg.ResidualScale))
	}
	return p.sublayer(at+"mlp", p.sublayer(at+"attn", x, mix), mlp)
}

// sublayer adds what f gives to x [B·T, D], with the norms of the sub-layer called name.
func (p *pass) sublayer(name string, x *graph.Node, f func(u *graph.Node) *graph.Node) *graph.Node {
	u := x
	if p.cfg.normsInput() && p.cfg.NormPlace != normAfter {
		u = p.norm(name+"_norm", x)
	}
	if p.cfg.Residual == normedResidual {
		x = u
	}
	u = f(u)
	if p.cfg.normsOutput() {
		u = p.norm(name+"_out_norm", u)
	}
	x = p.b.Add(x, p.times(u, p.cfg.ResidualScale))
	if p.cfg.NormPlace == normAfter {
		x = p.norm(name+"_norm", x)
	}
	return x
}

// mlp is the feed-forward layer on u [B·T, D].
func (p *pass) mlp(at string, u *graph.Node) (y *graph.Node) {
	p.b.In("mlp", func() {
		up := p.project(at+"mlp.up_proj", u)
		if p.cfg.MLP == gatedMLP {
			up = p.b.Mul(activate(p.b, p.cfg.Activation, p.project(at+"mlp.gate_proj", u)), up)
		} else {
			up = activate(p.b, p.cfg.Activation, up)
		}
		up = p.dropRows(at+"mlp.activation", up)
		y = p.dropRows(at+"mlp", p.project(at+"mlp.down_proj", up))
	})
	return y
}

// head returns the logits [N, V] of hidden states x [N, D].
func (p *pass) head(x *graph.Node) *graph.Node {
	matrix := "embed.weight"
	if p.cfg.Head == untiedHead {
		matrix = "head.weight"
	}
	logits := linear(p.b, p.times(x, factorOf(p.cfg.HeadScale, p.cfg.DModel)), p.param(matrix))
	if p.has("head.bias") {
		logits = p.b.Add(logits, p.param("head.bias"))
	}
	return p.cap(logits, p.cfg.LogitCap)
}
