package hf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
)

// tokenizerFile is what of a tokenizer.json the test reads.
type tokenizerFile struct {
	Added []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Cut *struct {
		Type     string            `json:"type"`
		Behavior string            `json:"behavior"`
		Pattern  map[string]string `json:"pattern"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string         `json:"type"`
		Fallback bool           `json:"byte_fallback"`
		Vocab    map[string]int `json:"vocab"`
	} `json:"model"`
}

// texts are of all tasks, and of what tasks do not have.
func texts(t *testing.T) (all, special []string) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tk := range task.All() {
		special = append(special, tk.Special...)
		for range 5 {
			s, err := tk.Sample(rng, max(2, tk.Train.Min), task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s.Prompt+s.Target, s.Prompt)
		}
	}
	return append(all, "  a  b ", "élan ete\u0301 \u0301x\n\t y  ", "Größe 東京7 [SEP] [SEP]x", " ", ""), special
}

// TestTokenizerFile interprets the file as the library that it is for does: cut
// by the expression, look every part up.
func TestTokenizerFile(t *testing.T) {
	for _, rule := range []string{tokenizer.Words, tokenizer.Characters, tokenizer.Bytes} {
		t.Run(rule, func(t *testing.T) {
			texts, special := texts(t)
			list, err := tokenizer.Vocabulary(rule, special, texts...)
			if err != nil {
				t.Fatal(err)
			}
			tok, err := tokenizer.New(list)
			if err != nil {
				t.Fatal(err)
			}
			c := micro("nope", "modern")
			c.VocabSize = len(list) + 3 // more than there are pieces
			m := sample(t, c)
			m.Card = card.Card{Tokenizer: list}
			dir := written(t, m)
			got, err := hf.Read(dir)
			if err != nil || cmp.Diff(list, got.Card.Tokenizer) != "" {
				t.Fatalf("read back as %q, %v", got.Card.Tokenizer, err)
			}
			var f tokenizerFile
			if err := json.Unmarshal([]byte(contents(t, dir)["tokenizer.json"]), &f); err != nil {
				t.Fatal(err)
			}
			if len(f.Added) != 2 || f.Added[0].Content != list[0] || f.Added[1].Content != list[1] ||
				f.Added[1].ID != 1 {
				t.Errorf("added tokens %+v", f.Added)
			}
			for _, text := range texts {
				want, err := tok.Encode(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, f.encode(t, text)); diff != "" {
					t.Errorf("%q (-tokenizer +file):\n%s", text, diff)
				}
			}
		})
	}
}

func (f tokenizerFile) encode(t *testing.T, text string) (ids []int64) {
	t.Helper()
	if f.Cut == nil {
		if f.Model.Type != "BPE" || !f.Model.Fallback {
			t.Fatalf("the model is %s, and nothing cuts the text", f.Model.Type)
		}
		for _, b := range []byte(text) {
			ids = append(ids, int64(f.Model.Vocab[bytePiece(b)]))
		}
		return ids
	}
	if f.Cut.Type != "Split" || f.Cut.Behavior != "Isolated" || f.Model.Type != "WordLevel" {
		t.Fatalf("cut by %+v, model %s", f.Cut, f.Model.Type)
	}
	for _, part := range regexp.MustCompile(f.Cut.Pattern["Regex"]).FindAllString(text, -1) {
		id, ok := f.Model.Vocab[part]
		if !ok {
			t.Fatalf("%q has no id", part)
		}
		ids = append(ids, int64(id))
	}
	return ids
}

// The library itself gives the same ids, where Python has it: pip install tokenizers.
func TestTokenizerFileInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import tokenizers").Run()
	}
	if err != nil {
		t.Skipf("needs python3 with the package tokenizers: %v", err)
	}
	texts, special := texts(t)
	longer := append([]string{strings.Repeat("the other, then the rather ", 9)}, texts...)
	for _, rule := range []string{tokenizer.Words, tokenizer.Characters, tokenizer.Bytes, "bpe:512"} {
		t.Run(rule, func(t *testing.T) {
			list, err := tokenizer.Vocabulary(rule, special, longer...)
			if err != nil {
				t.Fatal(err)
			}
			file, err := hf.TokenizerFile(list)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), tokenizer.File)
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			asked, err := json.Marshal(texts)
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command(python, "-c", `import json, sys, tokenizers
t = tokenizers.Tokenizer.from_file(sys.argv[1])
ids = [t.encode(x).ids for x in json.load(sys.stdin)]
print(json.dumps([[i, t.decode(i, skip_special_tokens=False)] for i in ids]))`, path)
			c.Stdin, c.Stderr = bytes.NewReader(asked), t.Output()
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			var answers [][2]json.RawMessage
			if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(texts) {
				t.Fatalf("%d answers, %v", len(answers), err)
			}
			tok, err := tokenizer.New(list)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				want, err := tok.Encode(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				got := []int64{}
				var back string
				if err := errors.Join(json.Unmarshal(answers[i][0], &got), json.Unmarshal(answers[i][1], &back)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(want, got) || back != text {
					t.Errorf("%q: %v, in Python %v, of the text %q", text, want, got, back)
				}
			}
		})
	}
}

func bytePiece(b byte) string {
	const hex = "0123456789ABCDEF"
	return "<0x" + string(hex[b>>4]) + string(hex[b&15]) + ">"
}

func TestWithoutTokenizer(t *testing.T) {
	made, err := models.New(models.Config{Encoding: "nope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 8, VocabSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := sample(t, made.Config())
	m.Card.Tokenizer = nil
	dir := written(t, m)
	if files := contents(t, dir); len(files) != 2 {
		t.Errorf("%d files, want config.json and the weights", len(files))
	}
	if got, err := hf.Read(dir); err != nil || got.Card.Tokenizer != nil {
		t.Errorf("read as %v, %v", got.Card.Tokenizer, err)
	}
}
