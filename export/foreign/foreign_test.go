package foreign_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/foreigntest"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
)

func beside(files ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		out[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return out
}

const genaiNames = `{"model": {"type": "named", "context_length": 40, "eos_token_id": [3, 5], "vocab_size": 23, "decoder": {
	"inputs": {"past_key_names": "old_%d_key", "past_value_names": "old_%d_value"},
	"outputs": {"present_key_names": "new_%d_key", "present_value_names": "new_%d_value"}}}}`

// layouts are the kinds of files that open.
var layouts = []struct {
	name   string
	d      foreigntest.Decoder
	beside fs.FS
	worst  float64
}{
	{"optimum", foreigntest.Decoder{}, nil, 5e-5},
	{"optimum without positions", foreigntest.Decoder{NoPositions: true}, nil, 5e-5},
	{"no mask", foreigntest.Decoder{NoMask: true}, nil, 5e-5},
	{"neither", foreigntest.Decoder{NoMask: true, NoPositions: true}, nil, 5e-5},
	{"grouped heads", foreigntest.Decoder{KVHeads: 2}, nil, 5e-5},
	{"one head of keys", foreigntest.Decoder{KVHeads: 1}, nil, 5e-5},
	{"int32", foreigntest.Decoder{Int32: true}, nil, 5e-5},
	{"float16", foreigntest.Decoder{Float16: true}, nil, 6e-2},
	{"logits to keep", foreigntest.Decoder{Keep: "num_logits_to_keep"}, nil, 5e-5},
	{"keys transposed", foreigntest.Decoder{Transposed: true}, nil, 5e-5},
	{"genai", foreigntest.Decoder{Past: "old_%d_%s", Present: "new_%d_%s"}, beside("genai_config.json", genaiNames), 5e-5},
	{"present_key_values", foreigntest.Decoder{Present: "present_key_values.%d.%s"}, nil, 5e-5},
	{"open axes", foreigntest.Decoder{OpenHeads: true, OpenVocab: true},
		beside("config.json", `{"vocab_size": 23, "num_attention_heads": 4, "hidden_size": 12, "model_type": "gpt2"}`), 5e-5},
	{"open axes, grouped", foreigntest.Decoder{OpenHeads: true, OpenVocab: true, KVHeads: 2},
		beside("config.json", `{"vocab_size": 23, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 3}`), 5e-5},
}

// prompts are of different lengths, so that batches of them are padded.
var prompts = [][]int64{{3, 1, 4, 1, 5, 9, 2, 6, 5}, {7}, {8, 9, 7, 9}, {3, 2, 3, 8, 4, 6, 2, 6, 4}, {11, 22}}

// TestLayouts: the logits are a computation's in float64 without caches: of one row and of
// batches with padding, of prompts in one run and in several, and of tokens that are generated.
func TestLayouts(t *testing.T) {
	orttest.Require(t)
	for i, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			d := l.d.Filled(uint64(i))
			for _, chunk := range []int{0, 3} {
				s, err := runtime.OpenBytes(d.File(t), runtime.Options{Provider: "cpu", Threads: 1, ChunkSize: chunk, Beside: l.beside})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if c := s.Info().Card; c.Profile != card.Foreign || len(c.State) != 4 {
					t.Errorf("card %+v", c)
				}
				for _, rows := range [][][]int64{prompts[:1], prompts[1:2], prompts} {
					logits, err := s.Logits(t.Context(), rows)
					if err != nil {
						t.Fatal(err)
					}
					for r, ids := range rows {
						compare(t, logits[r], d.Next(ids), l.worst)
					}
				}
				checkGreedy(t, s, d, l.worst)
			}
		})
	}
}

func compare(t *testing.T, got *tensor.Tensor, want [][]float64, worst float64) {
	t.Helper()
	data := tensor.Data[float32](got)
	for i, row := range want {
		for j, w := range row {
			if g := float64(data[i*len(row)+j]); math.Abs(g-w) > worst*max(1, math.Abs(w)) {
				t.Fatalf("logit %d of token %d is %v, want %v", j, i, g, w)
			}
		}
	}
}

// checkGreedy generates from all prompts at once. Each token must be the most probable one, within the error of
// the logits, after those before it.
func checkGreedy(t *testing.T, s *runtime.Session, d *foreigntest.Decoder, worst float64) {
	t.Helper()
	answers, err := runtime.Tokens(s.Generate(t.Context(), prompts, runtime.GenerateOptions{Limits: []int{12, 3, 9, 12, 6}, Stop: []int64{}}))
	if err != nil {
		t.Fatal(err)
	}
	for i, answer := range answers {
		if want := []int{12, 3, 9, 12, 6}[i]; len(answer) != want {
			t.Fatalf("answer %d has %d tokens, want %d", i, len(answer), want)
		}
		ids := slices.Concat(prompts[i], answer)
		logits := d.Next(ids)
		for k, id := range answer {
			at := logits[len(prompts[i])+k-1]
			if most := slices.Max(at); at[id] < most-2*worst*max(1, math.Abs(most)) {
				t.Errorf("token %d of answer %d has the logit %v, the most is %v", k, i, at[id], most)
			}
		}
	}
}

// TestRefused: what is not of the layout is named, with what can be done.
func TestRefused(t *testing.T) {
	change := func(d foreigntest.Decoder, f func(g *onnxpb.GraphProto)) []byte {
		p := d.Filled(1).Proto()
		f(p.Graph)
		data, err := onnxpb.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	drop := func(prefix string) func(g *onnxpb.GraphProto) {
		return func(g *onnxpb.GraphProto) {
			g.Output = slices.DeleteFunc(g.Output, func(v *onnxpb.ValueInfoProto) bool { return strings.HasPrefix(v.Name, prefix) })
		}
	}
	axis := func(name string, i int, d *onnxpb.Dimension) func(g *onnxpb.GraphProto) {
		return func(g *onnxpb.GraphProto) {
			for _, v := range append(g.Input, g.Output...) {
				if v.Name == name {
					v.Type.TensorType.Shape.Dim[i] = d
				}
			}
		}
	}
	as := func(name string, dtype int32) func(g *onnxpb.GraphProto) {
		return func(g *onnxpb.GraphProto) {
			for _, v := range g.Input {
				if v.Name == name {
					v.Type.TensorType.ElemType = dtype
				}
			}
		}
	}
	fixed := &onnxpb.Dimension{DimValue: new(int64(5))}
	open := &onnxpb.Dimension{}
	heads := &onnxpb.Dimension{DimParam: new("batch_size x num_heads")}
	none := func(*onnxpb.GraphProto) {}
	for _, tc := range []struct {
		name   string
		data   []byte
		beside fs.FS
		want   string
	}{
		{"merged", change(foreigntest.Decoder{Extra: "use_cache_branch"}, none), nil, "input use_cache_branch float32[B,4]: a merged decoder"},
		{"encoder", change(foreigntest.Decoder{Extra: "encoder_hidden_states"}, none), nil, "the decoder of a pair"},
		{"other input", change(foreigntest.Decoder{Extra: "token_type_ids"}, none), nil, "input token_type_ids float32[B,4]: it is neither"},
		{"no presents", change(foreigntest.Decoder{}, drop("present")), nil, "the model has no output present.0.key"},
		{"no pasts", change(foreigntest.Decoder{Past: "x.%d.%s", Present: "present.%d.%s"}, none), nil, "input x.0.key float32[B,4,past_sequence_length,3]: it is neither"},
		{"no logits", change(foreigntest.Decoder{}, drop("logits")), nil, "no output logits"},
		{"heads unknown", change(foreigntest.Decoder{OpenHeads: true}, none), nil, "put the model's config.json, with num_key_value_heads"},
		{"width unknown", change(foreigntest.Decoder{OpenHeads: true}, none), beside("config.json", `{"n_head": 4}`), "with head_dim"},
		{"vocabulary unknown", change(foreigntest.Decoder{OpenVocab: true}, none), nil, "with vocab_size"},
		{"fixed past", change(foreigntest.Decoder{}, axis("past_key_values.0.key", 2, fixed)), nil, "export the model with the past's length as a dynamic axis"},
		{"two open axes", change(foreigntest.Decoder{Transposed: true}, axis("past_key_values.0.key", 1, open)), nil, "and 2 are so"},
		{"fixed batch", change(foreigntest.Decoder{}, axis("past_key_values.1.value", 0, fixed)), nil, "input past_key_values.1.value"},
		{"fixed length", change(foreigntest.Decoder{}, axis("input_ids", 1, fixed)), nil, "fixed length other than 1"},
		{"float64 caches", change(foreigntest.Decoder{}, as("past_key_values.0.key", 11)), nil, "a cache of float64 is not supported"},
		{"float32 ids", change(foreigntest.Decoder{}, as("input_ids", 1)), nil, "input_ids float32[B,sequence_length] has another element type than int64 and int32"},
		{"bool mask", change(foreigntest.Decoder{}, as("attention_mask", 9)), nil, "attention_mask bool[B,total_sequence_length] has another element type than int64 and int32"},
		{"heads in the batch", change(foreigntest.Decoder{}, axis("past_key_values.0.key", 0, heads)), nil, `first axis is "batch_size x num_heads"`},
		{"end token", change(foreigntest.Decoder{}, none), beside("generation_config.json", `{"eos_token_id": [2, 23]}`), "the tokens 0 to 22"},
		{"end token's kind", change(foreigntest.Decoder{}, none), beside("generation_config.json", `{"eos_token_id": "x"}`), "eos_token_id"},
		{"config", change(foreigntest.Decoder{}, none), beside("config.json", `{`), "config.json beside the model file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := safety.Check(tc.data, safety.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = foreign.Describe(m, tc.beside, false); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want it to contain %q", err, tc.want)
			}
			about := strings.Contains(tc.name, "end token") || tc.name == "config" // what is next to the file
			if !about && !errors.Is(err, runtime.ErrNoCard) {
				t.Errorf("%v is not ErrNoCard", err)
			}
		})
	}
	first := change(foreigntest.Decoder{Past: "x.%d.%s", Present: "present.%d.%s"}, func(g *onnxpb.GraphProto) { g.Input = g.Input[:3] })
	if m, err := safety.Check(first, safety.Options{Unvalidated: true}); err != nil {
		t.Error(err)
	} else if _, err := foreign.Describe(m, nil, false); err == nil || !strings.Contains(err.Error(), "decoder_with_past_model.onnx") {
		t.Errorf("without pasts: %v", err)
	}
}

// TestDescribe: what the files next to a model say of it.
func TestDescribe(t *testing.T) {
	m, err := safety.Check((foreigntest.Decoder{}).Filled(1).File(t), safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := `{"model_type": "llama", "max_position_embeddings": 99, "eos_token_id": 4}`
	for _, tc := range []struct {
		files fs.FS
		kind  string
		most  int
		ends  []int64
	}{
		{nil, "foreign", 0, nil},
		{beside("config.json", config), "llama", 99, []int64{4}},
		{beside("config.json", config, "generation_config.json", `{"eos_token_id": [7, 8]}`), "llama", 99, []int64{7, 8}},
		{beside("genai_config.json", genaiNames), "named", 40, []int64{3, 5}},
		{beside("config.json", `{"text_config": {"n_positions": 12}, "eos_token_id": null}`), "foreign", 12, nil},
	} {
		d, err := foreign.Describe(m, tc.files, false)
		if err != nil || d.Card.Architecture != tc.kind || d.Card.MaxLength != tc.most || !slices.Equal(d.Ends, tc.ends) ||
			d.Contract.Unpadded || d.Contract.AtOnce || d.Words != nil || d.NoWords == "" {
			t.Errorf("%v: %+v, %v", tc.files, d, err)
		}
	}
	m.Proto.Graph.Node = append(m.Proto.Graph.Node, &onnxpb.NodeProto{Domain: "com.microsoft", OpType: "GroupQueryAttention"})
	if d, err := foreign.Describe(m, nil, false); err != nil || !d.Contract.Unpadded || !d.Contract.AtOnce {
		t.Errorf("grouped-query attention: %+v, %v", d.Contract, err)
	}
}

// TestFolder: weights in another file, in a folder onnx below what describes the model.
func TestFolder(t *testing.T) {
	orttest.Require(t)
	d := (foreigntest.Decoder{OpenHeads: true}).Filled(1)
	p := d.Proto()
	var weights []byte
	for _, w := range p.Graph.Initializer {
		if len(w.RawData) == 0 {
			continue
		}
		w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: "location", Value: "model.onnx_data"},
			{Key: "offset", Value: fmt.Sprint(len(weights))}, {Key: "length", Value: fmt.Sprint(len(w.RawData))}}
		weights, w.RawData, w.DataLocation = append(weights, w.RawData...), nil, 1
	}
	data, err := onnxpb.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, contents := range map[string][]byte{"onnx/model.onnx": data, "onnx/model.onnx_data": weights,
		"config.json": []byte(`{"n_head": 4, "n_embd": 12}`)} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, contents, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	path, ok := foreign.File(dir)
	if want := filepath.Join(dir, "onnx", "model.onnx"); !ok || path != want {
		t.Fatalf("the folder's file is %q, %v, want %q", path, ok, want)
	}
	s, err := runtime.Open(path, runtime.Options{Provider: "cpu", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logits, err := s.Logits(t.Context(), prompts[:1])
	if err != nil {
		t.Fatal(err)
	}
	compare(t, logits[0], d.Next(prompts[0]), 5e-5)
	if _, err := s.Encode(t.Context(), "x"); !errors.Is(err, runtime.ErrNoTokenizer) || !strings.Contains(err.Error(), "no tokenizer.json") {
		t.Errorf("no tokenizer: %v", err)
	}

	// In a cache of downloads the data is a link out of the folder, which an option lets pass.
	link := filepath.Join(dir, "onnx", "model.onnx_data")
	if err := errors.Join(os.Rename(link, filepath.Join(dir, "blob")), os.Symlink("../blob", link)); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Open(path, runtime.Options{Provider: "cpu", Threads: 1}); err == nil || !strings.Contains(err.Error(), "Options.LinksWithin") {
		t.Errorf("a link out of the folder: %v", err)
	}
	linked, err := runtime.Open(path, runtime.Options{Provider: "cpu", Threads: 1, LinksWithin: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	if logits, err = linked.Logits(t.Context(), prompts[:1]); err != nil {
		t.Fatal(err)
	}
	compare(t, logits[0], d.Next(prompts[0]), 5e-5)
	if _, ok := foreign.File(filepath.Join(dir, "onnx", "none")); ok {
		t.Error("a folder that is not there has a file")
	}
}

// TestDomains: operators of other domains are refused until the domain is allowed, and the error says how.
func TestDomains(t *testing.T) {
	p := (foreigntest.Decoder{}).Filled(1).Proto()
	p.Graph.Node[0].Domain = "com.microsoft"
	data, err := onnxpb.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = runtime.OpenBytes(data, runtime.Options{Provider: "cpu"})
	if !errors.Is(err, safety.ErrNotAllowed) || !strings.Contains(err.Error(), "--allow com.microsoft") {
		t.Errorf("error is %v", err)
	}
}

// TestFewerTokens: a model may have logits beyond the tokens of its tokenizer. Where it chooses such a
// token, that has no text, and the answer goes on.
func TestFewerTokens(t *testing.T) {
	orttest.Require(t)
	const words = `{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}}}`
	s, err := runtime.OpenBytes((foreigntest.Decoder{}).Filled(1).File(t),
		runtime.Options{Provider: "cpu", Threads: 1, Beside: beside("tokenizer.json", words)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{{0}}, runtime.GenerateOptions{MaxNew: 12}))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(ids[0]) < 2 || len(ids[0]) != 12 {
		t.Fatalf("the answer %v has only tokens with a text", ids[0])
	}
	var want []string
	for _, id := range ids[0] {
		if id < 2 {
			want = append(want, []string{"a", "b"}[id])
		}
	}
	got, err := s.Complete(t.Context(), "a", runtime.GenerateOptions{MaxNew: 12})
	if err != nil || strings.TrimSpace(got) != strings.Join(want, " ") {
		t.Errorf("completed to %q, %v, want %q", got, err, want)
	}
	if _, err := s.Decode([]int64{23}); !errors.Is(err, runtime.ErrInput) {
		t.Errorf("a token that the model does not have: %v", err)
	}
}

// FuzzDescribe: no file and no settings next to it make Describe panic.
func FuzzDescribe(f *testing.F) {
	f.Add((foreigntest.Decoder{}).Filled(1).File(f), []byte(genaiNames))
	f.Add((foreigntest.Decoder{OpenHeads: true, OpenVocab: true, Keep: "num_logits_to_keep"}).Filled(1).File(f),
		[]byte(`{"vocab_size": 23, "n_head": 4, "n_embd": 12, "eos_token_id": [1, 2]}`))
	f.Fuzz(func(t *testing.T, model, settings []byte) {
		m, err := safety.Check(model, safety.Options{Unvalidated: true})
		if err != nil {
			return
		}
		for _, name := range []string{"config.json", "genai_config.json", "tokenizer_config.json"} {
			_, _ = foreign.Describe(m, beside(name, string(settings), "tokenizer.json", `{"model":{"type":"WordLevel","vocab":{}}}`), false)
		}
	})
}
