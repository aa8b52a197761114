package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/foreigntest"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/runtime/ort/install"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zoo": main})
}

// library is the ONNX Runtime library that scripts use, nil where there is none.
// With ZOO_REQUIRE_ORT=1 that is a failure.
func library() (string, error) {
	lib, err := ort.Find(engine.CPU, "")
	if err == nil && ort.Loader == "" {
		err = ort.ErrNoCgo
	}
	if err != nil && os.Getenv("ZOO_REQUIRE_ORT") == "1" {
		return "", fmt.Errorf("ZOO_REQUIRE_ORT=1, but: %w", err)
	}
	if err != nil {
		return "", nil
	}
	return lib.Path, nil
}

// libraryOrigin reports whether programs find a library in the system's folders, and
// whether the one at path is the npm package's.
func libraryOrigin(path string) (inSystem, fromNPM bool) {
	if env, ok := os.LookupEnv(ort.EnvLibrary); ok { // it would end the search
		os.Unsetenv(ort.EnvLibrary)
		defer os.Setenv(ort.EnvLibrary, env)
	}
	for _, c := range ort.Candidates(engine.CPU, "") {
		inSystem = inSystem || c.Source == ort.FromSystem && c.Err == nil
	}
	found, err := install.Origin(ort.Library{Path: path})
	return inSystem, err == nil && found.Verified && found.Origin == "npm"
}

// TestScripts runs the program as a user does. Scripts that need ONNX Runtime
// begin with "[!ort] skip".
func TestScripts(t *testing.T) {
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := catalogue.Embedded().List()
	if err != nil {
		t.Fatal(err)
	}
	oldFiles, err := filepath.Abs("../../modelfile/testdata")
	if err != nil {
		t.Fatal(err)
	}
	pretrained, err := filepath.Abs("../../modelfile/hf/testdata/pretrained")
	if err != nil {
		t.Fatal(err)
	}
	inSystem, fromNPM := libraryOrigin(lib)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ZOO_ORT_LIB", lib)
			e.Setenv("OLD_FILES", oldFiles)
			e.Setenv("PRETRAINED", pretrained)
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "ort":
				return lib != "", nil
			case "linked":
				return ort.Loader != "", nil
			case "catalogue":
				return len(catalogue) > 0, nil
			case "system-ort":
				return inSystem, nil
			case "npm-ort":
				return fromNPM, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": await, "truncate": truncate, "misshape": misshape, "random-model": randomModel,
			"foreign-folder": foreignFolder, "foreign-model": foreignModel,
			"request": request, "same-text": sameText,
		},
	})
}

// await waits until a file has at least so many lines: "await 3 runs/x/metrics.jsonl".
func await(ts *testscript.TestScript, _ bool, args []string) {
	var want int
	_, err := fmt.Sscan(args[0], &want)
	ts.Check(err)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[1]))
		if err == nil && strings.Count(string(data), "\n") >= want {
			return
		}
	}
	ts.Fatalf("%s never had %d lines", args[1], want)
}

// truncate copies half of a file: "truncate FROM TO".
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data[:len(data)/2], 0o644))
}

// misshape gives a checkpoint's embedding one row too few: "misshape FILE".
func misshape(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	stored, err := os.ReadFile(path)
	ts.Check(err)
	tensors, meta, err := tensor.ReadSafetensors(bytes.NewReader(stored), int64(len(stored)))
	ts.Check(err)
	w := tensors["embed.weight"]
	rows, width := w.Shape()[0]-1, w.Shape()[1]
	tensors["embed.weight"] = tensor.Of(tensor.Data[float32](w)[:rows*width], rows, width)
	storeTensors(ts, path, tensors, meta)
}

// storeTensors writes a safetensors file.
func storeTensors(ts *testscript.TestScript, path string, tensors map[string]*tensor.Tensor, meta map[string]string) {
	var data bytes.Buffer
	ts.Check(tensor.WriteSafetensors(&data, tensors, meta))
	ts.Check(os.WriteFile(path, data.Bytes(), 0o644))
}

// randomModel writes the file of a small untrained model: "random-model ENCODING FILE".
func randomModel(ts *testscript.TestScript, _ bool, args []string) {
	data, err := untrained(args[0], 1)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// foreignFolder writes a small untrained model as another program might: 16 bits,
// two shards, no card, no tokenizer: "foreign-folder ENCODING DIR".
func foreignFolder(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o755))
	m, err := models.New(models.Config{Encoding: args[0], DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	ts.Check(err)
	shards := []map[string]*tensor.Tensor{{}, {}}
	files := map[string]string{}
	for i, p := range m.Params() {
		shards[i%2][p.Name] = models.InitWeights([]pe.Param{p}, 1)[p.Name].As(tensor.Float16)
		files[p.Name] = fmt.Sprintf("model-%05d-of-00002.safetensors", i%2+1)
	}
	for i, s := range shards {
		storeTensors(ts, filepath.Join(dir, fmt.Sprintf("model-%05d-of-00002.safetensors", i+1)), s, nil)
	}
	index, err := json.Marshal(map[string]any{"weight_map": files})
	ts.Check(err)
	config := fmt.Sprintf(`{"model_type": "zoo_decoder", "position_embedding_type": %q, "hidden_size": 16, "num_hidden_layers": 1,
		"num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 9, "torch_dtype": "float16", "transformers_version": "5"}`, args[0])
	ts.Check(errors.Join(
		os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), index, 0o644),
		os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644)))
}

// request asks the service that has written where it is into a file, with a key, and writes the answer into
// another; with "!" the answer must be an error: "request SERVING METHOD PATH KEY BODY FILE".
func request(ts *testscript.TestScript, neg bool, args []string) {
	serving, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	_, base, ok := strings.Cut(strings.TrimSpace(string(serving)), " at ")
	if !ok {
		ts.Fatalf("%s says %q", args[0], serving)
	}
	r, err := http.NewRequest(args[1], strings.TrimSuffix(base, "/v1")+args[2], strings.NewReader(args[4]))
	ts.Check(err)
	r.Header.Set("Authorization", "Bearer "+args[3])
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[5]), text, 0o600))
	if neg != (answer.StatusCode >= http.StatusBadRequest) {
		ts.Fatalf("status %s: %s", answer.Status, text)
	}
}

// sameText wants a line of text, and a completion that has it: "same-text TEXT COMPLETION".
func sameText(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	var c struct{ Choices []struct{ Text string } }
	ts.Check(json.Unmarshal(data, &c))
	if want := strings.TrimSuffix(string(text), "\n"); len(c.Choices) != 1 || c.Choices[0].Text != want {
		ts.Fatalf("%s has %+v, want %q", args[1], c.Choices, want)
	}
}

func TestExitCodes(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	data, err := untrained("nope", 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		ctx    context.Context
		args   string
		code   int
		stderr string
	}{
		{"success", t.Context(), "list tasks", 0, ""},
		{"failure", t.Context(), "list tsaks", exitFailure, "zoo: unknown list \"tsaks\"; did you mean \"tasks\"? " +
			"known: encodings, tasks, presets, models, runs\n"},
		{"interrupt", cancelled, "generate --provider go " + file, exitInterrupted, "zoo: interrupted\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stderr strings.Builder
			if code := run(test.ctx, strings.Fields(test.args), nil, io.Discard, &stderr); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.HasSuffix(stderr.String(), test.stderr) || test.stderr == "" && stderr.Len() > 0 {
				t.Errorf("standard error %q, want %q", &stderr, test.stderr)
			}
		})
	}
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestResultsThatCannotBeWritten(t *testing.T) {
	for _, args := range []string{"list", "list tasks --json", "--help", "doctor --json"} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(args), nil, full{}, &stderr); code == 0 ||
			!strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d, standard error %q", args, code, &stderr)
		}
	}
}

// untrained returns the file of a small model with random weights that claims
// to have learnt copy up to length 2.
func untrained(encoding string, seed uint64) ([]byte, error) {
	return untrainedProfile(encoding, seed, card.Portable)
}

func untrainedProfile(encoding string, seed uint64, profile string) ([]byte, error) {
	t, err := task.Lookup("copy")
	if err != nil {
		return nil, err
	}
	words := tasktest.Vocabulary(t)
	cfg := models.Config{Encoding: encoding, DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}
	m, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	c := card.Card{Tokenizer: words, Task: t.Name, Trained: card.Lengths{Min: 1, Max: 2}}
	return modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), seed), Card: c}.ONNX(profile)
}

// foreignModel writes a folder as other programs export decoders: "foreign-model FOLDER". "foreign-model FOLDER
// windowed" has a layer that sees a window, and "foreign-model FOLDER unwindowed" lacks that layer's window.
func foreignModel(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if len(args) > 1 {
		ts.Check(os.CopyFS(dir, foreigntest.Windowed()))
		if args[1] == "unwindowed" {
			data, _, err := safety.ReadFS(foreigntest.Windowed(), "model.onnx")
			ts.Check(err)
			data, err = foreigntest.Unwindowed(data)
			ts.Check(err)
			ts.Check(os.WriteFile(filepath.Join(dir, "model.onnx"), data, 0o644))
		}
		return
	}
	data, err := onnxpb.Marshal(foreigntest.Decoder{}.Filled(1).Proto())
	ts.Check(err)
	var vocab []string
	for id := range 23 {
		vocab = append(vocab, fmt.Sprintf(`"w%d": %d`, id, id))
	}
	ts.Check(os.MkdirAll(filepath.Join(dir, "onnx"), 0o755))
	for name, contents := range map[string]string{
		"onnx/model.onnx":        string(data),
		"config.json":            `{"model_type": "tiny", "n_positions": 40, "eos_token_id": 0}`,
		"generation_config.json": `{"eos_token_id": [0, 22]}`,
		"tokenizer.json": `{"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": {"type": "WordLevel", "vocab": {` +
			strings.Join(vocab, ", ") + `}}}`,
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(contents), 0o644))
	}
}
