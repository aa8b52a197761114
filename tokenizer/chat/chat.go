// Package chat makes the text of a conversation, as a model was trained to read it, with the chat template that came
// with the model: the part of Jinja that such templates use.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/tokenizer/chat/internal/jinja"
)

// Limits of one rendering, however a template is written.
const (
	mostSteps  = 16 << 20
	mostOutput = 4 << 20 // bytes
)

// New returns what writes conversations by a chat template, safe for concurrent use. The template comes from a
// stranger: its size, steps and output are bounded. begin and end are the texts of the tokens that begin and end a text,
// in the template bos_token and eos_token.
//
// render writes messages, a JSON list of objects such as {"role": "user", "content": "Hi"}, and the beginning of the
// message that the model is to write. Parts of a content that are texts are joined by newlines. more are further
// variables of the template, in JSON. Errors are of the messages or of the template, or the context's.
func New(source, begin, end string) (
	render func(ctx context.Context, messages json.RawMessage, more map[string]json.RawMessage) (string, error), err error,
) {
	t, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return func(ctx context.Context, messages json.RawMessage, more map[string]json.RawMessage) (string, error) {
		variables := map[string]any{"bos_token": begin, "eos_token": end}
		for name, data := range more {
			v, err := jinja.FromJSON(data)
			if err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			variables[name] = v
		}
		v, err := conversation(messages)
		if err != nil {
			return "", err
		}
		variables["messages"], variables["add_generation_prompt"] = v, true
		text, err := t.Render(ctx, variables, jinja.Limits{Steps: mostSteps, Output: mostOutput})
		var raised *jinja.RaisedError
		switch {
		case errors.As(err, &raised):
			return "", fmt.Errorf("the chat template refuses the messages: %w", err)
		case err != nil && ctx.Err() == nil:
			return "", fmt.Errorf("chat template: %w", err)
		}
		return text, err
	}, nil
}

// conversation checks messages, and joins the parts of their contents.
func conversation(data json.RawMessage) (any, error) {
	var messages []json.RawMessage
	if err := json.Unmarshal(data, &messages); err != nil {
		return nil, errors.New(`want a list of objects, such as [{"role": "user", "content": "Hi"}]`)
	}
	if len(messages) == 0 {
		return nil, errors.New("there is no message")
	}
	out := make([]any, len(messages))
	for i, m := range messages {
		v, err := jinja.FromJSON(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		message, ok := v.(*jinja.Object)
		if !ok {
			return nil, fmt.Errorf("message %d is no object", i)
		}
		if _, ok := message.Get("role").(string); !ok {
			return nil, fmt.Errorf("message %d has no role, such as \"user\"", i)
		}
		if parts, ok := message.Get("content").([]any); ok {
			text, err := joined(parts)
			if err != nil {
				return nil, fmt.Errorf("message %d: %w", i, err)
			}
			message.Set("content", text)
		}
		out[i] = message
	}
	return out, nil
}

// joined returns the texts of the parts of a content, a line each.
func joined(parts []any) (string, error) {
	texts := make([]string, len(parts))
	for i, p := range parts {
		part, ok := p.(*jinja.Object)
		if !ok {
			return "", errors.New(`content: want a text, or a list of parts such as {"type": "text", "text": "Hi"}`)
		}
		if kind, _ := part.Get("type").(string); kind != "text" {
			return "", fmt.Errorf("content has a part of type %.40q: the models read texts alone", kind)
		}
		if texts[i], ok = part.Get("text").(string); !ok && part.Get("text") != nil {
			return "", errors.New("content has a part whose text is no text")
		}
	}
	return strings.Join(texts, "\n"), nil
}
