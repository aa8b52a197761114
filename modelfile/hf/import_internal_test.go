package hf

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// A pretrained model that is written as a folder of zoo's is the same model: weights in their own precision, tokenizer and
// origin included.
func TestImport(t *testing.T) {
	dir := respelled(t, "testdata/pretrained/qwen2-bf16-shards", "config.json")
	words := []byte(`{"version":"1.0","model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`)
	for name, text := range map[string]string{"tokenizer.json": string(words), "generation_config.json": `{"eos_token_id": [5, 7]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Stored(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Card.Pretrained
	if p == nil || p.Family != "qwen2" || p.DeclaredLength != 32 || !slices.Equal(p.Ends, []int64{5, 7}) || len(p.SHA256) != 64 ||
		len(p.TokenizerSHA256) != 64 {
		t.Errorf("it comes from %+v", p)
	}
	out := filepath.Join(t.TempDir(), "imported")
	if err := Write(out, m); err != nil {
		t.Fatal(err)
	}
	again, err := Stored(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Card.Pretrained, again.Card.Pretrained); diff != "" || !bytes.Equal(again.TokenizerFile, words) {
		t.Errorf("origin (-want +got):\n%s, tokenizer %s", diff, again.TokenizerFile)
	}
	sameModel(t, m, again)
	for name, w := range again.Weights {
		if w.DType() != tensor.BFloat16 {
			t.Errorf("%s is %v", name, w.DType())
		}
	}
	if err := os.WriteFile(filepath.Join(out, "tokenizer.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(out); err == nil || !strings.Contains(err.Error(), "is not the one that came with the model") {
		t.Errorf("another tokenizer: %v", err)
	}
}

func sameModel(t *testing.T, a, b modelfile.Model) {
	t.Helper()
	if diff := cmp.Diff(a.Config, b.Config); diff != "" {
		t.Errorf("configurations differ:\n%s", diff)
	}
	if !slices.Equal(slices.Sorted(maps.Keys(a.Weights)), slices.Sorted(maps.Keys(b.Weights))) {
		t.Error("they have other weights")
	}
	for name, w := range a.Weights {
		if !tensor.Equal(w, b.Weights[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// Every checkpoint is the same model once it was imported, whatever settings it has.
func TestImportEvery(t *testing.T) {
	folders, err := filepath.Glob("testdata/pretrained/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range folders {
		m, err := Stored(dir)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "imported")
		if err := Write(out, m); err != nil {
			t.Fatal(err)
		}
		again, err := Stored(out)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		sameModel(t, m, again)
	}
}

// changed is config.json of a checkpoint with keys added or replaced; nil removes one.
func changed(t *testing.T, folder string, keys map[string]any) string {
	t.Helper()
	dir := respelled(t, filepath.Join("testdata/pretrained", folder), "config.json")
	path := filepath.Join(dir, configFile)
	var config map[string]any
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	for key, value := range keys {
		if config[key] = value; value == nil {
			delete(config, key)
		}
	}
	if err == nil {
		data, err = json.Marshal(config)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What a configuration says and is not built is refused by name.
func TestRefused(t *testing.T) {
	type keys = map[string]any
	for _, tc := range []struct {
		folder string
		keys   keys
		want   string
	}{
		{"llama", keys{"quantization_config": keys{"bits": 4}}, "quantization_config is"},
		{"llama", keys{"auto_map": keys{"AutoModel": "x.py"}}, "code of its own"},
		{"llama", keys{"num_local_experts": 8}, `unknown key "num_local_experts"`},
		{"llama", keys{"hidden_act": "mish"}, `unknown hidden_act "mish"`},
		{"llama", keys{"hidden_size": "wide"}, `hidden_size is "wide": want a whole number`},
		{"llama", keys{"vocab_size": nil}, "vocab_size is missing"},
		{"llama", keys{"vocab_size": 65}, "has the shape [64 32], the model wants [65 32]"},
		{"llama", keys{"num_key_value_heads": 3}, "n_kv_heads 3: want a divisor"},
		{"llama", keys{"num_hidden_layers": 3}, "lacks the tensor model.layers.2."},
		{"llama", keys{"num_hidden_layers": 1}, "tensor model.layers.1."},
		{"llama", keys{"tie_word_embeddings": false, "rope_scaling": keys{"rope_type": "proportional"}}, `rope_type "proportional"`},
		{"llama-yarn", keys{"rope_scaling": keys{"rope_type": "yarn", "factor": 4, "truncate": false}}, "truncate false"},
		{"gpt2", keys{"add_cross_attention": true}, "add_cross_attention is true"},
		{"gpt2", keys{"tie_word_embeddings": false}, "lacks the tensor lm_head.weight"},
		{"bloom", keys{"slow_but_exact": true}, "slow_but_exact is true"},
		{"gemma", keys{"use_bidirectional_attention": true}, "use_bidirectional_attention is true"},
		{"gemma2", keys{"layer_types": []string{"chunked", "full_attention", "full_attention"}}, "layer_types has 3 names for 2 layers"},
		{"mpt", keys{"expansion_ratio": 2}, "expansion_ratio is 2: want 4"},
		{"mpt", keys{"attn_config": keys{"alibi": false}}, "attn_config: alibi is false: want true"},
		{"mpt", keys{"attn_config": keys{"qk_ln": true}}, "attn_config: qk_ln is true: want false"},
		{"falcon", keys{"apply_residual_connection_post_layernorm": true}, "apply_residual_connection_post_layernorm is true"},
		{"smollm3", keys{"no_rope_layers": []int{1}}, "no_rope_layers has 1 numbers"},
		{"phi3", keys{"attention_bias": true}, "attention_bias is true: want false"},
		{"opt", keys{"_remove_final_layer_norm": true}, "_remove_final_layer_norm is true"},
		{"gptj", keys{"tie_word_embeddings": true}, "tie_word_embeddings is true"},
		{"qwen2", keys{"use_mrope": true}, "use_mrope is true"},
	} {
		_, err := Read(changed(t, tc.folder, tc.keys))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %v: error %v, want one about %s", tc.folder, tc.keys, err, tc.want)
		}
	}
}

// A hostile config.json gives an error, and takes no time and memory beyond its size.
func FuzzSettings(f *testing.F) {
	configs, err := filepath.Glob("testdata/pretrained/*/config*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range configs {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		if json.Unmarshal(data, &d) != nil {
			return
		}
		family, ok := d.family()
		if !ok {
			return
		}
		c, err := d.pretrained(family)
		if err != nil {
			return
		}
		if made, err := models.New(c); err == nil && made.Config().NLayers < 8 {
			w := newRenaming("a listing", map[string]stored{}, made.Params())
			family.rename(made.Config(), w)
			if _, err := w.finish(); err == nil {
				t.Error("a model of no tensors was read")
			}
		}
	})
}
