package zoo_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// What examples/embed is at most, stripped, with the engine in pure Go and a model of 0.7 MB.
const mostEmbedBytes = 6_500_000

const embedPrompt = "Copy: 7 tree B [SEP] "

// buildEmbed builds examples/embed and returns the program.
func buildEmbed(t testing.TB, args ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "embed.exe")
	goCommand(t, filepath.Join("examples", "embed"), append(append([]string{"build"}, args...), "-o", program, ".")...)
	return program
}

// packagesOfEmbed lists the packages outside the standard library that examples/embed has.
func packagesOfEmbed(t testing.TB, args ...string) []string {
	t.Helper()
	return strings.Fields(goCommand(t, filepath.Join("examples", "embed"), append(append([]string{"list", "-deps"}, args...),
		"-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")...))
}

// TestEmbedProgram: examples/embed answers with the model that is part of it, in pure Go: prompts
// that it is given, and those that it reads, whatever stands between them.
func TestEmbedProgram(t *testing.T) {
	program := buildEmbed(t, "-ldflags=-s -w")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d packages, %d bytes", len(packagesOfEmbed(t)), info.Size())
	if info.Size() > mostEmbedBytes {
		t.Errorf("it has %d bytes, expected at most %d", info.Size(), mostEmbedBytes)
	}
	t.Run("answers", func(t *testing.T) { embedAnswers(t, program) })
	t.Run("costs", func(t *testing.T) { embedCosts(t, program) })
	t.Run("interrupted", func(t *testing.T) { embedInterrupted(t, program) })
}

func embedAnswers(t *testing.T, program string) {
	for _, c := range []struct {
		args               []string
		in, out, complaint string
	}{
		{args: []string{embedPrompt, "Copy: A 5 [SEP]"}, out: "7 tree B\n A 5\n"},
		{in: embedPrompt + "\nhello\nCopy: A 5 [SEP] \n", out: "7 tree B\n\nA 5\n", complaint: `unknown piece "hello"`},
		{args: []string{"-n=1", embedPrompt}, out: "7\n"},
	} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(program, c.args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.in), &stdout, &stderr
		if err := cmd.Run(); err != nil || stdout.String() != c.out || !strings.Contains(stderr.String(), c.complaint) ||
			c.complaint == "" && stderr.Len() > 0 {
			t.Errorf("%q, %q: it answered %q, %q, %v", c.args, c.in, stdout.String(), stderr.String(), err)
		}
	}
}

// Of the fixtures' vocabulary token i is a letter of its own.
const embedLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"

// embedAsTransformers wants a program to answer with a model as transformers does with a fixture.
func embedAsTransformers(t *testing.T, program, model, fixture string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixture, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Greedy struct {
			Inputs [][]int `json:"input_ids"`
			Tokens [][]int
		}
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	text := func(ids []int) (s string) {
		for _, id := range ids {
			s += embedLetters[id : id+1]
		}
		return s
	}
	prompt, answer := text(want.Greedy.Inputs[0]), text(want.Greedy.Tokens[0])
	out, err := exec.Command(program, "-model="+model, "-n=6", prompt).CombinedOutput()
	if err != nil || string(out) != answer+"\n" {
		t.Errorf("%s: to %s it answers %q, %v; transformers has %s", model, prompt, out, err, answer)
	}
}

// TestEmbedPretrained: with the tag folder, examples/embed answers with a pretrained model's folder and with a GGUF file, as
// transformers does.
func TestEmbedPretrained(t *testing.T) {
	program := buildEmbed(t, "-tags=folder")
	fixtures := filepath.Join("modelfile", "hf", "testdata", "pretrained")
	t.Run("folder", func(t *testing.T) {
		vocabulary := map[string]int{}
		for id, letter := range embedLetters {
			vocabulary[string(letter)] = id
		}
		words, err := json.Marshal(map[string]any{"version": "1.0", "decoder": map[string]any{"type": "Fuse"},
			"model": map[string]any{"type": "BPE", "vocab": vocabulary, "merges": []string{}}})
		dir, fixture := t.TempDir(), filepath.Join(fixtures, "llama")
		if err := errors.Join(err, os.CopyFS(dir, os.DirFS(fixture)), os.WriteFile(filepath.Join(dir, "tokenizer.json"), words, 0o600)); err != nil {
			t.Fatal(err)
		}
		embedAsTransformers(t, program, dir, fixture)
	})
	t.Run("GGUF", func(t *testing.T) {
		file, fixture := filepath.Join(t.TempDir(), "qwen3.gguf"), filepath.Join(fixtures, "qwen3")
		if err := os.WriteFile(file, embedGGUF(t, fixture), 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := zoo.Find(file, zoo.Options{}); err != nil || found.From != "file "+file+" (qwen3)" || found.Label != "qwen3.gguf" {
			t.Errorf("it is %s from %s (%v)", found.Label, found.From, err)
		}
		embedAsTransformers(t, program, file, fixture)
	})
}

// embedGGUF is a fixture of Qwen 3 as a file of llama.cpp's format, with a tokenizer of byte-level BPE.
func embedGGUF(t *testing.T, fixture string) []byte {
	t.Helper()
	m, err := hf.Read(fixture)
	if err != nil {
		t.Fatal(err)
	}
	var head, data bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				v = append(binary.LittleEndian.AppendUint64(nil, uint64(len(s))), s...)
			}
			if err := binary.Write(&head, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	const number, float, word, list = uint32(4), uint32(6), uint32(8), uint32(9)
	c := m.Config
	put([]byte("GGUF"), uint32(3), uint64(len(m.Weights)), uint64(14),
		"general.architecture", word, "qwen3", "qwen3.block_count", number, uint32(c.NLayers), "qwen3.context_length", number, uint32(32),
		"qwen3.embedding_length", number, uint32(c.DModel), "qwen3.feed_forward_length", number, uint32(c.DFF),
		"qwen3.attention.head_count", number, uint32(c.NHeads), "qwen3.attention.head_count_kv", number, uint32(c.NKVHeads),
		"qwen3.attention.key_length", number, uint32(c.DHead), "qwen3.attention.layer_norm_rms_epsilon", float, float32(1e-6),
		"qwen3.rope.freq_base", float, float32(1e6),
		"tokenizer.ggml.model", word, "gpt2", "tokenizer.ggml.pre", word, "default", "tokenizer.ggml.merges", list, word, uint64(0),
		"tokenizer.ggml.tokens", list, word, uint64(len(embedLetters)))
	for _, letter := range embedLetters {
		put(string(letter))
	}
	names := strings.NewReplacer("embed.", "token_embd.", "attn_norm", "attn_norm", "mlp_norm", "ffn_norm", "attn.q_norm", "attn_q_norm",
		"attn.k_norm", "attn_k_norm", "norm.weight", "output_norm.weight", "layers.", "blk.", "attn.q_proj", "attn_q", "attn.k_proj", "attn_k",
		"attn.v_proj", "attn_v", "attn.o_proj", "attn_output", "mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down")
	const alignment = 32
	pad := func(b *bytes.Buffer) { b.Write(make([]byte, (alignment-b.Len()%alignment)%alignment)) }
	for name, w := range m.Weights {
		put(names.Replace(name), uint32(len(w.Shape())))
		for _, d := range slices.Backward(w.Shape()) {
			put(uint64(d))
		}
		put(uint32(0), uint64(data.Len()))
		data.Write(w.Raw())
		pad(&data)
	}
	pad(&head)
	return append(head.Bytes(), data.Bytes()...)
}

func embedCosts(t *testing.T, program string) {
	out, err := exec.Command(program, "-costs", "-n=10").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{costMain, costOpen, costToken, costSpeed, costOpenMemory, costPeakMemory} {
		if _, found := cost(out, line); !found && (goruntime.GOOS == "linux" || !strings.Contains(line, "memory")) {
			t.Errorf("no %q in:\n%s", line, out)
		}
	}
}

// embedInterrupted: Ctrl-C ends an answer that would take hours, and the program goes on with
// the next prompt.
func embedInterrupted(t *testing.T, program string) {
	if goruntime.GOOS == "windows" {
		t.Skip("there is no signal to send")
	}
	path := filepath.Join(t.TempDir(), "talks.onnx")
	writeRandom(t, path, models.Config{DModel: 16, NLayers: 1, NHeads: 2, DFF: 32})
	cmd := exec.Command(program, "-n=1000000000", "-model="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // nothing, unless the test ends early
	for range 2 {
		if _, err := in.Write([]byte(embedPrompt + "\n")); err != nil {
			t.Fatal(err)
		}
		piece := make([]byte, 1)
		if _, err := out.Read(piece); err != nil { // the answer has begun
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for piece[0] != '\n' {
			if _, err := out.Read(piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || strings.Count(complaint.String(), "context canceled") != 2 {
		t.Errorf("it ended with %v and said %q", err, complaint.String())
	}
}

// The lines that examples/embed -costs prints.
const (
	costMain       = "from start to main"
	costOpen       = "to the open model"
	costToken      = "to the first token"
	costSpeed      = "speed after it"
	costOpenMemory = "peak memory, model open"
	costPeakMemory = "peak memory, answered"
)

// cost returns the number of a line that examples/embed -costs printed.
func cost(out []byte, line string) (number float64, found bool) {
	_, rest, _ := bytes.Cut(out, []byte(line+": "))
	_, err := fmt.Sscan(string(rest), &number)
	return number, err == nil
}

// writeRandom writes a model of random weights with the vocabulary of copy-rope, and rope.
func writeRandom(t testing.TB, path string, config models.Config) {
	t.Helper()
	words, err := catalogue.Embedded().Manifest("copy-rope")
	if err != nil {
		t.Fatal(err)
	}
	config.Encoding, config.VocabSize = "rope", len(words.Card.Tokenizer)
	m, err := models.New(config)
	if err != nil {
		t.Fatal(err)
	}
	made := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1),
		Card: card.Card{Tokenizer: words.Card.Tokenizer}}
	file, err := made.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}
