package models

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
)

// DefaultArchitecture is the architecture of a configuration without one.
const DefaultArchitecture = "decoder"

// Architecture is a row of the table of architectures.
type Architecture struct {
	Name    string
	Formula string // for people, in plain text
	Source  string // paper
	Cost    string // what it computes to know of other tokens, for people
	// Unrolled says that training needs graphs of fixed length (Mode.Steps).
	Unrolled bool
	// Settings are the keys of Config that it has. One without "encoding" knows of
	// order by its own working.
	Settings []string
	// Hybrid are those that it has besides, by layer, where some of its layers have attention.
	Hybrid []string

	resolve func(Config) (Config, error) // fills in and checks the settings; the others are cleared before
	make    func(Config) (Model, error)  // of a resolved configuration
}

// Architectures lists them. Adding one takes its file, its test and a row, and a field of
// Config for each setting that no other has.
func Architectures() []Architecture {
	return []Architecture{
		{
			Name: DefaultArchitecture, Formula: "x + attention(norm(x)), then x + mlp(norm(x)), in each layer",
			Source: "Vaswani et al. 2017, arXiv 1706.03762", Cost: "attention to all earlier tokens",
			Settings: []string{"architecture", "settings", "encoding", "encoding_params", "window", "d_model", "n_layers",
				"n_heads", "d_head", "n_kv_heads", "d_ff", "vocab_size", "activation", "mlp", "norm", "norm_place", "residual",
				"embed_norm", "bias", "head", "embed_scale", "residual_scale", "attention", "attention_scale", "attention_cap", "logit_cap",
				"clip_qkv", "qk_norm", "attention_sink", "attention_gate", "logit_scale", "logit_layers", "logit_slope", "logit_factors", "ablation", "trained_length", "head_scale", "init",
				"norm_eps", "head_norm_eps"},
			resolve: resolveDecoder, make: newDecoder,
		},
		{
			Name: "cwrnn", Formula: "y_t[m] = tanh(Σ W y_(t−1)[≥m] + U x_t) where t mod T_m = 0",
			Source: "Koutník et al. 2014, arXiv 1402.3511", Unrolled: true,
			Cost:     "no attention, but a product with the state for each token",
			Settings: []string{"architecture", "d_model", "d_ff", "vocab_size", "n_units", "n_modules", "periods"},
			resolve:  resolveClockwork, make: newClockwork,
		},
		{
			Name: deltaArchitecture, Formula: "S_t = α_t S_(t−1)(I − β_t k kᵀ) + β_t v kᵀ, read as S_t q",
			Source: "Yang et al. 2024, arXiv 2412.06464; eigenvalues: 2411.12537", Unrolled: true,
			Cost: "no attention, but products with a K × K state of each head",
			Settings: []string{"architecture", "settings", "d_model", "n_layers", "n_heads", "d_head", "d_ff",
				"vocab_size", "activation", "norm", "bias", "attention_scale", "head_scale", "init", "norm_eps", "head_norm_eps", "mixer",
				"beta_max", "decay", "conv", "gate", "conv_std"},
			Hybrid: []string{"encoding_params", "window", "qk_norm", "attention_sink", "attention_gate", "logit_scale", "logit_layers", "logit_slope", "logit_factors",
				"trained_length"},
			resolve: resolveDeltaNet, make: newDeltaNet,
		},
		{
			Name: "lstm", Formula: "c_t = f∘c_(t−1) + i∘g, h_t = o∘tanh(c_t), gates of x_t, h_(t−1)",
			Source: "Hochreiter & Schmidhuber 1997; Gers et al. 2000", Unrolled: true,
			Cost:     "no attention, but a product with the state for each token",
			Settings: []string{"architecture", "d_model", "d_ff", "vocab_size", "n_units"},
			resolve:  resolveLSTM, make: newLSTM,
		},
	}
}

// findArchitecture returns the row of a name. The error for an unknown one lists the known ones.
func findArchitecture(name string) (Architecture, error) {
	var names []string
	for _, a := range Architectures() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Architecture{}, fmt.Errorf("unknown architecture %q; known: %s", name, strings.Join(names, ", "))
}

// ArchitectureOf returns the row of a configuration's architecture. The name of one that
// has no encodings may stand in an encoding's place: so researchers compare it with them,
// and so configurations have it that are older than the key architecture.
func ArchitectureOf(c Config) (Architecture, error) {
	all := Architectures()
	i := slices.IndexFunc(all, func(a Architecture) bool { return a.StandsIn(c.Encoding) })
	if i < 0 {
		a, err := findArchitecture(cmp.Or(c.Architecture, DefaultArchitecture))
		return a.mixing(c.Mixer), err
	}
	a := all[i].mixing(cmp.Or(c.Mixer, c.Encoding))
	if _, err := pe.Find(a.Name); err == nil {
		return a, fmt.Errorf("encoding %q: an architecture and a registered encoding (pe.Register) both have "+
			"this name; rename the encoding", a.Name)
	}
	if cmp.Or(c.Architecture, a.Name) != a.Name {
		return a, fmt.Errorf("encoding %s is an architecture, and architecture is %s; leave out the one or the other",
			c.Encoding, c.Architecture)
	}
	return a, nil
}

// mixing returns the architecture with the settings that a pattern of mixers brings.
func (a Architecture) mixing(pattern string) Architecture {
	if p, err := pe.ParsePattern(pattern, 0); a.has("mixer") && err == nil && len(p) > 1 {
		a.Settings = slices.Concat(a.Settings, a.Hybrid)
	}
	return a
}

// Encodings lists what can stand as a model's encoding, as Config.Name returns it: the
// table of package pe, and the architectures that have none.
func Encodings() []string {
	names := lists.Map(pe.Table(), func(r pe.Row) string { return r.Name })
	for _, a := range Architectures() {
		if !a.has("encoding") {
			names = append(names, a.Name)
		}
	}
	return names
}

// has reports whether a key of Config is one of the architecture's settings.
func (a Architecture) has(key string) bool { return slices.Contains(a.Settings, key) }

// StandsIn reports whether what stands in an encoding's place is the architecture: its name,
// or a pattern by layer with its name in it, of one that has such patterns ("mixer").
func (a Architecture) StandsIn(encoding string) bool {
	if a.has("encoding") || !a.has("mixer") {
		return !a.has("encoding") && encoding == a.Name
	}
	p, err := pe.ParsePattern(encoding, 0)
	return err == nil && slices.Contains(p, a.Name)
}

// NoSetting is the error for settings, in words, that the architecture does not have.
func (a Architecture) NoSetting(given string) error {
	return fmt.Errorf("%s: no setting of %s, whose settings are %s; leave out the one or the other",
		given, a.Name, strings.Join(a.Settings, ", "))
}

// only returns a configuration without what the architecture does not have, except the
// name of the family of defaults, which all have always stored.
func (a Architecture) only(c Config) Config {
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		key, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if key != "settings" && !a.has(key) {
			fields.Field(i).SetZero()
		}
	}
	return c
}
