package foreign

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/card"
)

// TestFolderAround: what describes a model is in its folder, or around a folder "onnx", also where the path is
// relative to that one.
func TestFolderAround(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/onnx", "b/onnx", "c/other"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a/config.json", "b/onnx/config.json", "b/config.json", "c/config.json"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{"a/onnx": "a/config.json", "b/onnx": "b/onnx/config.json", "c/other": "", "c": "c/config.json"} {
		at := filepath.Join(dir, filepath.FromSlash(folder))
		check := func(how string, beside fs.FS) {
			if got, err := fs.ReadFile(beside, configFile); string(got) != want || (err == nil) != (want != "") {
				t.Errorf("%s, %s: %q, %v, want %q", folder, how, got, err, want)
			}
		}
		check("from elsewhere", Folder(filepath.Join(at, "model.onnx")))
		t.Chdir(at)
		check("from within", Folder("model.onnx"))
	}
}

// TestNumbers: the first key that has a number of 1 or more counts.
func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		config string
		want   int
	}{
		{`{}`, 0}, {`{"a": 1}`, 1}, {`{"a": 0}`, 0}, {`{"a": 0, "b": 5}`, 5}, {`{"a": 2, "b": 5}`, 2}, {`{"a": -3, "b": 5}`, 5},
		{`{"a": 1.5, "b": 5}`, 5}, {`{"a": "7", "b": 5}`, 5}, {`{"a": null, "b": 5}`, 5}, {`{"a": [4], "b": 5}`, 5}, {`{"a": 3.0}`, 3},
		{`{"a": 2147483647}`, math.MaxInt32}, {`{"a": 2147483648}`, 0}, {`{"b": 1e3}`, 1000}, {`{"c": 1}`, 0}, {`{"a": 0.5}`, 0},
	} {
		var o object
		if err := json.Unmarshal([]byte(tc.config), &o); err != nil {
			t.Fatal(err)
		}
		if got := o.number("a", "b"); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.config, got, tc.want)
		}
	}
}

// TestSettings: what of the files next to a model says how its caches are shaped.
func TestSettings(t *testing.T) {
	for _, tc := range []struct {
		name, contents string
		want           settings
		bad            string
	}{
		{"config.json", `{"num_attention_heads": 8, "hidden_size": 64}`, settings{heads: 8, width: 8}, ""},
		{"config.json", `{"num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 64, "head_dim": 16}`, settings{heads: 2, width: 16}, ""},
		{"config.json", `{"n_head": 4, "n_embd": 12, "multi_query": true}`, settings{heads: 1, width: 3}, ""},
		{"config.json", `{"n_head": 4, "n_embd": 12, "multi_query": false}`, settings{heads: 4, width: 3}, ""},
		{"config.json", `{"n_head": 4, "num_kv_heads": 2, "multi_query": true}`, settings{heads: 2}, ""},
		{"config.json", `{"hidden_size": 64}`, settings{}, ""},
		{"config.json", "\ufeff" + `{"vocab_size": 9, "n_ctx": 7}`, settings{vocabulary: 9, positions: 7}, ""},
		{"config.json", `{"vocab_size": 9, "text_config": {"vocab_size": 8, "model_type": "x", "n_positions": 3}}`,
			settings{kind: "x", vocabulary: 9, positions: 3}, ""},
		{"config.json", `{"text_config": 5, "vocab_size": 9}`, settings{vocabulary: 9}, ""},
		{"config.json", `{"eos_token_id": 5}`, settings{ends: []int64{5}}, ""},
		{"config.json", `{"eos_token_id": [5, 6]}`, settings{ends: []int64{5, 6}}, ""},
		{"config.json", `{"eos_token_id": []}`, settings{}, ""},
		{"config.json", `{"eos_token_id": null, "sliding_window": 4}`, settings{window: window{4, configFile}}, ""},
		{"config.json", `{"eos_token_id": "x"}`, settings{}, `eos_token_id beside the model file: "x" is neither a token id nor a list of them`},
		{"config.json", `[]`, settings{}, "config.json beside the model file"},
		{"genai_config.json", `{"model": {"type": "g", "context_length": 5, "vocab_size": 6, "eos_token_id": 2, "decoder": {"head_size": 4,
			"num_key_value_heads": 3, "sliding_window": {"window_size": 7}, "inputs": {"past_key_names": "a"}, "outputs": {"logits": "b"}}}}`,
			settings{kind: "g", positions: 5, vocabulary: 6, heads: 3, width: 4, ends: []int64{2}, window: window{7, genaiFile},
				names: inputNames{PastKeys: "a"}, out: outputNames{Logits: "b"}}, ""},
		{"tokenizer.json", `{`, settings{}, ""},
	} {
		got, err := readSettings(fstest.MapFS{tc.name: {Data: []byte(tc.contents)}})
		if tc.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tc.bad) {
				t.Errorf("%s: %v, want %q", tc.contents, err, tc.bad)
			}
			continue
		}
		same := func(s settings) settings {
			s.ends = nil
			if s.window.tokens == 0 {
				s.window = window{}
			}
			return s
		}
		a, b := same(got), same(tc.want)
		if err != nil || !slices.Equal(got.ends, tc.want.ends) || a.kind != b.kind || a.heads != b.heads || a.width != b.width ||
			a.positions != b.positions || a.vocabulary != b.vocabulary || a.window != b.window || a.names != b.names || a.out != b.out {
			t.Errorf("%s: %+v, %v, want %+v", tc.contents, got, err, tc.want)
		}
	}
	if s, err := readSettings(nil); err != nil || s.heads != 0 {
		t.Errorf("nothing beside it: %+v, %v", s, err)
	}
	both := fstest.MapFS{"config.json": {Data: []byte(`{"model_type": "c", "vocab_size": 9, "sliding_window": 3, "eos_token_id": 1}`)},
		"genai_config.json":      {Data: []byte(`{"model": {"type": "g", "vocab_size": 6, "context_length": 5, "decoder": {"sliding_window": {"window_size": 7}}}}`)},
		"generation_config.json": {Data: []byte(`{"eos_token_id": 4}`)}}
	s, err := readSettings(both)
	if err != nil || s.kind != "c" || s.vocabulary != 9 || s.positions != 5 || s.window != (window{3, configFile}) || !slices.Equal(s.ends, []int64{4}) {
		t.Errorf("config.json comes first, but for tokens: %+v, %v", s, err)
	}
	for size, fits := range map[int]bool{mostSettings: true, mostSettings + 1: false} {
		data := []byte(`{}` + strings.Repeat(" ", size-2))
		if _, err := readSettings(fstest.MapFS{"config.json": {Data: data}}); fits != (err == nil) {
			t.Errorf("a file of %d bytes: %v", size, err)
		}
	}
	if _, err := readSettings(fstest.MapFS{"config.json/x": {Data: []byte(`{}`)}}); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestPresents: the present of a past is named by its pattern, or as one of the usual names that the file has.
func TestPresents(t *testing.T) {
	named := settings{names: inputNames{PastKeys: "k_%d_%d", PastValues: "v_%d_%d"}, out: outputNames{PresentKeys: "nk_%d_%d", PresentValues: "nv_%d_%d"}}
	for _, tc := range []struct {
		s       settings
		past    string
		outputs []string
		want    string // "error: …" for an error
	}{
		{settings{}, "past_key_values.0.key", []string{"logits", "present.0.key"}, "present.0.key"},
		{settings{}, "past_key_values.0.key", []string{"logits", "present_key_values.0.key"}, "present_key_values.0.key"},
		{settings{}, "past_key_values.0.key", []string{"present_key_values.0.key", "present.0.key"}, "present.0.key"},
		{settings{}, "past_key_values.0.key", []string{"logits", "present.1.key"}, "error: the model has no output present.0.key"},
		{settings{}, "past_key_values.0.key", []string{"present.1.key"}, "error: the model has no output present.0.key"},
		{settings{}, "past.0.k", []string{"present.0.k"}, "present.0.k"},
		{named, "k_3_%d", []string{"logits", "nk_3_%d"}, "nk_3_%d"}, // the first %d alone is the layer
		{named, "v_12_%d", []string{"logits", "nv_12_%d"}, "nv_12_%d"},
		{named, "v", []string{"nv"}, "error: it is neither a standard one"},
		{named, "past_key_values.0.key", []string{"present.0.key"}, "present.0.key"},
		{settings{}, "other", []string{"present"}, "error: it is neither a standard one"},
		{settings{}, "use_cache_branch", []string{"present"}, "error: a merged decoder"},
		{settings{}, "encoder_hidden", []string{"present"}, "error: the model is the decoder of a pair (hidden)"},
		{settings{}, "decoder_x", []string{"present"}, "error: the model is the decoder of a pair (decoder_x)"},
	} {
		var outputs []card.Port
		for _, name := range tc.outputs {
			outputs = append(outputs, card.Port{Name: name})
		}
		got, err := tc.s.presentOf(tc.past, outputs)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tc.want && !(err != nil && strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s among %v: %q, want %q", tc.past, tc.outputs, got, tc.want)
		}
	}
	for _, tc := range []struct{ pattern, name, layer string }{
		{"a%db", "a0b", "0"}, {"a%db", "ab", ""}, {"a%db", "a12b", "12"}, {"a%db", "x0b", ""}, {"a%db", "a0c", ""}, {"a", "a", ""}, {"", "a", ""},
		{"%d", "7", "7"}, {"%d", "", ""},
	} {
		if layer, ok := match(tc.pattern, tc.name); layer != tc.layer || ok != (tc.layer != "") {
			t.Errorf("%q in %q: %q, %v", tc.name, tc.pattern, layer, ok)
		}
	}
}
