package hf

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf/internal/gguf"
	"github.com/nopezoo/zoo/models"
)

// ggufFamilies are the architectures of GGUF files that are read, by their names there.
var ggufFamilies = map[string]string{"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma", "gemma2": "gemma2",
	"gemma3": "gemma3_text", "gpt2": "gpt2"}

// maxGGUF is the largest file that is read, in bytes.
const maxGGUF = 1 << 38

// IsGGUF reports whether a path names a file in llama.cpp's format.
func IsGGUF(path string) bool { return strings.EqualFold(filepath.Ext(path), ".gguf") }

// readGGUF reads a model from a file in llama.cpp's format.
func readGGUF(path string) (modelfile.Model, error) { return openGGUF(path, true) }

// describeGGUF is readGGUF without the weights, and without the file's hash.
func describeGGUF(path string) (modelfile.Model, error) { return openGGUF(path, false) }

func openGGUF(path string, weights bool) (m modelfile.Model, err error) {
	in, size, err := files.OpenRegular(path, maxGGUF)
	if err != nil {
		return m, err
	}
	defer in.Close()
	f, err := gguf.Open(in, size)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	g := &ggufReader{File: f}
	m, made, err := g.model()
	if err == nil {
		m.TokenizerFile, err = g.tokenizer()
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	m.Card.Pretrained = g.origin(path, m.TokenizerFile)
	if weights {
		sum := hashed(in, size)
		m.Weights, err = g.weights(made)
		hash, unread := sum()
		if m.Card.Pretrained.SHA256 = hash; err != nil || unread != nil {
			return m, fmt.Errorf("%s: %w", path, cmp.Or(err, unread))
		}
	}
	return m, nil
}

// origin is where the model comes from, but for the file's hash.
func (g *ggufReader) origin(path string, tokenizer []byte) *card.Pretrained {
	p := &card.Pretrained{Family: g.architecture, Source: filepath.Base(path)}
	if n, ok := g.value("context_length").(int64); ok {
		p.DeclaredLength = int(min(max(n, 0), math.MaxInt32))
	}
	if id, ok := g.Pairs["tokenizer.ggml.eos_token_id"].(int64); ok {
		p.Ends = []int64{id}
	}
	p.Chat = g.chat()
	if len(tokenizer) > 0 {
		p.TokenizerSHA256 = fmt.Sprintf("%x", sha256.Sum256(tokenizer))
	}
	return p
}

// ggufReader reads a model of one of the families.
type ggufReader struct {
	*gguf.File
	architecture string
}

// value returns a number or text of the architecture's, or of the key itself; nil where there is none.
func (g *ggufReader) value(key string) any {
	if v, ok := g.Pairs[g.architecture+"."+key]; ok {
		return v
	}
	return g.Pairs[key]
}

// model is the model but for its weights.
func (g *ggufReader) model() (m modelfile.Model, made models.Model, err error) {
	g.architecture, _ = g.Pairs["general.architecture"].(string)
	name, ok := ggufFamilies[g.architecture]
	if !ok {
		return m, nil, fmt.Errorf("%w; import the folder with config.json and safetensors instead",
			suggest.Unknown("general.architecture", clip([]byte(g.architecture)), slices.Sorted(maps.Keys(ggufFamilies))))
	}
	d, err := g.document(name)
	if err != nil {
		return m, nil, err
	}
	f, _ := d.family()
	if m.Config, err = d.pretrained(f); err != nil {
		return m, nil, err
	}
	if err := g.adjust(&m.Config); err != nil {
		return m, nil, err
	}
	if made, err = models.New(m.Config); err == nil {
		m.Config = made.Config()
	}
	return m, made, err
}

// document is the config.json that the metadata amounts to.
func (g *ggufReader) document(modelType string) (document, error) {
	embed, ok := g.Tensors["token_embd.weight"]
	if !ok || len(embed.Shape) != 2 {
		return nil, fmt.Errorf("there is no matrix token_embd.weight")
	}
	_, untied := g.Tensors["output.weight"]
	values := map[string]any{
		typeKey: modelType, "vocab_size": embed.Shape[0], "tie_word_embeddings": !untied,
		"rms_norm_eps": g.value("attention.layer_norm_rms_epsilon"), "layer_norm_epsilon": g.value("attention.layer_norm_epsilon"),
		"max_position_embeddings": g.value("context_length"), "num_key_value_heads": g.value("attention.head_count_kv"),
		"head_dim": g.value("attention.key_length"), "rope_theta": g.value("rope.freq_base"),
		"sliding_window":         g.value("attention.sliding_window"),
		"attn_logit_softcapping": g.value("attn_logit_softcapping"), "final_logit_softcapping": g.value("final_logit_softcapping"),
	}
	sizes := [4]string{"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"}
	if modelType == "gpt2" {
		sizes = [4]string{"n_embd", "n_layer", "n_head", "n_inner"}
		values["n_positions"], values["num_key_value_heads"] = values["max_position_embeddings"], nil
	}
	for i, key := range []string{"embedding_length", "block_count", "attention.head_count", "feed_forward_length"} {
		values[sizes[i]] = g.value(key)
	}
	if _, listed := values[sizes[3]].([]any); listed {
		return nil, fmt.Errorf("feed_forward_length is a list: widths by layer are not built")
	}
	if values["num_key_value_heads"] == nil && modelType != "gpt2" {
		values["num_key_value_heads"] = values[sizes[2]]
	}
	if modelType == "qwen2" || modelType == "qwen3" || modelType == "llama" {
		values["sliding_window"] = nil // llama.cpp does not heed it there
	}
	if values["head_dim"] == nil && (strings.HasPrefix(modelType, "qwen3") || strings.HasPrefix(modelType, "gemma")) {
		width, _ := values[sizes[0]].(int64)
		heads, _ := values[sizes[2]].(int64)
		values["head_dim"] = width / max(heads, 1)
	}
	scaling, err := g.scaling()
	if err != nil {
		return nil, err
	}
	if scaling != nil {
		values["rope_scaling"] = scaling
	}
	d := document{}
	for key, value := range values {
		if value == nil {
			continue
		}
		if err := d.set(key, value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// scaling is the rope_scaling that the metadata amounts to, nil for none. Divisors of frequencies, in which llama.cpp's
// converter puts what llama3 does, are longrope's in short and long texts alike.
func (g *ggufReader) scaling() (map[string]any, error) {
	if t, ok := g.Tensors["rope_freqs.weight"]; ok {
		if len(t.Shape) != 1 {
			return nil, fmt.Errorf("rope_freqs.weight has the shape %v: want one axis", t.Shape)
		}
		values, err := g.Read("rope_freqs.weight")
		if err != nil {
			return nil, err
		}
		divisors := tensor.Data[float32](float32s(values))
		return map[string]any{"rope_type": "longrope", "short_factor": divisors, "long_factor": divisors, "attention_factor": 1,
			"original_max_position_embeddings": g.value("context_length")}, nil
	}
	kind, _ := g.value("rope.scaling.type").(string)
	switch kind {
	case "", "none":
		return nil, nil
	case "linear", "yarn":
		return map[string]any{"rope_type": kind, "factor": g.value("rope.scaling.factor"),
			"original_max_position_embeddings": g.value("rope.scaling.original_context_length")}, nil
	}
	return nil, fmt.Errorf("rope.scaling.type %q: want none, linear or yarn", clip([]byte(kind)))
}

// adjust changes what a file in this format has otherwise than a folder.
func (g *ggufReader) adjust(c *models.Config) error {
	params := map[string]any{}
	if g.architecture == "llama" {
		// The rows of queries and keys are stored for neighbouring pairs.
		if err := json.Unmarshal(c.EncodingParams, &params); err != nil {
			return err
		}
		params["layout"] = "interleaved"
		text, err := json.Marshal(params)
		if err != nil {
			return err
		}
		c.EncodingParams = text
	}
	// The largest Gemma 2 and 3 scale by width over heads, which no key says.
	if g.architecture == "gemma2" && c.NLayers == 46 || g.architecture == "gemma3" && c.NLayers == 62 {
		c.AttentionScale = text(1 / math.Sqrt(float64(c.DModel)/float64(c.NHeads)))
	} else if g.architecture == "gemma2" || g.architecture == "gemma3" {
		c.AttentionScale = "sqrt"
	}
	if bias, ok := g.Tensors["blk.0.attn_q.bias"]; ok && g.architecture == "llama" {
		return fmt.Errorf("blk.0.attn_q.bias%v: biases of the architecture llama are not read from this format; import the folder "+
			"with config.json and safetensors instead", bias.Shape)
	}
	return nil
}

// ggufNames are the names of a layer's weights, and ours.
var ggufNames = map[string]string{
	"attn_norm": "attn_norm", "ffn_norm": "mlp_norm", "post_attention_norm": "attn_out_norm", "post_ffw_norm": "mlp_out_norm",
	"attn_q": "attn.q_proj", "attn_k": "attn.k_proj", "attn_v": "attn.v_proj", "attn_output": "attn.o_proj",
	"attn_q_norm": "attn.q_norm", "attn_k_norm": "attn.k_norm",
	"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}

// weights reads the tensors. Gains of Gemma's are stored as 1 + w, and GPT-2's matrices as [out, in].
func (g *ggufReader) weights(made models.Model) (map[string]*tensor.Tensor, error) {
	c, in := made.Config(), map[string]stored{}
	for name := range g.Tensors {
		t, err := g.Read(name)
		if err != nil {
			return nil, err
		}
		in[name] = stored{t, name}
	}
	w := newRenaming("the file", in, made.Params())
	w.drop("rope_freqs.weight")
	w.embedding("token_embd", "output")
	w.norm("norm", "output_norm")
	if w.has("position.weight") {
		w.put("position.weight", w.take("position_embd.weight", 2))
	}
	for i := range c.NLayers {
		ours, theirs := layer(i), fmt.Sprintf("blk.%d.", i)
		if _, fused := w.in[theirs+"attn_qkv.weight"]; fused {
			w.cut(theirs+"attn_qkv", qkv(ours, c))
		}
		for their, our := range ggufNames {
			axes := 2
			if strings.HasSuffix(our, "norm") {
				axes = 1
			}
			if _, done := w.out[ours+our+".weight"]; w.has(ours+our+".weight") && !done {
				w.move(ours+our, theirs+their, axes)
			}
		}
	}
	return w.finish()
}
