package chat

import (
	"encoding/json"
	"strings"
	"testing"
)

const marked = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}" +
	"{% if add_generation_prompt %}<assistant>{% endif %}{% if think is defined %}{{ think }}{% endif %}{% if messages[0].role == 'bad' %}{{ raise_exception('no such role') }}{% endif %}"

func TestRender(t *testing.T) {
	render, err := New(marked, "[", "]")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ messages, more, want string }{
		{`[{"role": "user", "content": "Hi"}]`, `{}`, "[<user>Hi]<assistant>"},
		{`[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]`, `{}`, "[<user>a\nb]<assistant>"},
		{`[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": null}]`, `{"think": false}`, "[<user>Hi]<assistant>None]<assistant>False"},
	} {
		var more map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.more), &more); err != nil {
			t.Fatal(err)
		}
		if got, err := render(t.Context(), json.RawMessage(tt.messages), more); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.messages, got, err, tt.want)
		}
	}
	for messages, want := range map[string]string{
		`[]`: "there is no message", `{}`: "want a list", ``: "want a list", `[5]`: "message 0 is no object", `[{"content": "a"}]`: "message 0 has no role",
		`[{"role": 5}]`: "message 0 has no role", `[{"role": "user", "content": [{"type": "image_url"}]}]`: `part of type "image_url"`,
		`[{"role": "user", "content": [5]}]`: "content: want a text", `[{"role": "bad"}]`: "the chat template refuses the messages: no such role",
		`[{"role": "user", "content": ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}]`: "message 0",
	} {
		if got, err := render(t.Context(), json.RawMessage(messages), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %q, %v; want %q", messages, got, err, want)
		}
	}
	if _, err := New("{% nosuch %}", "", ""); err == nil || !strings.Contains(err.Error(), `chat template: line 1: the statement "nosuch" is not supported`) {
		t.Errorf("error %v", err)
	}
}
