package hf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
)

// TestReadChat: templates in each of the places and forms that folders have.
func TestReadChat(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  *card.Chat
		err   string
	}{
		"none":       {nil, nil, ""},
		"without":    {map[string]string{tokenizerConfigFile: `{"bos_token": "<s>"}`}, nil, ""},
		"text":       {map[string]string{tokenizerConfigFile: `{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": "a"}`}, &card.Chat{Template: "a", BOS: "<s>", EOS: "</s>"}, ""},
		"named":      {map[string]string{tokenizerConfigFile: `{"chat_template": [{"name": "tool_use", "template": "b"}, {"name": "default", "template": "a"}]}`}, &card.Chat{Template: "a"}, ""},
		"otherwise":  {map[string]string{tokenizerConfigFile: `{"chat_template": [{"name": "tool_use", "template": "b"}]}`}, nil, ""},
		"file":       {map[string]string{tokenizerConfigFile: `{"eos_token": "!", "chat_template": "a"}`, chatFile: "b"}, &card.Chat{Template: "b", EOS: "!"}, ""},
		"file alone": {map[string]string{chatFile: "b"}, &card.Chat{Template: "b"}, ""},
		"number":     {map[string]string{tokenizerConfigFile: `{"chat_template": 5}`}, nil, "chat_template is 5: want a text"},
		"no JSON":    {map[string]string{tokenizerConfigFile: `{`}, nil, tokenizerConfigFile},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := readChat(dir)
		switch {
		case (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err):
			t.Errorf("%s: error %v, want %q", name, err, tt.err)
		case (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want:
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
