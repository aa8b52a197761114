package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// title is an order to a terminal, of nine bytes.
const title = "\x1b]0;evil\x07"

// Contents of a file are no order to the terminal, in no place where they are printed.
func TestNoOrdersToTheTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1),
		Card: card.Card{Task: title + "\u009b31m", ToolVersion: title}}.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	ports := bytes.ReplaceAll(file, []byte("input_ids"), []byte(title))
	row := `{"schema":1,"model":"\u001b]0;evil\u0007","task":"\u001b[2J","length":3,"na":true,"reason":"\u009b"}` + "\n"
	config := `{"model":{"encoding":"\u001b]0;evil\u0007"},"train":{"task":"\u001b[2J"}}`
	for name, contents := range map[string][]byte{
		"card.onnx": file, "ports.onnx": ports, "rows.jsonl": []byte(row), "broken.jsonl": []byte(row + title),
		"runs/evil/config.json": []byte(config), "runs/evil" + title + "/config.json": []byte(config),
		title + ".yaml": []byte(title + ": 1"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, contents, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"inspect", "card.onnx"}, {"inspect", "card.onnx", "--json"}, {"inspect", "ports.onnx"},
		{"inspect", "ports.onnx", "--graph"},
		{"bench", "card.onnx", "--provider", "go", "--lengths", "2"},
		{"bench", "ports.onnx", "--provider", "go", "--lengths", "2"},
		{"generate", "card.onnx", "--provider", "go"}, {"generate", "ports.onnx", "--provider", "go"},
		{"list", "runs"}, {"list", "runs", "--json"}, {"inspect", "evil"}, {"export", "--run", "runs/evil"},
		{"report", "rows.jsonl", "-o", "page.html"}, {"report", "broken.jsonl", "-o", "page.html"},
		{"train", "--config", title + ".yaml"}, {"train", "--task", title}, {title}, {"inspect", title},
	} {
		var out, notes strings.Builder
		run(context.Background(), args, strings.NewReader(""), &out, &notes)
		text := out.String() + notes.String()
		at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if at >= 0 {
			t.Errorf("zoo %q prints control characters: %q", args, text[max(at-20, 0):min(at+40, len(text))])
		}
		if strings.TrimSpace(text) == "" {
			t.Errorf("zoo %q prints nothing", args)
		}
	}
}
