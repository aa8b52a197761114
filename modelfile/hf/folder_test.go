package hf_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
)

var pieces = []string{tokenizer.PadPiece, tokenizer.EOSPiece, " ", " [SEP]", "7", " 7", "tree", ":"}

func micro(encoding, settings string) models.Config {
	return models.Config{Settings: settings, Encoding: encoding, DModel: 16, NLayers: 2, NHeads: 2, DFF: 32,
		VocabSize: len(pieces)}
}

// sample is a model with random weights and a full card.
func sample(t *testing.T, c models.Config) modelfile.Model {
	t.Helper()
	m, err := models.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1), Card: provenance()}
}

func provenance() card.Card {
	return card.Card{Tokenizer: pieces, Task: "copy", Trained: card.Lengths{Min: 2, Max: 20}, Seed: math.MaxUint64, DataSeed: 7,
		ConfigHash: "abc", DataHash: "def", Steps: 3000, TrainProvider: "cpu+cuda", FittedStep: new(0), Loss: new(0.1), ToolVersion: "v1.2.3",
		Intervention: "factor=2"}
}

// written is a folder with a model.
func written(t *testing.T, m modelfile.Model) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "some", "model")
	if err := hf.Write(dir, m); err != nil {
		t.Fatal(err)
	}
	return dir
}

var options = cmp.Options{cmp.Comparer(tensor.Equal), cmp.Transformer("JSON", func(raw json.RawMessage) (v any) {
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return err.Error()
		}
	}
	return v
})}

func TestRoundTrip(t *testing.T) {
	set := func(c models.Config, params string) models.Config {
		c.EncodingParams = json.RawMessage(params)
		return c
	}
	wide := micro("nope", "modern")
	wide.DHead, wide.Activation, wide.AttentionScale = 4, "gelu", "none"
	wide.HeadScale, wide.Init, wide.NormEps = "sqrt", "t5", 1e-5
	wide.QKNorm, wide.LogitScale, wide.LogitSlope, wide.TrainedLength = "rms", "log-n", 0.25, 40
	wide.Attention = "differential"
	wide.LogitFactors, wide.AttentionSink = []float64{1.5}, "learned"
	wide.Ablation, wide.AttentionGate = "even:0.1", "element"
	layered := micro("rope/nope", "modern")
	layered.LogitScale, layered.LogitLayers, layered.TrainedLength = "llama-4", "nope", 40
	averaged := micro("nope", "modern")
	averaged.Ablation = "mean:0.1"
	odd := micro("cwrnn", "modern")
	odd.NUnits, odd.NModules, odd.Periods = 12, 3, []int{1, 3, 9}
	cases := map[string]models.Config{
		"other settings": wide, "mean ablation": averaged, "logits of some layers": layered, "clockwork settings": odd,
		"rope settings":       set(micro("rope", "modern"), `{"theta": 500, "layout": "interleaved"}`),
		"t5 settings":         set(micro("t5", "faithful"), `{"buckets": 8, "max_distance": 20}`),
		"txl settings":        set(micro("txl", "faithful"), `{"clamp": 7}`),
		"learned settings":    set(micro("learned", "modern"), `{"max_length": 9}`),
		"by layer":            set(micro("rope/txl", "faithful"), `{"rope": {"theta": 500}}`),
		"sinusoidal settings": set(micro("sinusoidal", "faithful"), `{"amplitude": 0.5}`),
	}
	for _, name := range models.Encodings() {
		for _, settings := range []string{"modern", "faithful", "gpt2"} {
			cases[name+" "+settings] = micro(name, settings)
		}
	}
	for name, cfg := range cases {
		t.Run(name, func(t *testing.T) {
			want := sample(t, cfg)
			dir := written(t, want)
			got, err := hf.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, options); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			described, err := hf.Describe(dir)
			if got.Weights = nil; err != nil || cmp.Diff(got, described, options) != "" {
				t.Errorf("Describe gives %v, %v", described, err)
			}
			// Again, over what is there: the same bytes.
			before := contents(t, dir)
			if err := hf.Write(dir, want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("written again it differs:\n%s", diff)
			}
			if rest, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(rest) != 1 {
				t.Errorf("beside the folder there are %v, %v", rest, err)
			}
		})
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// TestCardCarried fails when a card gets a field of which nobody has decided
// whether a folder carries it.
func TestCardCarried(t *testing.T) {
	follows := []string{"Architecture", "Encoding", "EncodingParams", "Positions", "Config", "MaxLength", "Profile",
		"State", "Parity", "Parameters", "WeightsSHA256", "Checks",
		"DType", "Difference", "Form", // of a file: a folder is float32, and of steps
		"Pretrained"} // of a model with a tokenizer of its own: TestImport
	m := sample(t, micro("nope", "modern"))
	got, err := hf.Read(written(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[card.Card]()) {
		if slices.Contains(follows, f.Name) {
			continue
		}
		if v := reflect.ValueOf(got.Card).Field(i); v.IsZero() ||
			!reflect.DeepEqual(v.Interface(), reflect.ValueOf(m.Card).Field(i).Interface()) {
			t.Errorf("%s is %v: carry it, or say here that it follows from the model", f.Name, v)
		}
	}
}

// TestConfigFile holds the file: other programs read it.
func TestConfigFile(t *testing.T) {
	want := `{
  "architectures": [
    "ZooDecoderForCausalLM"
  ],
  "attention_bias": false,
  "attention_scale": "none",
  "bos_token_id": null,
  "eos_token_id": 1,
  "head_dim": 8,
  "head_scale": "sqrt",
  "hidden_act": "relu",
  "hidden_size": 16,
  "initialization": "t5",
  "intermediate_size": 32,
  "max_position_embeddings": 2048,
  "mlp_bias": false,
  "model_type": "zoo_decoder",
  "num_attention_heads": 2,
  "num_hidden_layers": 2,
  "pad_token_id": 0,
  "position_embedding_params": {
    "init_std": 1,
    "max_length": 2048
  },
  "position_embedding_type": "learned",
  "rms_norm_eps": 0.000001,
  "settings": "faithful",
  "tie_word_embeddings": true,
  "torch_dtype": "float32",
  "vocab_size": 8,
  "zoo_provenance": {
    "task": "copy",
    "train_min": 2,
    "train_max": 20,
    "seed": 18446744073709551615,
    "data_seed": 7,
    "steps": 3000,
    "train_provider": "cpu+cuda",
    "fitted_step": 0,
    "loss": 0.1,
    "config_hash": "abc",
    "data_hash": "def",
    "tool_version": "v1.2.3",
    "intervention": "factor=2"
  }
}
`
	got := contents(t, written(t, sample(t, micro("learned", "faithful"))))["config.json"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	m := sample(t, micro("nope", "modern"))
	inf := tensor.Of(append([]float32{float32(math.Inf(1))}, make([]float32, 15)...), 16)
	for name, tc := range map[string]struct {
		spoil func(m *modelfile.Model)
		want  string
	}{
		"a weight missing": {func(m *modelfile.Model) { delete(m.Weights, "norm.weight") }, "norm.weight"},
		"a weight too many": {func(m *modelfile.Model) { m.Weights["more"] = tensor.Of([]float32{1}) },
			"19 weights for the model's 18"},
		"another shape": {func(m *modelfile.Model) { m.Weights["norm.weight"] = tensor.New(tensor.Float32, 3) },
			"norm.weight"},
		"not a number": {func(m *modelfile.Model) { m.Weights["norm.weight"] = inf },
			"norm.weight: element 0 is +Inf"},
		"an unknown task":    {func(m *modelfile.Model) { m.Card.Task = "../copy" }, "../copy"},
		"lengths backwards":  {func(m *modelfile.Model) { m.Card.Trained.Max = 1 }, "trained lengths are 2..1"},
		"a broken tokenizer": {func(m *modelfile.Model) { m.Card.Tokenizer = []string{"a"} }, "a vocabulary starts with"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := m
			bad.Weights = map[string]*tensor.Tensor{}
			for k, v := range m.Weights {
				bad.Weights[k] = v
			}
			tc.spoil(&bad)
			dir := filepath.Join(t.TempDir(), "x")
			wantError(t, hf.Write(dir, bad), tc.want)
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestWriteLosesNothing(t *testing.T) {
	m := sample(t, micro("nope", "modern"))
	for _, foreign := range []string{"config.json", "notes.txt"} { // a run that has just begun; anything else
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, foreign), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		wantError(t, hf.Write(dir, m), foreign+", which would be lost")
	}
	dir := written(t, m)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantError(t, hf.Write(dir, m), "README.md, which would be lost")
	if _, err := hf.Read(dir); err != nil {
		t.Error(err)
	}
	if err := hf.Write(t.TempDir(), m); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
}

// What a killed writer left goes with the next write of the same folder, except the
// folder that it was about to replace. A living one's stays, and so does a link.
func TestWriteClears(t *testing.T) {
	if !files.Works {
		t.Skip("no lock ends with its process here")
	}
	root := t.TempDir()
	dead, living := ".m.12.tmp", ".m.34.tmp"
	others := []string{".m.56.tmp/old", ".m.x.tmp", ".n.12.tmp"}
	for _, path := range append(others, dead+"/new", living) {
		if err := os.MkdirAll(filepath.Join(root, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{dead, ".m.56.tmp", ".m.x.tmp", ".n.12.tmp"} {
		if err := os.WriteFile(filepath.Join(root, name, "lock"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := files.Take(filepath.Join(root, living, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for link, end := range map[string]string{"link": "m", "lost": "nothing"} {
		if err := os.Symlink(end, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	m := sample(t, micro("nope", "modern"))
	for _, name := range []string{"m", "link"} {
		if err := hf.Write(filepath.Join(root, name), m); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, hf.Write(filepath.Join(root, "lost"), m), "lost is a link to nothing, which is not there")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff([]string{living, ".m.56.tmp", ".m.x.tmp", ".n.12.tmp", "link", "lost", "m"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if info, err := os.Lstat(filepath.Join(root, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v (%v)", info, err)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

// A folder says how positions ran in training, where they did not count tokens.
func TestPositions(t *testing.T) {
	m := sample(t, micro("rope", "modern"))
	for given, want := range map[string]string{"": "", card.Contiguous: "", card.Offset: card.Offset} {
		m.Card.Positions = given
		got, err := hf.Describe(written(t, m))
		if err != nil || got.Card.Positions != want {
			t.Errorf("%q: read again as %q (%v)", given, got.Card.Positions, err)
		}
	}
}
