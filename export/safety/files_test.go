package safety_test

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

func pair(key, value string) *onnxpb.StringStringEntryProto {
	return &onnxpb.StringStringEntryProto{Key: key, Value: value}
}

// outside is the plain model, whose weight 2 is in another file from byte 4 on.
func outside(entries ...*onnxpb.StringStringEntryProto) *modelProto {
	m := plain()
	w := m.Graph.Initializer[0]
	w.FloatData, w.DataLocation, w.ExternalData = nil, 1, entries
	return m
}

func TestReadFile(t *testing.T) {
	data := []byte{9, 9, 9, 9, 0, 0, 0, 64, 9}
	elsewhere := t.TempDir()
	// The working directory is not the model's folder.
	t.Chdir(elsewhere)
	if err := os.WriteFile("w.bin", data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string // "" passes
		entries    []*onnxpb.StringStringEntryProto
	}{
		{"in the folder", "", []*onnxpb.StringStringEntryProto{
			pair("location", "w.data"), pair("offset", "4"), pair("length", "4"), pair("checksum", "x"),
		}},
		{"below it", "", []*onnxpb.StringStringEntryProto{pair("location", "sub/w.data"), pair("offset", "4")}},
		{"by a link within it", "", []*onnxpb.StringStringEntryProto{pair("location", "inner"), pair("offset", "4")}},
		{"in the working directory", "no such file",
			[]*onnxpb.StringStringEntryProto{pair("location", "w.bin"), pair("offset", "4")}},
		{"absolute", `"` + filepath.Join(elsewhere, "w.bin") + `" is not within the model's folder`,
			[]*onnxpb.StringStringEntryProto{pair("location", filepath.Join(elsewhere, "w.bin"))}},
		{"above", `"../w.bin" is not within the model's folder`,
			[]*onnxpb.StringStringEntryProto{pair("location", "../w.bin")}},
		{"by a link out of it", "escapes from parent",
			[]*onnxpb.StringStringEntryProto{pair("location", "out"), pair("offset", "4")}},
		{"a folder", "is a folder", []*onnxpb.StringStringEntryProto{pair("location", "sub")}},
		{"past the end", "has 9 bytes, and 4 from byte 6 on are wanted",
			[]*onnxpb.StringStringEntryProto{pair("location", "w.data"), pair("offset", "6")}},
		{"far past the end", "and 4 from byte 9223372036854775807 on are wanted",
			[]*onnxpb.StringStringEntryProto{pair("location", "w.data"), pair("offset", "9223372036854775807")}},
		{"before the start", `"offset" is "-4", which is not supported`,
			[]*onnxpb.StringStringEntryProto{pair("location", "w.data"), pair("offset", "-4")}},
		{"another length", `length is "8", and type and shape take 4 bytes`,
			[]*onnxpb.StringStringEntryProto{pair("location", "w.data"), pair("length", "8")}},
		{"unknown key", `"basepath" is "/", which is not supported`,
			[]*onnxpb.StringStringEntryProto{pair("location", "w.data"), pair("basepath", "/")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m.onnx")
			for _, err := range []error{
				os.Mkdir(filepath.Join(dir, "sub"), 0o700),
				os.WriteFile(filepath.Join(dir, "w.data"), data, 0o600),
				os.WriteFile(filepath.Join(dir, "sub", "w.data"), data, 0o600),
				os.Symlink(filepath.Join("sub", "w.data"), filepath.Join(dir, "inner")),
				os.Symlink(filepath.Join(elsewhere, "w.bin"), filepath.Join(dir, "out")),
				os.WriteFile(path, marshal(t, outside(tc.entries...)), 0o600),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			got, _, err := safety.ReadFile(path, "")
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), path+": ") {
					t.Errorf("error %v, want %s: … %q", err, path, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var whole modelProto
			if err := onnxpb.Unmarshal(got, &whole, true); err != nil {
				t.Fatal(err)
			}
			if w := whole.Graph.Initializer[0]; !bytes.Equal(w.RawData, data[4:8]) || w.DataLocation != 0 ||
				len(w.ExternalData) > 0 {
				t.Errorf("the weight is %v", w)
			}
			if _, err := safety.Check(got, safety.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Data that many tensors share could make a model of any size: what they claim
// together is bounded before memory is taken, and so is what each claims of a file.
func TestReadFileBounded(t *testing.T) {
	for _, tc := range []struct {
		elements int64 // of the second weight; the first takes the whole file
		want     string
	}{
		{1 << 28, "has 100 bytes, and 1073741824 from byte 0 on are wanted"},
		{1<<29 - 1, "overlap at byte 0"},
	} {
		m := outside(pair("location", "w.data"))
		w := outside(pair("location", "w.data")).Graph.Initializer[0]
		m.Graph.Initializer[0].Dims[0], w.Name, w.Dims[0] = 25, "w2", tc.elements
		m.Graph.Initializer = append(m.Graph.Initializer, w)
		path := filepath.Join(t.TempDir(), "m.onnx")
		if err := os.WriteFile(path, marshal(t, m), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "w.data"), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := safety.ReadFile(path, ""); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

func TestReadFS(t *testing.T) {
	fsys := fstest.MapFS{
		"a/m.onnx": {Data: marshal(t, outside(pair("location", "w.data")))},
		"a/w.data": {Data: []byte{0, 0, 0, 64}},
		"w.data":   {Data: []byte{0, 0, 0, 65}},
	}
	got, _, err := safety.ReadFS(fsys, "a/m.onnx")
	if err != nil || !bytes.Contains(got, fsys["a/w.data"].Data) {
		t.Errorf("got %x, %v", got, err)
	}
	if _, _, err := safety.ReadFS(fsys, "a"); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// built is a small model of ours.
func built(t *testing.T, encoding string) (models.Model, []byte) {
	t.Helper()
	m, err := models.New(models.Config{Encoding: encoding, DModel: 8, NLayers: 1, NHeads: 2, DFF: 16, VocabSize: 12})
	if err != nil {
		t.Fatal(err)
	}
	data, err := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1)}.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	return m, data
}

func parse(t *testing.T, data []byte) *modelProto {
	t.Helper()
	m := &modelProto{}
	if err := onnxpb.Unmarshal(data, m, true); err != nil {
		t.Fatal(err)
	}
	return m
}

// moveOut puts the weights of a file into another, and returns the two.
func moveOut(t *testing.T, data []byte) (model, weights []byte) {
	t.Helper()
	m := parse(t, data)
	for _, w := range m.Graph.Initializer {
		if w.DataType == 1 && len(w.RawData) > 64 {
			w.DataLocation, w.ExternalData = 1, []*onnxpb.StringStringEntryProto{
				pair("location", "w.data"), pair("offset", strconv.Itoa(len(weights))),
			}
			weights = append(weights, w.RawData...)
			w.RawData = nil
		}
	}
	return marshal(t, m), weights
}

// A model opens with its data next to it, and what is in memory stays when the
// data is changed afterwards; from bytes it does not open.
func TestOpenExternal(t *testing.T) {
	orttest.Require(t)
	_, whole := built(t, "nope")
	model, weights := moveOut(t, whole)
	path := filepath.Join(t.TempDir(), "m.onnx")
	aside := filepath.Join(filepath.Dir(path), "w.data")
	for _, provider := range []string{"cpu", "go"} {
		t.Run(provider, func(t *testing.T) {
			if err := os.WriteFile(path, model, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(aside, weights, 0o600); err != nil {
				t.Fatal(err)
			}
			opt := runtime.Options{Provider: provider}
			s, err := runtime.Open(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := runtime.OpenBytes(model, opt); err == nil ||
				!strings.Contains(err.Error(), "its data is in another file") {
				t.Errorf("from bytes: %v", err)
			}
			before, _, err := safety.ReadFile(path, "")
			if err != nil {
				t.Fatal(err)
			}
			changed := bytes.Clone(weights)
			changed[5] ^= 1
			if err := os.WriteFile(aside, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			after, _, err := safety.ReadFile(path, "")
			if err != nil || bytes.Equal(before, after) {
				t.Errorf("the model is the same bytes after its data has changed; error %v", err)
			}
		})
	}
}

// Nothing reaches ONNX Runtime that was not validated.
func TestOpenRefuses(t *testing.T) {
	orttest.Require(t)
	_, good := built(t, "nope")
	endless := parse(t, good)
	n, constants := loop("", scalar("m", 7, 1<<62), "norm.weight", "looped")
	endless.Graph.Node = append(endless.Graph.Node, n)
	endless.Graph.Initializer = append(endless.Graph.Initializer, constants...)
	domain := parse(t, good)
	domain.Graph.Node[0].Domain = "com.microsoft"
	negative := parse(t, good)
	axis := negative.Graph.Input[0].Type.TensorType.Shape.Dim[0]
	*axis = onnxpb.Dimension{DimValue: new(int64(-1))}
	huge := parse(t, good)
	huge.Graph.Initializer[0].Dims = []int64{1 << 51}
	for _, tc := range []struct {
		name, want string
		opt        runtime.Options
		model      *modelProto
	}{
		{"loop", "its subgraphs are not allowed", runtime.Options{}, endless},
		{"loop, with control flow", "it takes 4611686018427387904 turns", runtime.Options{AllowControlFlow: true},
			endless},
		{"domain", `operator domain "com.microsoft"`, runtime.Options{AllowDomains: list("other")}, domain},
		{"negative", "axis 0 has the length -1", runtime.Options{}, negative},
		{"huge", "axis 0 has the length 2251799813685248", runtime.Options{}, huge},
	} {
		for _, provider := range []string{"cpu", "go"} {
			opt := tc.opt
			opt.Provider = provider
			s, err := runtime.OpenBytes(marshal(t, tc.model), opt)
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: error %v, want %q", tc.name, provider, err, tc.want)
			}
		}
	}
}

// sequence is a recurrent model within a Scan over whole sequences, which older versions wrote.
//
//go:embed testdata/sequence.onnx
var sequence []byte

// A recurrent model within a Scan passes because it is what its card declares, and not when it is
// something else.
func TestDeclaredScan(t *testing.T) {
	f, err := safety.Check(sequence, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := export.Read(f); err == nil || !strings.Contains(err.Error(), "has a graph within it") {
		t.Errorf("the flat reader: %v", err)
	}
	orttest.Require(t)
	s, err := runtime.OpenBytes(sequence, runtime.Options{Provider: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if logits, err := s.Logits(t.Context(), [][]int64{{1, 2, 3}}); err != nil || len(logits) != 1 || !slices.Equal(logits[0].Shape(), []int{3, 5}) {
		t.Errorf("it gives %v, %v", logits, err)
	}
	body := func(m *modelProto) *graphProto { return m.Graph.Node[0].Attribute[0].G }
	for name, change := range map[string]func(m *modelProto){
		"no card":       func(m *modelProto) { m.MetadataProps = nil },
		"another state": func(m *modelProto) { m.Graph.Input[0].Name, m.Graph.Node[0].Input[0] = "other", "other" },
		"another node": func(m *modelProto) {
			m.Graph.Node = append(m.Graph.Node,
				node("Neg", list("logits"), list("z")))
		},
		"a Loop within it": func(m *modelProto) {
			n, constants := loop("", scalar("m", 7, 3), body(m).Input[0].Name, "looped")
			body(m).Node, body(m).Initializer = append(body(m).Node, n), constants
		},
		"an undefined name": func(m *modelProto) { body(m).Node[0].Input[0] = "nix" },
		"a custom domain":   func(m *modelProto) { body(m).Node[0].Domain = "evil" },
	} {
		x := parse(t, sequence)
		change(x)
		if _, err := safety.Check(marshal(t, x), safety.Options{}); err == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}

// A file of answers passes because its card says that it is one, and its one Loop is bounded.
func TestDeclaredLoop(t *testing.T) {
	for _, encoding := range []string{"nope", "cwrnn"} {
		m, _ := built(t, encoding)
		c := card.Card{Tokenizer: []string{tokenizer.PadPiece, tokenizer.EOSPiece, " a"}}
		data, err := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1), Card: c, Looped: true}.ONNX(card.Portable)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := safety.Check(data, safety.Options{}); err != nil {
			t.Errorf("%s: %v", encoding, err)
		}
		loopOf := func(m *modelProto) *nodeProto {
			return m.Graph.Node[slices.IndexFunc(m.Graph.Node, func(n *nodeProto) bool { return n.OpType == "Loop" })]
		}
		body := func(m *modelProto) *graphProto { return loopOf(m).Attribute[0].G }
		for name, tc := range map[string]struct {
			change func(m *modelProto)
			want   string
		}{
			"no card":      {func(m *modelProto) { m.MetadataProps = nil }, "its subgraphs are not allowed"},
			"another form": {func(m *modelProto) { metadata(m, "zoo.form", "") }, "its subgraphs are not allowed"},
			"endless":      {func(m *modelProto) { loopOf(m).Input[0] = "" }, "the number of its turns is no constant"},
			"as it is fed": {func(m *modelProto) { loopOf(m).Input[0] = card.MaxNew.Name }, "the number of its turns is no constant"},
			"another Loop": {func(m *modelProto) {
				n, constants := loop("2", scalar("m", 7, 3), "input_ids", "looped")
				m.Graph.Node, m.Graph.Initializer = append(m.Graph.Node, n), append(m.Graph.Initializer, constants...)
			}, "its subgraphs are not allowed"},
			"a Loop within it": {func(m *modelProto) {
				n, constants := loop("2", scalar("m", 7, 3), body(m).Input[0].Name, "looped")
				body(m).Node, body(m).Initializer = append(body(m).Node, n), constants
			}, "its subgraphs are not allowed"},
			"another weight": {func(m *modelProto) { m.Graph.Initializer[0].RawData[0] ^= 1 }, "the weights are damaged"},
		} {
			x := parse(t, data)
			tc.change(x)
			if _, err := safety.Check(marshal(t, x), safety.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: error %v, want %q", encoding, name, err, tc.want)
			}
		}
	}
}

// metadata sets an entry of a file.
func metadata(m *modelProto, key, value string) {
	for _, p := range m.MetadataProps {
		if p.Key == key {
			p.Value = value
		}
	}
}
