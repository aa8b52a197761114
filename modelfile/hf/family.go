package hf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/models"
)

// family is a type of decoder that others train and publish, by its model_type in config.json. Adding one takes a file,
// a fixture and a row.
type family struct {
	name string
	// settings reads config.json, in either spelling: the hub's older keys, and those of transformers 5.
	settings func(k *settings) models.Config
	// rename gives the tensors of a folder the names and shapes of ours.
	rename func(c models.Config, w *renaming)
}

// families lists them.
func families() []family {
	return []family{
		{"llama", llama, llamaNames}, {"mistral", mistral, llamaNames},
		{"qwen2", qwen2, llamaNames}, {"qwen3", qwen3, llamaNames},
		{"smollm3", smollm3, llamaNames}, {"granite", granite, llamaNames},
		{"gpt2", gpt2, gpt2Names}, {"opt", opt, optNames}, {"gpt_neox", gptNeoX, gptNeoXNames},
		{"gemma", gemma, gemmaNames}, {"gemma3_text", gemma3, gemmaNames}, {"gemma2", gemma2, gemmaNames},
		{"phi3", phi3, phi3Names}, {"phi", phi, phiNames}, {"bloom", bloom, bloomNames}, {"mpt", mpt, mptNames},
		{"falcon", falcon, falconNames}, {"stablelm", stableLM, stableLMNames}, {"olmo2", olmo2, olmo2Names},
		{"gptj", gptJ, gptJNames}, {"codegen", gptJ, codeGenNames},
	}
}

// family returns the one of the document's model_type, if it is one.
func (d document) family() (family, bool) {
	var name string
	if json.Unmarshal(d[typeKey], &name) != nil {
		return family{}, false
	}
	all := families()
	i := slices.IndexFunc(all, func(f family) bool { return f.name == name })
	if i < 0 {
		return family{}, false
	}
	return all[i], true
}

// settings reads the keys of a config.json. The first error stays; keys that nothing has read are errors at the end.
type settings struct {
	doc  document
	read map[string]bool
	err  error
}

// pretrained reads the configuration of a model of the family.
func (d document) pretrained(f family) (models.Config, error) {
	k := &settings{doc: d, read: map[string]bool{}}
	k.ignore(ignored...)
	k.refuse("quantization_config", "the weights are quantized; take the folder with weights in 16 or 32 bits")
	k.refuse("auto_map", "the folder brings code of its own, which is not run")
	c := f.settings(k)
	c.Settings, c.Architecture = "modern", models.DefaultArchitecture
	var known []string
	for name := range k.read {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if k.err == nil && !k.read[name] {
			k.err = fmt.Errorf("%w (of %s it is not known what this key does; remove it if the model does not depend on it)",
				suggest.Unknown("key", name, known), f.name)
		}
	}
	return c, k.err
}

// ignored are keys that change nothing in a forward pass: names, training, token ids and lengths that are declared.
var ignored = []string{typeKey, architecturesKey, "_name_or_path", "_attn_implementation_autoset", "dtype", "torch_dtype",
	"transformers_version", "use_cache", "bos_token_id", "eos_token_id", "pad_token_id", "initializer_range", "is_decoder",
	"output_attentions", "output_hidden_states", "return_dict", "id2label", "label2id", "finetuning_task", "task_specific_params",
	"attention_dropout", "hidden_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "dropout", "classifier_dropout",
	"max_position_embeddings", "transformers.js_config", "_num_labels", "problem_type", "chunk_size_feed_forward",
	"unsloth_fixed", "unsloth_version"}

func (k *settings) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

func (k *settings) ignore(keys ...string) {
	for _, key := range keys {
		k.read[key] = true
	}
}

// refuse makes a key that is there, and is neither null nor false, an error.
func (k *settings) refuse(key, why string) {
	k.read[key] = true
	if k.doc.has(key) && string(k.doc[key]) != "false" {
		k.fail("%s is %s: %s", key, clip(k.doc[key]), why)
	}
}

// value reads a key, or returns the default where it is missing or null.
func value[T any](k *settings, key string, byDefault T, want string) T {
	k.read[key] = true
	if !k.doc.has(key) {
		return byDefault
	}
	var v T
	if err := json.Unmarshal(k.doc[key], &v); err != nil {
		k.fail("%s is %s: want %s", key, clip(k.doc[key]), want)
		return byDefault
	}
	return v
}

// integer reads a positive whole number; a default of 0 says that the key must be there.
func (k *settings) integer(key string, byDefault int) int { return k.upTo(key, byDefault, 1<<30) }

// layers and heads read their numbers, of which no model has as many as a hostile file says.
func (k *settings) layers(key string, byDefault int) int { return k.upTo(key, byDefault, 1<<10) }
func (k *settings) heads(key string, byDefault int) int  { return k.upTo(key, byDefault, 1<<12) }

func (k *settings) upTo(key string, byDefault, most int) int {
	v := value(k, key, byDefault, "a whole number")
	switch {
	case v == 0:
		k.fail("%s is missing or 0: want a whole number", key)
	case v < 0 || v > most:
		k.fail("%s is %d: want 1 to %d", key, v, most)
		return 1
	}
	return v
}

func (k *settings) number(key string, byDefault float64) float64 {
	return value(k, key, byDefault, "a number")
}

func (k *settings) flag(key string, byDefault bool) bool {
	return value(k, key, byDefault, "true or false")
}

func (k *settings) word(key, byDefault string) string { return value(k, key, byDefault, "a string") }

// null reports whether a key is there and null.
func (k *settings) null(key string) bool { return len(k.doc[key]) > 0 && !k.doc.has(key) }

// only makes a value other than one of these an error: others are settings that are not built.
func (k *settings) only(key string, values ...string) {
	k.read[key] = true
	if k.doc.has(key) && !slices.Contains(values, string(k.doc[key])) {
		k.fail("%s is %s: want %s; other values are not built", key, clip(k.doc[key]), strings.Join(values, " or "))
	}
}

// theirActivations are transformers' names of activations; all forms of gelu by tanh agree within 1e-9.
var theirActivations = map[string]string{
	"relu": "relu", "silu": "silu", "swish": "silu", "gelu": "gelu_exact",
	"gelu_new": "gelu", "gelu_pytorch_tanh": "gelu", "gelu_fast": "gelu",
}

func (k *settings) activation(key, byDefault string) string {
	name := k.word(key, byDefault)
	ours, ok := theirActivations[name]
	if !ok {
		k.fail("%w", suggest.Unknown(key, name, slices.Sorted(maps.Keys(theirActivations))))
	}
	return ours
}

// head is the output matrix: tied to the embedding or not.
func (k *settings) head(tied bool) string {
	if k.flag("tie_word_embeddings", tied) {
		return "tied"
	}
	return "untied"
}

// sizes reads the sizes that most families call alike. A head_dim of 0 is hidden_size over heads.
func (k *settings) sizes(kvHeads, headDim int) models.Config {
	c := models.Config{
		VocabSize: k.integer("vocab_size", 0), DModel: k.integer("hidden_size", 0), NLayers: k.layers("num_hidden_layers", 0),
		NHeads: k.heads("num_attention_heads", 0), DFF: k.integer("intermediate_size", 0),
		DHead: value(k, "head_dim", headDim, "a whole number"),
	}
	kvHeads = cmp.Or(kvHeads, c.NHeads)
	c.NKVHeads = k.heads("num_key_value_heads", kvHeads)
	return k.headed(c)
}

// headed fills in the width of heads.
func (k *settings) headed(c models.Config) models.Config {
	if c.DHead == 0 && c.NHeads > 0 && k.err == nil {
		if c.DModel%c.NHeads != 0 {
			k.fail("hidden_size %d is no multiple of %d heads", c.DModel, c.NHeads)
		}
		c.DHead = c.DModel / c.NHeads
	}
	return c
}

// bias is Config.Bias of the places that are true.
func bias(places map[string]bool) string {
	names := lists.Filter([]string{"qkv", "out", "mlp", "head"}, func(place string) bool { return places[place] })
	if names == nil {
		return "none"
	}
	return strings.Join(names, ",")
}
