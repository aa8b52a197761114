package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models/pe"
)

// decoder is a decoder-only transformer (Vaswani et al. 2017) that normalises before each
// sub-layer, with a tied embedding and any positional encoding. Under the faithful settings
// it is the model of Kazemnejad et al. 2023, under gpt2 the model of Radford et al. 2019.
type decoder struct {
	cfg   Config
	enc   pe.Encoding
	mixer pe.Pattern // where layers have a DeltaNet in attention's place; nil for none
}

// isDelta reports whether a layer has a DeltaNet in attention's place.
func (d *decoder) isDelta(layer int) bool {
	return d.mixer != nil && d.mixer[layer%len(d.mixer)] == deltaName
}

// newDecoder makes a decoder from a resolved configuration.
func newDecoder(cfg Config) (Model, error) {
	row, err := pe.Find(cfg.Encoding)
	if err != nil {
		return nil, err
	}
	enc, err := row.Make.New(cfg.dims(), cfg.EncodingParams)
	if err != nil {
		return nil, err
	}
	d := &decoder{cfg: cfg, enc: enc}
	if err := d.checkScale(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, p := range d.Params() {
		if seen[p.Name] {
			return nil, fmt.Errorf("encoding %s declares a weight %s, and the model has one already; "+
				"give it another name", cfg.Encoding, p.Name)
		}
		seen[p.Name] = true
	}
	return d, nil
}

// encodingOf returns the encoding of a layer of so many.
func encodingOf(enc pe.Encoding, layer, layers int) pe.Encoding {
	if c, ok := enc.(pe.LayerChooser); ok {
		return c.At(layer, layers)
	}
	return enc
}

// Config returns the resolved configuration.
func (d *decoder) Config() Config { return d.cfg }

// MaxLength returns the greatest sequence length in tokens, 0 for none.
func (d *decoder) MaxLength() int {
	if e, ok := d.enc.(pe.Bounded); ok {
		return e.MaxLength()
	}
	return 0
}

// Params lists every weight in the order of the forward pass.
func (d *decoder) Params() []pe.Param {
	c := d.cfg
	inner, keys := c.NHeads*c.DHead, c.kvHeads()*c.DHead
	in, bias := initOf(c), c.biases()
	list := []pe.Param{{Name: "embed.weight", Shape: []int{c.VocabSize, c.DModel}, Std: in.embed, Decay: true}}
	list = append(list, d.enc.Params()...)
	matrix := func(name string, out, width int, std float64) {
		list = append(list, pe.Param{Name: name, Shape: []int{out, width}, Std: std, Decay: true})
	}
	gain := func(name string, width int) {
		list = append(list, pe.Param{Name: name, Shape: []int{width}, Mean: 1, Decay: in.decayGains})
	}
	vector := func(name string, width int) { list = append(list, pe.Param{Name: name, Shape: []int{width}}) }
	norm := func(name string, layer bool) {
		gain(name+".weight", c.DModel)
		if layer {
			vector(name+".bias", c.DModel)
		}
	}
	layerNorm := c.Norm == layerNorms
	project := func(name string, out, width int, std float64, biased bool) {
		matrix(name+".weight", out, width, std)
		if biased {
			vector(name+".bias", out)
		}
	}
	if c.EmbedNorm != "" {
		norm("embed_norm", true)
	}
	for i := range c.NLayers {
		at := fmt.Sprintf("layers.%d.", i)
		if c.normsInput() {
			norm(at+"attn_norm", layerNorm)
		}
		project(at+"attn.q_proj", inner, c.DModel, in.q, bias.qkv)
		project(at+"attn.k_proj", keys, c.DModel, in.kv, bias.qkv)
		project(at+"attn.v_proj", keys, c.DModel, in.kv, bias.qkv)
		attends := !d.isDelta(i)
		if attends {
			list = append(list, c.qkNormParams(at+"attn.", in)...)
		}
		if c.LogitScale == scaleSSMax && d.scales(i) {
			list = append(list, ssmaxParam(c, i))
		}
		if attends {
			list = append(list, d.adaptiveParams(i)...)
		}
		if c.AttentionSink == sinkLearned && attends { // it starts as the zero sink
			list = append(list, pe.Param{Name: sinkName(i), Shape: []int{c.NHeads}})
		}
		if attends {
			list = append(list, c.attentionGateParams(at+"attn.", in)...)
		}
		if c.Attention == differential {
			list = append(list, differParams(c, at+"attn.", in)...)
		}
		if slices.Contains(c.MeanAblated(), i) {
			list = append(list, pe.Param{Name: fmt.Sprintf(HeadMeanName, i), Shape: []int{inner}})
		}
		if !attends {
			list = append(list, deltaParams(c, at+"attn.", in)...)
		}
		project(at+"attn.o_proj", c.DModel, inner, in.o, bias.out)
		if c.normsOutput() {
			norm(at+"attn_out_norm", layerNorm)
		}
		if c.normsInput() && c.Residual != parallelShared {
			norm(at+"mlp_norm", layerNorm)
		}
		if c.MLP == gatedMLP {
			project(at+"mlp.gate_proj", c.DFF, c.DModel, in.up, bias.mlp)
		}
		project(at+"mlp.up_proj", c.DFF, c.DModel, in.up, bias.mlp)
		project(at+"mlp.down_proj", c.DModel, c.DFF, in.down, bias.mlp)
		if c.normsOutput() {
			norm(at+"mlp_out_norm", layerNorm)
		}
	}
	if c.NormPlace != normAfter {
		norm("norm", layerNorm)
	}
	if c.Head == untiedHead {
		matrix("head.weight", c.VocabSize, c.DModel, in.embed)
	}
	if bias.head {
		vector("head.bias", c.VocabSize)
	}
	return list
}

// stds are the standard deviations of an initialisation.
type stds struct {
	embed, q, kv, o, up, down float64
	decayGains                bool
}

// initOf returns T5's rules as the paper uses them (where W_q's takes the place
// of the attention scale, and weight decay covers the gains), or GPT-2's: 0.02,
// and less for what is added to the residual stream 2·n_layers times.
func initOf(c Config) stds {
	if c.Init == "t5" {
		d := 1 / math.Sqrt(float64(c.DModel))
		return stds{embed: 1, q: d / math.Sqrt(float64(c.DHead)), kv: d,
			o: 1 / math.Sqrt(float64(c.NHeads*c.DHead)), up: d, down: 1 / math.Sqrt(float64(c.DFF)), decayGains: true}
	}
	res := 0.02 / math.Sqrt(float64(2*c.NLayers))
	return stds{embed: 0.02, q: 0.02, kv: 0.02, o: res, up: 0.02, down: res}
}

// Mode says what a forward graph is for.
type Mode struct {
	// Cache adds past keys and values, an attention mask for left padding, and
	// logits_to_keep. Without it the batch is right-padded, or not padded.
	Cache bool
	// Growing makes states that grow, of which a run writes a longer copy, instead of
	// states in place (see card.InPlace), unless all layers have windows: for a Loop, which
	// would copy a state in place, all of its capacity, in each turn.
	Growing bool
	// Fused uses opset-23 operators, which have no gradient.
	Fused bool
	// Attentions adds the attention weights of each layer as outputs [B,H,T,S] (see
	// card.Attentions); not with Fused.
	Attentions bool
	// AttentionLogits adds the attention logits of each layer as outputs [B,H,T,S] (see LogitsName): with bias and
	// scale, as the softmax or what stands in its place takes them, and −10⁹ where a query may not see a key.
	AttentionLogits bool
	// HeadOutputs adds what the heads of each layer give as outputs [B·T,H·D] (see HeadOutputName).
	HeadOutputs bool
	// Hidden adds the hidden states [B·T,D] as outputs (see HiddenName).
	Hidden bool
	// Shift adds an input float32 [B,T,D] to the hidden states after each number of layers (see ShiftName), for
	// those who ask what changed states would do; not with Cache.
	Shift bool
	// Dropout p > 0 multiplies activations with 1/(1−p) and with inputs named DropoutPrefix +
	// place, for training only: not with Cache or Fused. The places are as in Kazemnejad
	// et al. 2023 (as T5's): the sum of the embeddings, the attention weights, the
	// output of each sub-layer, the activation of the feed-forward layer, and the
	// last norm.
	Dropout float64
	// Positions says how position ids run, as a card does; "" is card.Contiguous. Others
	// are for training: not with Cache.
	Positions string
	// Steps is the length of the sequences, for architectures that are built for one
	// (Architecture.Unrolled), and for long ones, whose queries attend in blocks; 0 for any.
	Steps int
}

// DropoutPrefix begins the names of the inputs that dropout multiplies with, uint8, 0 for what is dropped and else 1:
// [B,T,D] or [B,T,F] for activations of tokens, [B,H,T,S] for attention weights, and
// [S,D] for what all sequences share, by distance from the greatest to 0.
const DropoutPrefix = "dropout."

// forward is a forward pass under construction.
type forward struct {
	// Logits are [B·T, V] without a cache, else [B, logits_to_keep, V].
	Logits     *graph.Node
	States     []card.State
	Presents   []graph.Output // the states after the pass
	Attentions []graph.Output
	Hidden     []graph.Output // as Shift leaves them

	AttentionLogits []graph.Output
	HeadOutputs     []graph.Output
}

// Formats of names, for the number of a layer, or of layers passed.
const (
	HiddenName     = "hidden.%d"                // output: hidden states after so many layers, 0 for the embeddings
	LogitsName     = "attention_logits.%d"      // output: attention logits of a layer
	HeadOutputName = "head_output.%d"           // output: what the heads of a layer give, [B·T,H·D]
	ShiftName      = "shift.%d"                 // input: added to the hidden states after so many layers
	HeadMeanName   = "layers.%d.attn.head_mean" // weight [H·D]: what each head gives on average, 0 for heads that stay
)

// Graph builds the model as it is exported, with the inputs and outputs of package
// card: the state, position ids where the encoding reads them, and attention weights
// where asked for.
func (d *decoder) Graph(m Mode) (*graph.Graph, []card.State, error) {
	m.Cache = true
	b := graph.NewBuilder()
	f := d.Forward(b, m)
	logits := []graph.Output{{Name: card.Logits.Name, Node: f.Logits}}
	g, err := b.Build(slices.Concat(logits, f.Presents, f.Attentions)...)
	if err != nil {
		return nil, nil, wrap.Error(err, "models: %s", d.cfg.Name())
	}
	return g, f.States, nil
}

// Forward adds the forward pass to a builder; its input is card.InputIDs. Failures
// come out of the builder's Build.
func (d *decoder) Forward(b *graph.Builder, m Mode) *forward {
	if d.mixer != nil && !m.Cache && m.Steps < 1 {
		b.Fail(fmt.Errorf("a DeltaNet is trained on sequences of a known length (Mode.Steps)"))
		return &forward{}
	}
	p := newPass(d, b, m)
	x := b.Gather(p.param("embed.weight"), p.ids, 0) // [B,T,D]
	x = p.times(x, d.cfg.EmbedScale)
	b.In("embed", func() { x = d.enc.Embed(p.site(0, nil), x) })
	x = p.dropRows("embed", b.Reshape(x, p.rows(), graph.N(d.cfg.DModel)))
	if d.cfg.EmbedNorm != "" {
		x = p.layerNorm("embed_norm", x)
	}
	x = p.shift(0, x)
	p.showHidden(0, x)
	for i := range d.cfg.NLayers {
		b.In(fmt.Sprintf("layers.%d", i), func() { x = p.layer(i, x) })
		x = p.shift(i+1, x)
		p.showHidden(i+1, x)
	}
	kept := p.seq
	if m.Cache && d.mixer == nil { // else it takes one token at a time
		kept = graph.Sym(card.Kept)
		x = p.keepLast(x)
	}
	if d.cfg.NormPlace != normAfter {
		x = p.norm("norm", x)
	}
	x = p.dropRows("norm", x)
	b.In("head", func() { p.out.Logits = p.head(x) })
	if m.Cache {
		p.out.Logits = b.Reshape(p.out.Logits, p.batch, kept, graph.N(d.cfg.VocabSize))
	}
	return p.out
}

// shift adds what the caller of the graph wants to hidden states x [B·T,D], where Mode.Shift is set.
func (p *pass) shift(layers int, x *graph.Node) *graph.Node {
	if !p.mode.Shift {
		return x
	}
	if p.mode.Cache {
		return p.b.Fail(fmt.Errorf("hidden states are shifted in whole sequences: not with a cache"))
	}
	by := p.b.Input(fmt.Sprintf(ShiftName, layers), tensor.Float32, p.batch, p.seq, x.Dim(1))
	return p.b.Add(x, p.b.Reshape(by, p.rows(), x.Dim(1)))
}

// showHidden makes hidden states an output, where that is asked for.
func (p *pass) showHidden(layers int, x *graph.Node) {
	if p.mode.Hidden {
		p.out.Hidden = append(p.out.Hidden, graph.Output{Name: fmt.Sprintf(HiddenName, layers), Node: x})
	}
}

// keepLast drops all but the last rows of each sequence: x [B·T,D] becomes
// [B·kept, D].
func (p *pass) keepLast(x *graph.Node) *graph.Node {
	keep := graph.Sym(card.Kept)
	width := x.Dim(1)
	input(p.b, card.LogitsToKeep)
	x = p.b.SliceLast(p.b.Reshape(x, p.batch, p.seq, width), 1, keep)
	return p.b.Reshape(x, p.batch.Mul(keep), width)
}
