package hf

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile/hf/internal/gguf"
	tokenizers "github.com/nopezoo/zoo/tokenizer/hf"
)

// writeGGUF makes a file of metadata and tensors in float32.
func writeGGUF(t *testing.T, path string, pairs map[string]any, tensors map[string]*tensor.Tensor) {
	t.Helper()
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	text := func(s string) { put(uint64(len(s))); b.WriteString(s) }
	b.WriteString("GGUF")
	put(uint32(3))
	put(uint64(len(tensors)))
	put(uint64(len(pairs)))
	for key, value := range pairs {
		text(key)
		switch v := value.(type) {
		case string:
			put(uint32(8))
			text(v)
		case int:
			put([]uint32{4, uint32(v)})
		case float64:
			put([]uint32{6, math.Float32bits(float32(v))})
		default:
			t.Fatalf("%s is a %T", key, v)
		}
	}
	var data bytes.Buffer
	for name, w := range tensors {
		text(name)
		put(uint32(len(w.Shape())))
		for _, d := range slices.Backward(w.Shape()) {
			put(uint64(d))
		}
		put(uint32(0))
		put(uint64(data.Len()))
		data.Write(w.Raw())
		data.Write(make([]byte, (32-data.Len()%32)%32))
	}
	b.Write(make([]byte, (32-b.Len()%32)%32))
	b.Write(data.Bytes())
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// asGGUF writes the checkpoint of a folder as llama.cpp's converter does: with its names, rows of Llama's queries and keys
// for neighbouring pairs, and Gemma's gains as 1 + w.
func asGGUF(t *testing.T, dir, architecture string) string {
	t.Helper()
	var config map[string]any
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[string]any{"general.architecture": architecture}
	put := func(key string, whole bool, names ...string) {
		for _, name := range names {
			if x, ok := config[name].(float64); ok {
				if pairs[architecture+"."+key] = x; whole {
					pairs[architecture+"."+key] = int(x)
				}
			}
		}
	}
	put("block_count", true, "num_hidden_layers", "n_layer")
	put("context_length", true, "max_position_embeddings", "n_positions")
	put("embedding_length", true, "hidden_size", "n_embd")
	put("feed_forward_length", true, "intermediate_size", "n_inner")
	put("attention.head_count", true, "num_attention_heads", "n_head")
	put("attention.head_count_kv", true, "num_key_value_heads")
	put("attention.key_length", true, "head_dim")
	put("attention.layer_norm_rms_epsilon", false, "rms_norm_eps")
	put("attention.layer_norm_epsilon", false, "layer_norm_epsilon")
	put("attention.sliding_window", true, "sliding_window")
	put("attn_logit_softcapping", false, "attn_logit_softcapping")
	put("final_logit_softcapping", false, "final_logit_softcapping")
	if rope, ok := config["rope_parameters"].(map[string]any); ok {
		if full, ok := rope["full_attention"].(map[string]any); ok {
			rope = full
		}
		pairs[architecture+".rope.freq_base"] = rope["rope_theta"]
		if rope["rope_type"] == "linear" {
			pairs[architecture+".rope.scaling.type"] = "linear"
			pairs[architecture+".rope.scaling.factor"] = rope["factor"]
		}
	}
	names := strings.NewReplacer("transformer.", "", "model.", "", "layers.", "blk.", "h.", "blk.", "embed_tokens", "token_embd", "wte", "token_embd",
		"wpe", "position_embd", "lm_head", "output", "ln_f", "output_norm", "self_attn.q_norm", "attn_q_norm", "self_attn.k_norm", "attn_k_norm",
		"self_attn.q_proj", "attn_q", "self_attn.k_proj", "attn_k", "self_attn.v_proj", "attn_v", "self_attn.o_proj", "attn_output",
		"attn.c_attn", "attn_qkv", "attn.c_proj", "attn_output", "mlp.c_fc", "ffn_up", "mlp.c_proj", "ffn_down",
		"mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down", "input_layernorm", "attn_norm",
		"pre_feedforward_layernorm", "ffn_norm", "post_feedforward_layernorm", "post_ffw_norm", "ln_1", "attn_norm", "ln_2", "ffn_norm")
	_, in, err := readTensors(dir, 1<<30, nil)
	if err != nil {
		t.Fatal(err)
	}
	heads, _ := pairs[architecture+".attention.head_count"].(int)
	kv, _ := pairs[architecture+".attention.head_count_kv"].(int)
	tensors := map[string]*tensor.Tensor{}
	for name, s := range in {
		theirs := names.Replace(name)
		if _, both := in["model.layers.0.pre_feedforward_layernorm.weight"]; both {
			theirs = strings.Replace(theirs, "post_attention_layernorm", "post_attention_norm", 1)
		}
		theirs = strings.Replace(theirs, "post_attention_layernorm", "ffn_norm", 1)
		if theirs == "norm.weight" {
			theirs = "output_norm.weight"
		}
		w := s.Tensor
		switch {
		case strings.HasPrefix(architecture, "gemma") && len(w.Shape()) == 1:
			w = plusOne(w)
		case architecture == "gpt2" && len(w.Shape()) == 2 && strings.Contains(name, ".h."):
			w = transposed(w)
		case architecture == "llama" && strings.Contains(name, "q_proj"):
			w = neighbours(w, heads)
		case architecture == "llama" && strings.Contains(name, "k_proj"):
			w = neighbours(w, kv)
		}
		tensors[theirs] = w
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	writeGGUF(t, path, pairs, tensors)
	return path
}

// neighbours puts the two rows of each pair that turns behind one another.
func neighbours(w *tensor.Tensor, heads int) *tensor.Tensor {
	width := w.Shape()[0] / heads
	out := tensor.New(tensor.Float32, w.Shape()...)
	row := func(t *tensor.Tensor, i int) []float32 {
		return tensor.Data[float32](t)[i*w.Shape()[1]:][:w.Shape()[1]]
	}
	for h := range heads {
		for c := range width / 2 {
			copy(row(out, h*width+2*c), row(w, h*width+c))
			copy(row(out, h*width+2*c+1), row(w, h*width+c+width/2))
		}
	}
	return out
}

// Files as llama.cpp's converter writes them have the logits of the folders they are made of, and are the same models once they
// were imported.
func TestGGUF(t *testing.T) {
	for folder, architecture := range map[string]string{"llama": "llama", "llama-linear": "llama", "mistral": "llama", "qwen2": "qwen2",
		"qwen3": "qwen3", "gemma": "gemma", "gemma2": "gemma2", "gemma3_text": "gemma3", "gpt2": "gpt2"} {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join("testdata/pretrained", folder)
			path := asGGUF(t, dir, architecture)
			m, err := readGGUF(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if is := m.Card.Pretrained.SHA256; err != nil || is != fmt.Sprintf("%x", sha256.Sum256(file)) {
				t.Errorf("the hash is %s, which is not the file's (%v)", is, err)
			}
			imported := filepath.Join(t.TempDir(), "imported")
			if err := Write(imported, m); err != nil {
				t.Fatal(err)
			}
			again, err := Stored(imported)
			if err != nil {
				t.Fatal(err)
			}
			sameModel(t, m, again)
			described, err := Describe(dir)
			if err != nil {
				t.Fatal(err)
			}
			switch is := described.Config; folder { // of the fixtures' settings some have no key
			case "mistral":
				m.Config.Window = is.Window
			case "gemma2":
				m.Config.AttentionScale = is.AttentionScale
			case "gemma3_text":
				m.Config.AttentionScale, m.Config.Window = is.AttentionScale, is.Window
				m.Config.Encoding, m.Config.EncodingParams = is.Encoding, is.EncodingParams
			}
			checkLogits(t, dir, m)
		})
	}
}

// What a file cannot say, or says of a model that is not built, is refused by name.
func TestGGUFErrors(t *testing.T) {
	for want, change := range map[string]func(pairs map[string]any, tensors map[string]*tensor.Tensor){
		`general.architecture "rwkv"`:             func(p map[string]any, _ map[string]*tensor.Tensor) { p["general.architecture"] = "rwkv" },
		"no matrix token_embd.weight":             func(_ map[string]any, w map[string]*tensor.Tensor) { delete(w, "token_embd.weight") },
		`rope.scaling.type "dynamic"`:             func(p map[string]any, _ map[string]*tensor.Tensor) { p["llama.rope.scaling.type"] = "dynamic" },
		"num_hidden_layers is missing":            func(p map[string]any, _ map[string]*tensor.Tensor) { delete(p, "llama.block_count") },
		"tensor blk.0.x belongs to no part":       func(_ map[string]any, w map[string]*tensor.Tensor) { w["blk.0.x"] = tensor.New(tensor.Float32, 2) },
		"lacks the tensor blk.0.attn_norm.weight": func(_ map[string]any, w map[string]*tensor.Tensor) { delete(w, "blk.0.attn_norm.weight") },
		"blk.0.attn_q.bias[4]: biases": func(_ map[string]any, w map[string]*tensor.Tensor) {
			w["blk.0.attn_q.bias"] = tensor.New(tensor.Float32, 4)
		},
		`tokenizer.ggml.model "t5"`: func(p map[string]any, _ map[string]*tensor.Tensor) { p["tokenizer.ggml.model"] = "t5" },
		`tokenizer.ggml.pre "dbrx"`: func(p map[string]any, _ map[string]*tensor.Tensor) {
			p["tokenizer.ggml.model"], p["tokenizer.ggml.pre"] = "gpt2", "dbrx"
		},
	} {
		pairs := map[string]any{"general.architecture": "llama", "llama.block_count": 1, "llama.embedding_length": 4,
			"llama.attention.head_count": 1, "llama.feed_forward_length": 2}
		tensors := map[string]*tensor.Tensor{"token_embd.weight": tensor.New(tensor.Float32, 3, 4), "output_norm.weight": tensor.New(tensor.Float32, 4)}
		for name, shape := range map[string][]int{"attn_norm": {4}, "ffn_norm": {4}, "attn_q": {4, 4}, "attn_k": {4, 4}, "attn_v": {4, 4},
			"attn_output": {4, 4}, "ffn_gate": {2, 4}, "ffn_up": {2, 4}, "ffn_down": {4, 2}} {
			tensors["blk.0."+name+".weight"] = tensor.New(tensor.Float32, shape...)
		}
		change(pairs, tensors)
		path := filepath.Join(t.TempDir(), "model.gguf")
		writeGGUF(t, path, pairs, tensors)
		if _, err := readGGUF(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

// Texts get the ids of SentencePiece, which trained the model (BPE with fallback to bytes).
func TestGGUFSentencePiece(t *testing.T) {
	var want struct {
		Tokens   []string
		Scores   []float64
		Types    []int64
		Bos, Unk int64
		Cases    []struct {
			Text string
			IDs  []int64
		}
	}
	data, err := os.ReadFile("testdata/sentencepiece.json")
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	g := &ggufReader{File: &gguf.File{Pairs: map[string]any{"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": anys(want.Tokens),
		"tokenizer.ggml.scores": anys(want.Scores), "tokenizer.ggml.token_type": anys(want.Types), "tokenizer.ggml.bos_token_id": want.Bos,
		"tokenizer.ggml.unknown_token_id": want.Unk, "tokenizer.ggml.add_bos_token": false}}}
	file, err := g.tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	coder, err := tokenizers.New(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range want.Cases {
		got, err := coder.Encode(t.Context(), c.Text)
		if err != nil || !slices.Equal(got, c.IDs) {
			t.Errorf("%q: %v, %v; SentencePiece has %v", c.Text, got, err, c.IDs)
		}
	}
}

// Texts get the ids of the library tokenizers, which has the same pieces, merges and rules from a tokenizer.json.
func TestGGUFByteBPE(t *testing.T) {
	for pre, name := range map[string]string{"gpt-2": "gpt2", "default": "gpt2", "smollm": "digits", "llama-bpe": "llama3", "qwen2": "qwen2"} {
		f, err := os.Open("../../tokenizer/hf/testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var want struct {
			Tokenizer struct {
				Added []struct {
					ID             int
					Content        string
					Special        bool
					Lstrip, Rstrip bool
					SingleWord     bool `json:"single_word"`
				} `json:"added_tokens"`
				Model struct {
					Vocab  map[string]int
					Merges [][2]string
				}
			}
			Cases []struct {
				Text   string
				Prompt []int64
			}
		}
		z, err := gzip.NewReader(f)
		if err == nil {
			err = json.NewDecoder(z).Decode(&want)
		}
		if err != nil {
			t.Fatal(err)
		}
		pieces := make([]string, len(want.Tokenizer.Model.Vocab))
		for piece, id := range want.Tokenizer.Model.Vocab {
			pieces[id] = piece
		}
		types := slices.Repeat([]int64{tokenNormal}, len(pieces))
		var fussy []string // tokens that heed what is beside them, which no type of the format says
		for _, a := range want.Tokenizer.Added {
			if a.ID == len(pieces) {
				pieces, types = append(pieces, a.Content), append(types, tokenUser)
			}
			if a.Special {
				types[a.ID] = tokenControl
			}
			if a.Lstrip || a.Rstrip || a.SingleWord {
				fussy = append(fussy, a.Content)
			}
		}
		var merges []string
		for _, pair := range want.Tokenizer.Model.Merges {
			merges = append(merges, pair[0]+" "+pair[1])
		}
		g := &ggufReader{File: &gguf.File{Pairs: map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre,
			"tokenizer.ggml.tokens": anys(pieces), "tokenizer.ggml.token_type": anys(types), "tokenizer.ggml.merges": anys(merges),
			"tokenizer.ggml.bos_token_id": int64(1)}}}
		file, err := g.tokenizer()
		if err != nil {
			t.Fatal(err)
		}
		coder, err := tokenizers.New(file)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, c := range want.Cases {
			heeded := slices.ContainsFunc(fussy, func(token string) bool { return strings.Contains(c.Text, token) })
			if heeded || strings.HasSuffix(c.Text, " ") { // a prompt leaves its last space to the token that follows
				continue
			}
			compared++
			got, err := coder.EncodePrompt(t.Context(), c.Text)
			if err != nil || !slices.Equal(got, c.Prompt) {
				t.Errorf("%s: %q: %v, %v; the library has %v", pre, c.Text, got, err, c.Prompt)
			}
		}
		if compared < 20 {
			t.Errorf("%s: %d texts were compared", pre, compared)
		}
	}
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
