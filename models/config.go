package models

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/nopezoo/zoo/card"
)

// Config is a model without its weights. The zero value of an optional field
// means the setting's default; Resolve fills it in.
type Config struct {
	// Settings names the family of defaults: "modern" (scaled attention, full
	// rotary, squared ReLU), "faithful" (Kazemnejad et al. 2023: T5 block with
	// unscaled attention, ReLU, tied and scaled head, T5 initialisation) or "gpt2"
	// (GPT-2's block: LayerNorm, biases, GELU).
	Settings string `json:"settings"`
	// Architecture is a name of the table of architectures (Architectures), by default
	// the decoder. Settings that it does not have are cleared by Resolve.
	Architecture string `json:"architecture,omitempty"`
	// Encoding is a name of the table of package pe, or several of them by layer as a
	// pe.Pattern: "rope*3/nope". The name of an architecture without encodings may stand here
	// too: it is short for it (see ArchitectureOf).
	Encoding string `json:"encoding,omitempty"`
	// EncodingParams is a JSON object of the encoding's own settings; of several encodings
	// it has such an object under the name of each. Under the faithful settings, keys that
	// are not given are the paper's.
	EncodingParams json.RawMessage `json:"encoding_params,omitempty"`
	// Window is how many tokens a query sees, itself included; default all before it.
	Window Windows `json:"window,omitempty"`

	DModel  int `json:"d_model"`
	NLayers int `json:"n_layers"`
	NHeads  int `json:"n_heads"`
	DHead   int `json:"d_head"` // default d_model / n_heads
	// NKVHeads is how many heads keys and values have, a divisor of n_heads; query head h reads key head
	// ⌊h·n_kv_heads/n_heads⌋ (Ainslie et al. 2023, arXiv 2305.13245). The default, n_heads, is stored as nothing.
	NKVHeads  int `json:"n_kv_heads,omitempty"`
	DFF       int `json:"d_ff"`
	VocabSize int `json:"vocab_size"` // default: the task's

	// Activation of the feed-forward layer: "relu", "relu2" (its square), "silu", "gelu" (tanh form) or "gelu_exact".
	Activation string `json:"activation"`
	// MLP "gated" multiplies the activation of one projection with another (Shazeer 2020, arXiv 2002.05202); "plain",
	// the default of this and the others that have "none" below, is stored as nothing.
	MLP string `json:"mlp,omitempty"`
	// Norm before each sub-layer and at the end is "rms" (RMSNorm) or "layer" (LayerNorm,
	// with gain and bias). In the families modern and faithful, which have rms and no biases,
	// Resolve stores "rms", and "none" of Bias, as "": so the hashes of older runs stay.
	Norm string `json:"norm,omitempty"`
	// NormPlace is where a sub-layer f has its norms: "before", the default (f(n(x)), and a norm before the head),
	// "output" (n(f(x)), OLMo 2), "both" (n'(f(n(x))), Gemma 2) or "after" (n(x + f(x)), Vaswani et al. 2017; without a
	// norm before the head).
	NormPlace string `json:"norm_place,omitempty"`
	// Residual is what sub-layers add to: "sequential", the default; "parallel", where attention and feed-forward layer
	// read the same x through norms of their own, "parallel-shared", through one norm (GPT-J), or "normed", where
	// each adds to the output of its norm (BLOOM's apply_residual_connection_post_layernorm).
	Residual string `json:"residual,omitempty"`
	// EmbedNorm "layer" puts a LayerNorm behind the embeddings (BLOOM).
	EmbedNorm string `json:"embed_norm,omitempty"`
	// Bias names the projections that add a trained vector, with commas between: "qkv", "out" (from the heads), "mlp"
	// and "head" (the output matrix). "linear" is the first three, "none" is none.
	Bias string `json:"bias,omitempty"`
	// Head "untied" gives the output a matrix of its own; the default is the embedding's, "tied".
	Head string `json:"head,omitempty"`
	// EmbedScale and ResidualScale multiply the embeddings (Gemma: √d_model) and what each sub-layer adds (Granite).
	EmbedScale    float64 `json:"embed_scale,omitempty"`
	ResidualScale float64 `json:"residual_scale,omitempty"`
	// AttentionCap and LogitCap are c of c·tanh(z/c), for attention logits and for the logits of tokens (Gemma 2).
	AttentionCap float64 `json:"attention_cap,omitempty"`
	LogitCap     float64 `json:"logit_cap,omitempty"`
	// ClipQKV bounds queries, keys and values to [−c, c] (MPT).
	ClipQKV float64 `json:"clip_qkv,omitempty"`
	// AttentionScale multiplies q·k: "sqrt" is d_head^−½, "none" is 1, and a number is itself.
	AttentionScale string `json:"attention_scale"`
	// Attention is "softmax", "entmax", which gives keys weights of exactly 0 (see entmax), or
	// "differential", where the heads 2h and 2h+1 attend together, with the difference of their
	// weights; see differ. softmax, the default, is stored as nothing: hashes of older runs stay.
	Attention string `json:"attention,omitempty"`
	// QKNorm normalises queries and keys before the encoding acts on them (after Henry et al. 2020, arXiv 2010.04245):
	// "rms" is RMSNorm of each head, with a gain of K numbers for the heads of a layer (Qwen3, Gemma 3), "rms-all" of all
	// heads together, with a gain for each feature (OLMo 2), "layer" LayerNorm of each head, with gain and bias for the
	// heads of a layer (Phi), "layer-by-head" the same with a gain for each head and no bias (StableLM). "none", the
	// default of this and of the next two names, is stored as nothing too.
	QKNorm string `json:"qk_norm,omitempty"`
	// AttentionSink gives the softmax of each head one more logit, whose weight no value
	// gets, so that a head may attend to nothing: "none", "learned" (a logit for each head
	// of each layer, as in gpt-oss) or "zero" (the logit 0).
	AttentionSink string `json:"attention_sink,omitempty"`
	// AttentionGate multiplies what each head gives by σ(W x) of the layer's normalised input x: "head" has a gate for
	// each head, "element" for each feature of each head, and "none" is none; see gateOutput.
	AttentionGate string `json:"attention_gate,omitempty"`
	// LogitScale multiplies a query's attention logits, bias included, by a factor that
	// grows with n, the number of keys that it sees, itself included: "none", "ssmax"
	// (s·ln n, one s learned for each head of each layer), "log-n"
	// (1 + c·ln(max(n, L)/L)), "llama-4" (1 + c·ln(1 + ⌊n/L⌋)) or "adaptive" (1 + β(ln (n+1))^γ, β and γ made of the token by
	// each head without a slope); see scaleLogits. L is TrainedLength.
	LogitScale string `json:"logit_scale,omitempty"`
	// LogitLayers names the encoding of a hybrid whose layers LogitScale acts on: "nope" of rope*3/nope. "all", the
	// default, is stored as nothing.
	LogitLayers string `json:"logit_layers,omitempty"`
	// LogitSlope is c of log-n, by default 1/ln L: then the factor is ln n/ln L from L on; and of llama-4, by default 0.1.
	LogitSlope float64 `json:"logit_slope,omitempty"`
	// LogitFactors multiply the logits too: one factor for all heads, H for the heads of
	// every layer, or L·H, layer after layer.
	LogitFactors []float64 `json:"logit_factors,omitempty"`
	// Ablation names heads whose attention is taken away, LAYER.HEAD from 0 on: "0.1,1.3" gives them
	// weights of 0, so that nothing comes from them, "even:0.1,1.3" the same weight for
	// each key that a query sees, so that the mean of their values does, and with "mean:0.1,1.3" they give what they
	// give on average over data, which further weights hold (see HeadMeanName). Default none.
	Ablation string `json:"ablation,omitempty"`
	// TrainedLength is how many tokens the longest sequence in training has. Training
	// fills it in where another setting asks for it.
	TrainedLength int `json:"trained_length,omitempty"`
	// HeadScale multiplies the hidden vector before the output product: "sqrt"
	// is d_model^−½, "none" is 1, and a number is itself.
	HeadScale string `json:"head_scale"`
	// Init is the initialisation: "t5" or "gpt".
	Init string `json:"init"`
	// NormEps is added to the mean square before the root in RMSNorm, and to the variance
	// in LayerNorm.
	NormEps float64 `json:"norm_eps"`
	// HeadNormEps is NormEps of the norm of what a head gives, DeltaNet's and differential
	// attention's; default NormEps. New configurations have 1e-5 (see Renew).
	HeadNormEps float64 `json:"head_norm_eps,omitempty"`

	// NUnits are the hidden units of the Clockwork RNN and the LSTM (default d_ff);
	// NModules and Periods are the Clockwork RNN's modules (default 8) and the period of each, from fast to slow (default
	// 1, 2, 4, …).
	NUnits   int   `json:"n_units,omitempty"`
	NModules int   `json:"n_modules,omitempty"`
	Periods  []int `json:"periods,omitempty"`

	// Mixer says for each layer of a DeltaNet what mixes its tokens, as a pe.Pattern of
	// "deltanet", the default, and encodings, whose layers have attention: "deltanet*3/nope". It
	// may stand as the encoding, too.
	Mixer string `json:"mixer,omitempty"`
	// BetaMax, Decay, Conv and Gate are the DeltaNet's. BetaMax is the greatest step β, more
	// than 0 and at most 2: with 2, the default, a token can turn a direction of the state
	// around, with 1 only clear it. Decay of the state is "learned", a number for each head, "channel", one for each
	// feature of its keys, or "none". Conv is the number of tokens that the short convolution sees, the token itself among
	// them (default 4; with 1 there is none). Gate of the output is "silu", "sigmoid", of rank K, or "none".
	BetaMax float64 `json:"beta_max,omitempty"`
	Decay   string  `json:"decay,omitempty"`
	Conv    int     `json:"conv,omitempty"`
	Gate    string  `json:"gate,omitempty"`
	// ConvStd is the standard deviation of the convolution's weights as they start; default
	// conv^−½. New configurations have the deviation of PyTorch's layer, (3·conv)^−½ (see Renew).
	ConvStd float64 `json:"conv_std,omitempty"`
}

// Name is what a model of the configuration is called among others, as its card says.
func (c Config) Name() string {
	return card.Card{Encoding: c.byLayer(), Architecture: c.Architecture}.Name()
}

// byLayer returns the encoding, or what a hybrid of the architecture has in its place.
func (c Config) byLayer() string { return cmp.Or(c.Encoding, c.Mixer) }

// MarshalJSON leaves the architecture out where it is the default: configurations are
// stored and hashed as they were when there was no other.
func (c Config) MarshalJSON() ([]byte, error) {
	if c.Architecture == DefaultArchitecture {
		c.Architecture = ""
	}
	type fields Config // without this method
	return json.Marshal(fields(c))
}

// resolve returns the configuration with every default filled in and with what its
// architecture does not have cleared, and the architecture's row, or an error that names
// the offending key, its value and what is allowed.
func (c Config) resolve() (Config, Architecture, error) {
	c.Settings = cmp.Or(c.Settings, "modern")
	if _, ok := family[c.Settings]; !ok {
		return c, Architecture{}, fmt.Errorf("settings %q: want modern, faithful or gpt2", c.Settings)
	}
	a, err := ArchitectureOf(c)
	if err != nil {
		return c, a, err
	}
	if len(c.EncodingParams) > 0 && !a.has("encoding_params") {
		return c, a, a.NoSetting(fmt.Sprintf("encoding_params=%s", c.EncodingParams))
	}
	if c.Mixer == "" && a.has("mixer") && a.StandsIn(c.Encoding) {
		c.Mixer = c.Encoding
	}
	c.Architecture = a.Name
	c, err = a.resolve(a.only(c))
	return c, a, err
}

// The largest sizes accepted: a guard against typing slips and hostile files,
// far above what this program trains.
const (
	maxWidth  = 1 << 16
	maxLayers = 1 << 10
	maxVocab  = 1 << 20
	maxTokens = 1 << 20
)

// size is a number that a configuration must have.
type size struct {
	key        string
	value, max int
}

func checkSizes(sizes ...size) error {
	for _, s := range sizes {
		if s.value < 1 || s.value > s.max {
			return fmt.Errorf("%s %d: want 1 to %d", s.key, s.value, s.max)
		}
	}
	return nil
}
