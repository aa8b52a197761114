package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/files"
)

// chatFile has a chat template alone.
const chatFile = "chat_template.jinja"

// readChat returns how conversations are written for the model of a folder; nil where it has no chat template.
// A file of its own wins over tokenizer_config.json, whose template is a text, or a list of which one is "default".
func readChat(dir string) (*card.Chat, error) {
	path := filepath.Join(dir, tokenizerConfigFile)
	var config document
	if err := readJSON(path, &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	chat := &card.Chat{BOS: config.token("bos_token"), EOS: config.token("eos_token")}
	source, err := files.ReadRegular(filepath.Join(dir, chatFile), maxJSON)
	switch {
	case err == nil:
		chat.Template = string(source)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case config.has("chat_template"):
		if chat.Template, err = config.chatTemplate(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if chat.Template == "" {
		return nil, nil
	}
	return chat, nil
}

// chatTemplate is the template that tokenizer_config.json has; "" where a list has no default.
func (d document) chatTemplate() (string, error) {
	const key = "chat_template"
	var one string
	if json.Unmarshal(d[key], &one) == nil {
		return one, nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(d[key], &named); err != nil {
		return "", fmt.Errorf("%s is %s: want a text, or a list of objects with name and template", key, clip(d[key]))
	}
	for _, n := range named {
		if n.Name == "default" {
			return n.Template, nil
		}
	}
	return "", nil
}

// token is the text of a special token: a text, or an object with its content.
func (d document) token(key string) string {
	var object struct{ Content string }
	if json.Unmarshal(d[key], &object.Content) != nil {
		_ = json.Unmarshal(d[key], &object)
	}
	return object.Content
}

// chat is how conversations are written for the model of a GGUF file; nil where it has no chat template.
func (g *ggufReader) chat() *card.Chat {
	chat := &card.Chat{}
	if chat.Template, _ = g.Pairs["tokenizer.chat_template"].(string); chat.Template == "" {
		return nil
	}
	pieces, _ := list[string](g, "tokens")
	text := func(key string) string {
		if id, ok := g.Pairs["tokenizer.ggml."+key].(int64); ok && id >= 0 && id < int64(len(pieces)) {
			return pieces[id]
		}
		return ""
	}
	chat.BOS, chat.EOS = text("bos_token_id"), text("eos_token_id")
	return chat
}
