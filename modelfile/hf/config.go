package hf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// key binds one key of config.json to one field of a configuration. A key whose
// field is zero is not written: an architecture clears what it has no use for.
type key struct {
	name string
	at   any    // pointer to the field
	want string // for the error of a value of another type
}

// keys is the whole mapping between a configuration and config.json, for both
// directions.
func keys(c *models.Config) []key {
	const integer, word, number = "a whole number", "a string", "a number"
	return []key{
		{"settings", &c.Settings, word},
		{"position_embedding_type", &c.Encoding, word},
		{"position_embedding_params", &c.EncodingParams, "an object"},
		{"attention_window", &c.Window, word},
		{"hidden_size", &c.DModel, integer},
		{"num_hidden_layers", &c.NLayers, integer},
		{"num_attention_heads", &c.NHeads, integer},
		{"head_dim", &c.DHead, integer},
		{"num_key_value_heads", &c.NKVHeads, integer},
		{"intermediate_size", &c.DFF, integer},
		{"vocab_size", &c.VocabSize, integer},
		{"hidden_act", &c.Activation, word},
		{"mlp", &c.MLP, word},
		{"norm", &c.Norm, word},
		{"norm_place", &c.NormPlace, word},
		{"residual", &c.Residual, word},
		{"embed_norm", &c.EmbedNorm, word},
		{"linear_bias", &c.Bias, word},
		{"head", &c.Head, word},
		{"embedding_multiplier", &c.EmbedScale, number},
		{"residual_multiplier", &c.ResidualScale, number},
		{"attention_cap", &c.AttentionCap, number},
		{"logit_cap", &c.LogitCap, number},
		{"clip_qkv", &c.ClipQKV, number},
		{"attention_scale", &c.AttentionScale, word},
		{"attention", &c.Attention, word},
		{"qk_norm", &c.QKNorm, word},
		{"attention_sink", &c.AttentionSink, word},
		{"attention_gate", &c.AttentionGate, word},
		{"logit_scale", &c.LogitScale, word},
		{"logit_layers", &c.LogitLayers, word},
		{"logit_slope", &c.LogitSlope, number},
		{"logit_factors", &c.LogitFactors, "a list of numbers"},
		{"ablated_heads", &c.Ablation, word},
		{"trained_length", &c.TrainedLength, integer},
		{"head_scale", &c.HeadScale, word},
		{"initialization", &c.Init, word},
		{"rms_norm_eps", &c.NormEps, number},
		{"head_norm_eps", &c.HeadNormEps, number},
		{"num_units", &c.NUnits, integer},
		{"num_modules", &c.NModules, integer},
		{"module_periods", &c.Periods, "a list of whole numbers"},
		{"delta_mixer", &c.Mixer, word},
		{"delta_beta_max", &c.BetaMax, number},
		{"delta_decay", &c.Decay, word},
		{"delta_conv", &c.Conv, integer},
		{"delta_gate", &c.Gate, word},
		{"delta_conv_std", &c.ConvStd, number},
	}
}

// activations are the names that differ: Hugging Face's gelu is the exact one.
var activations = map[string]string{"relu": "relu", "relu2": "relu2", "silu": "silu", "gelu": "gelu_pytorch_tanh", "gelu_exact": "gelu"}

// harmless are keys that other programs write and that change nothing here.
// The weights file says itself in which type it is.
var harmless = []string{"_name_or_path", "dtype", "torch_dtype", "transformers_version", "use_cache", "bos_token_id"}

const (
	typeKey       = "model_type"
	encodingKey   = "position_embedding_type"
	provenanceKey = "zoo_provenance"
	typePrefix    = "zoo_"

	architecturesKey = "architectures"
)

// document is the JSON object of config.json.
type document map[string]json.RawMessage

func (d document) set(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d[name] = raw
	return nil
}

// has reports whether the document gives a key a value; null is none.
func (d document) has(name string) bool {
	return len(d[name]) > 0 && !bytes.Equal(bytes.TrimSpace(d[name]), []byte("null"))
}

// putConfig writes a resolved configuration's keys.
func (d document) putConfig(c models.Config) error {
	if err := d.set(typeKey, typePrefix+c.Architecture); err != nil {
		return err
	}
	if c.Activation != "" {
		c.Activation = activations[c.Activation]
	}
	for _, k := range keys(&c) {
		if reflect.ValueOf(k.at).Elem().IsZero() {
			continue
		}
		if err := d.set(k.name, k.at); err != nil {
			return err
		}
	}
	return nil
}

// config reads the configuration, without resolving it.
func (d document) config() (models.Config, error) {
	var c models.Config
	for _, k := range keys(&c) {
		if !d.has(k.name) {
			continue
		}
		if err := json.Unmarshal(d[k.name], k.at); err != nil {
			return c, fmt.Errorf("%s is %s: want %s", k.name, clip(d[k.name]), k.want)
		}
	}
	if len(c.EncodingParams) > 0 {
		var small bytes.Buffer
		if err := json.Compact(&small, c.EncodingParams); err != nil {
			return c, fmt.Errorf("position_embedding_params: %w", err)
		}
		c.EncodingParams = small.Bytes()
	}
	if c.Activation != "" {
		ours, err := translate("hidden_act", c.Activation, activations)
		if err != nil {
			return c, err
		}
		c.Activation = ours
	}
	return c, d.architecture(&c)
}

// architecture reads the architecture, and checks the encoding against it.
func (d document) architecture(c *models.Config) error {
	known := lists.Map(models.Architectures(), func(a models.Architecture) string { return typePrefix + a.Name })
	name := strings.Trim(clip(d[typeKey]), `"`)
	if !d.has(typeKey) {
		// The library transformers leaves it out when it writes a configuration of
		// a class that it does not know, but not the names of the classes.
		i := slices.IndexFunc(known, func(n string) bool { return slices.Equal(d.architectures(), []string{class(n)}) })
		if i < 0 {
			return fmt.Errorf("has no %s: want %s", typeKey, strings.Join(known, " or "))
		}
		name = known[i]
	}
	if !slices.Contains(known, name) {
		for _, f := range families() {
			known = append(known, f.name)
		}
		return suggest.Unknown(typeKey, name, known)
	}
	a, err := models.ArchitectureOf(models.Config{Architecture: strings.TrimPrefix(name, typePrefix)})
	if err != nil {
		return err
	}
	c.Architecture = a.Name
	if !slices.Contains(a.Settings, "encoding") {
		if d.has(encodingKey) {
			return fmt.Errorf("%s is %s: %s has none", encodingKey, clip(d[encodingKey]), name)
		}
		return nil
	}
	_, err = pe.Find(c.Encoding)
	if err == nil {
		return nil
	}
	if !errors.Is(err, pe.ErrUnknown) {
		return fmt.Errorf("%s: %w", encodingKey, err)
	}
	encodings := lists.Map(pe.Table(), func(r pe.Row) string { return r.Name })
	return suggest.Unknown(encodingKey, c.Encoding, encodings)
}

// architectures are the classes that the document names.
func (d document) architectures() []string {
	var names []string
	if err := json.Unmarshal(d[architecturesKey], &names); err != nil {
		return nil
	}
	return names
}

// class names a model type as classes of transformers are: ZooDecoderForCausalLM.
func class(modelType string) string {
	name := strings.TrimPrefix(modelType, typePrefix)
	return "Zoo" + strings.ToUpper(name[:1]) + name[1:] + "ForCausalLM"
}

// translate returns the name of ours that stands for theirs.
func translate(what, theirs string, names map[string]string) (string, error) {
	var known []string
	for our, their := range names {
		if their == theirs {
			return our, nil
		}
		known = append(known, their)
	}
	slices.Sort(known)
	return "", suggest.Unknown(what, theirs, known)
}

// clip keeps what a file holds short enough for an error.
func clip(raw []byte) string {
	const most = 60
	s := strings.ToValidUTF8(string(raw), "?")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
