package hf_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
)

const weightsFile, indexFile = "model.safetensors", "model.safetensors.index.json"

// edit changes keys of a JSON file; null removes one.
func edit(t *testing.T, path string, change map[string]any) {
	t.Helper()
	var d map[string]any
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	maps.Copy(d, change)
	maps.DeleteFunc(d, func(_ string, v any) bool { return v == nil })
	store(t, path, d)
}

func store(t *testing.T, path string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// copied is a folder like another one: a copy need not reach the disk, as what
// Write writes must, and tests have many.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadConfigErrors(t *testing.T) {
	good := written(t, sample(t, micro("rope", "modern")))
	for name, tc := range map[string]struct {
		change map[string]any
		want   string
	}{
		"slip in a key": {map[string]any{"rms_norm_epss": 1e-5}, `unknown key "rms_norm_epss"`},
		"foreign key":   {map[string]any{"rope_scaling": map[string]any{}}, `unknown key "rope_scaling"`},
		"no encoding": {map[string]any{"position_embedding_type": nil},
			`unknown position_embedding_type ""; known: nope, rope`},
		"encoding meant": {map[string]any{"position_embedding_type": "rotary"}, "here it is called rope"},
		"encoding of two": {map[string]any{"position_embedding_type": "absolute"},
			"could mean sinusoidal or learned"},
		"encoding by layer": {map[string]any{"position_embedding_type": "rope/rop"},
			`position_embedding_type: encoding rope/rop: unknown encoding "rop"`},
		"architecture for it": {map[string]any{"position_embedding_type": "cwrnn"},
			`unknown position_embedding_type "cwrnn"`},
		"encoding for cwrnn": {map[string]any{"model_type": "zoo_cwrnn"},
			"position_embedding_type is \"rope\": zoo_cwrnn has none"},
		"no type at all": {map[string]any{"model_type": nil, "architectures": nil},
			"has no model_type: want zoo_decoder or zoo_cwrnn or zoo_deltanet or zoo_lstm"},
		"type no string": {map[string]any{"model_type": 3}, `unknown model_type "3"`},
		"other class": {map[string]any{"architectures": []string{"LlamaForCausalLM"}},
			`architectures is ["LlamaForCausalLM"]: for the model that the other keys give it is ["ZooDecoderForCausalLM"]`},
		"untied": {map[string]any{"tie_word_embeddings": false}, "tie_word_embeddings is false"},
		"biases": {map[string]any{"attention_bias": true}, "attention_bias is true"},
		"other end": {map[string]any{"eos_token_id": 2},
			"eos_token_id is 2: for the model that the other keys give it is 1"},
		"word for a number": {map[string]any{"hidden_size": "wide"}, `hidden_size is "wide": want a whole number`},
		"fraction": {map[string]any{"num_hidden_layers": 1.5},
			"num_hidden_layers is 1.5: want a whole number"},
		"huge":     {map[string]any{"hidden_size": 1 << 40}, "d_model 1099511627776: want 1 to"},
		"negative": {map[string]any{"intermediate_size": -1}, "d_ff -1: want 1 to"},
		"heads": {map[string]any{"num_attention_heads": 3, "head_dim": nil},
			"n_heads 3 does not divide d_model 16"},
		"an activation that is not built": {map[string]any{"hidden_act": "mish"},
			`unknown hidden_act "mish"; known: gelu, gelu_pytorch_tanh, relu, relu2, silu`},
		"unknown setting": {map[string]any{"position_embedding_params": map[string]any{"base": 1}}, `"base"`},
		"settings no object": {map[string]any{"position_embedding_params": []int{1}},
			"encoding rope: settings [1]"},
		"vocabulary too small": {map[string]any{"vocab_size": 7}, "vocab_size is 7: tokenizer.json has 8 pieces"},
		"provenance of a path": {map[string]any{"zoo_provenance": map[string]any{"task": "../../x"}},
			"zoo_provenance: "},
		"provenance no object": {map[string]any{"zoo_provenance": 7}, "zoo_provenance: "},
		"provenance unknown": {map[string]any{"zoo_provenance": map[string]any{"stepps": 1}},
			`unknown field "stepps"`},
		"provenance impossible": {map[string]any{"zoo_provenance": map[string]any{"train_min": 5, "train_max": 2}},
			"trained lengths are 5..2"},
		"provenance negative": {map[string]any{"zoo_provenance": map[string]any{"steps": -1}}, "steps is -1"},
		"Clockwork with nothing": {map[string]any{"model_type": "zoo_cwrnn", "position_embedding_type": nil,
			"position_embedding_params": nil, "architectures": nil}, "tie_word_embeddings is true"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, good)
			edit(t, filepath.Join(dir, "config.json"), tc.change)
			_, err := hf.Read(dir)
			wantError(t, err, tc.want)
			wantError(t, err, filepath.Join(dir, "config.json")+": ")
		})
	}
}

// TestReadForeignConfig reads what the library transformers makes of the file.
func TestReadForeignConfig(t *testing.T) {
	for _, encoding := range []string{"alibi", "cwrnn"} {
		dir := written(t, sample(t, micro(encoding, "modern")))
		edit(t, filepath.Join(dir, "config.json"),
			map[string]any{"model_type": nil, "torch_dtype": nil, "dtype": "float32", "transformers_version": "5",
				"zoo_provenance": nil, "settings": nil, "initialization": nil})
		edit(t, filepath.Join(dir, "tokenizer.json"),
			map[string]any{"padding": map[string]any{"length": 3}, "post_processor": json.RawMessage(
				`{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],"special_tokens":{}}`)})
		m, err := hf.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.Name() != encoding || m.Config.Settings != "modern" || m.Card.Task != "" ||
			len(m.Card.Tokenizer) != len(pieces) {
			t.Errorf("read as %+v, %+v", m.Config, m.Card)
		}
	}
}

func TestReadJSONErrors(t *testing.T) {
	good := written(t, sample(t, micro("nope", "modern")))
	for name, tc := range map[string]struct{ file, text, want string }{
		"config cut":     {"config.json", `{"model_type":`, "unexpected end of JSON"},
		"config a list":  {"config.json", `[]`, "cannot unmarshal array"},
		"config null":    {"config.json", `null`, "has no model_type"},
		"config deep":    {"config.json", strings.Repeat("[", 20000), "exceeded max depth"},
		"config empty":   {"config.json", ``, "unexpected end of JSON"},
		"tokenizer cut":  {"tokenizer.json", `{`, "unexpected end of JSON"},
		"tokenizer null": {"tokenizer.json", `null`, "the model is no vocabulary"},
		"tokenizer scores": {"tokenizer.json", `{"model":{"type":"Unigram","vocab":[["a",-1.5]]}}`,
			"the model is no vocabulary with whole numbers"},
		"tokenizer gap": {"tokenizer.json", `{"model":{"vocab":{"<pad>":0,"</s>":7}}}`,
			`"</s>" has the id 7: want distinct pieces`},
		"tokenizer twice": {"tokenizer.json", `{"model":{"vocab":{"<pad>":0,"</s>":0}}}`, "want distinct pieces"},
		"tokenizer other": {"tokenizer.json", `{"model":{"vocab":{"a":0,"b":1}}}`,
			"the vocabulary is not one of zoo's"},
		"tokenizer rules": {"tokenizer.json", `{"model":{"vocab":{"<pad>":0,"</s>":1}}}`,
			"its pre_tokenizer cuts texts otherwise than zoo does (); to import the model without a tokenizer"},
		"vocab.json": {"vocab.json", `{}`, "only tokenizers in a tokenizer.json are read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, good)
			if tc.file == "vocab.json" {
				if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := hf.Read(dir)
			wantError(t, err, tc.want)
			wantError(t, err, filepath.Join(dir, tc.file)+": ")
		})
	}
}

func TestReadWeightsErrors(t *testing.T) {
	good := written(t, sample(t, micro("nope", "modern")))
	q := "layers.0.attn.q_proj.weight"
	for name, tc := range map[string]struct {
		spoil func(w map[string]*tensor.Tensor)
		want  []string
	}{
		"missing": {func(w map[string]*tensor.Tensor) { delete(w, q) },
			[]string{"lacks the tensor " + q + " of shape [16 16]"}},
		"shape": {func(w map[string]*tensor.Tensor) { w[q] = tensor.New(tensor.Float32, 8, 16) },
			[]string{"tensor " + q + ": has the shape [8 16], config.json wants [16 16]"}},
		"dtype": {func(w map[string]*tensor.Tensor) { w[q] = tensor.New(tensor.Float64, 16, 16) },
			[]string{"tensor " + q + ": is float64: want F32, F16 or BF16"}},
		"extra": {func(w map[string]*tensor.Tensor) { w["lm_head.weight"] = w[q] },
			[]string{`no such tensor: unknown tensor "lm_head.weight"; did you mean "embed.weight"? known: embed.weight, `}},
		"not a number": {func(w map[string]*tensor.Tensor) {
			w["norm.weight"] = tensor.Of(append(make([]float32, 15), float32(math.NaN())), 16)
		}, []string{"tensor norm.weight: element 15 is NaN"}},
		"each of two": {func(w map[string]*tensor.Tensor) {
			w[q], w["norm.weight"] = tensor.New(tensor.Float32, 1), tensor.New(tensor.Int64, 16)
		}, []string{"tensor " + q + ": has the shape [1], ", "tensor norm.weight: is int64"}},
		"all": {func(w map[string]*tensor.Tensor) { clear(w) },
			[]string{"lacks the tensor embed.weight", "and 8 more"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := sample(t, micro("nope", "modern"))
			dir := copied(t, good)
			tc.spoil(m.Weights)
			path := filepath.Join(dir, weightsFile)
			storeWeights(t, path, m.Weights)
			_, err := hf.Read(dir)
			for _, want := range append(tc.want, path+": ") {
				wantError(t, err, want)
			}
		})
	}
}

// TestReadDamagedWeights cuts the file at every place of its header and some of
// its data, and lies about the header's length.
func TestReadDamagedWeights(t *testing.T) {
	dir := written(t, sample(t, micro("nope", "modern")))
	path := filepath.Join(dir, weightsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := hf.Read(dir)
		wantError(t, err, path)
	}
	for n := 0; n < len(whole); n += 1 + n/8 {
		try(whole[:n])
	}
	for _, length := range []uint64{0, 1, uint64(len(whole)), 1 << 30, math.MaxUint64} {
		try(append(binary.LittleEndian.AppendUint64(nil, length), whole[8:]...))
	}
}

// sharded puts a folder's weights into two files, every dtype of storage in one.
func sharded(t *testing.T, m modelfile.Model) (dir string, index map[string]string) {
	t.Helper()
	dir = written(t, m)
	if err := os.Remove(filepath.Join(dir, weightsFile)); err != nil {
		t.Fatal(err)
	}
	parts := map[string]map[string]*tensor.Tensor{"a.safetensors": {}, "b.safetensors": {}}
	index = map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(m.Weights)) {
		file, w := "a.safetensors", m.Weights[name]
		if i%2 == 1 {
			file, w = "b.safetensors", halved(w)
		}
		parts[file][name], index[name] = w, file
	}
	for file, part := range parts {
		storeWeights(t, filepath.Join(dir, file), part)
	}
	store(t, filepath.Join(dir, indexFile),
		map[string]any{"metadata": map[string]any{"total_size": 1}, "weight_map": index})
	return dir, index
}

func halved(t *tensor.Tensor) *tensor.Tensor {
	return t.As(tensor.Float16)
}

func storeWeights(t *testing.T, path string, weights map[string]*tensor.Tensor) {
	t.Helper()
	var b bytes.Buffer
	if err := tensor.WriteSafetensors(&b, weights, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadShards(t *testing.T) {
	m := sample(t, micro("nope", "modern"))
	dir, index := sharded(t, m)
	got, err := hf.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range index {
		for i, v := range tensor.Data[float32](m.Weights[name]) {
			if file == "b.safetensors" {
				rounded := []float32{v}
				tensor.Round(rounded, tensor.Float16)
				v = rounded[0]
			}
			if is := tensor.Data[float32](got.Weights[name])[i]; is != v {
				t.Fatalf("%s[%d] is %v, want %v", name, i, is, v)
			}
		}
	}
}

func TestReadShardErrors(t *testing.T) {
	good, whole := sharded(t, sample(t, micro("nope", "modern")))
	for name, tc := range map[string]struct {
		spoil func(index map[string]string)
		want  string
	}{
		"no files": {func(index map[string]string) { clear(index) }, "has no weight_map, or an empty one"},
		"elsewhere": {func(index map[string]string) { index["norm.weight"] = "../a.safetensors" },
			`the file "../a.safetensors": want the name of a file in the folder`},
		"absolute": {func(index map[string]string) { index["norm.weight"] = "/etc/passwd" }, `"/etc/passwd"`},
		"absent": {func(index map[string]string) { index["norm.weight"] = "0.safetensors" },
			"0.safetensors: no such file"},
		"in another one": {func(index map[string]string) {
			index["norm.weight"] = other(index["norm.weight"])
		}, "lacks the tensor norm.weight, which model.safetensors.index.json says is there"},
		"not named": {func(index map[string]string) { delete(index, "norm.weight") },
			"holds 9 tensors, model.safetensors.index.json names 8 of them"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, index := copied(t, good), maps.Clone(whole)
			tc.spoil(index)
			store(t, filepath.Join(dir, indexFile), map[string]any{"weight_map": index})
			_, err := hf.Read(dir)
			wantError(t, err, tc.want)
		})
	}
	dir := copied(t, good)
	if err := os.WriteFile(filepath.Join(dir, indexFile), []byte(`{"weight_map": {"a": 3}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := hf.Read(dir)
	wantError(t, err, indexFile)
}

func other(file string) string {
	if file == "a.safetensors" {
		return "b.safetensors"
	}
	return "a.safetensors"
}

// TestReadWithoutWeights takes away what a folder must hold, or puts a folder there.
func TestReadWithoutWeights(t *testing.T) {
	for _, tc := range []struct {
		file   string
		folder bool
		want   string
	}{
		{weightsFile, false, "holds neither model.safetensors nor model.safetensors.index.json"},
		{weightsFile, true, "model.safetensors is a folder"},
		{"config.json", false, "config.json: no such file"},
		{"config.json", true, "config.json is a folder"},
	} {
		dir := written(t, sample(t, micro("nope", "modern")))
		path := filepath.Join(dir, tc.file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if tc.folder {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := hf.Read(dir); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s, a folder %v: %v does not contain %q", tc.file, tc.folder, err, tc.want)
		}
	}
}
