package serve_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
)

// talker serves the tiny model with a chat template.
func talker(t *testing.T, template string) (*runtime.Session, *httptest.Server) {
	t.Helper()
	data, err := modelOf(&card.Pretrained{Family: "llama", Source: "tiny", SHA256: strings.Repeat("a", 64), Chat: &card.Chat{Template: template, BOS: "["}})
	if err != nil {
		t.Fatal(err)
	}
	s := openBytes(t, data)
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return s, server
}

// chatted is a response to a conversation as a client reads it.
type chatted struct {
	ID, Object string
	Choices    []struct {
		Message, Delta struct{ Role, Content string }
		Reason         *string `json:"finish_reason"`
		LogProbs       *struct {
			Content []struct {
				Token   string
				LogProb float64
				Bytes   []int
				Top     []struct{ Token string } `json:"top_logprobs"`
			}
		}
	}
	Usage *struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	}
	Error *struct{ Message, Param string }
}

// converse posts a conversation, and returns the status and the body.
func converse(t *testing.T, server *httptest.Server, body string) (int, string) {
	t.Helper()
	r, err := http.DefaultClient.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

const turns = "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{{ style }}{% if messages[0].role == 'no' %}{{ raise_exception('not so') }}{% endif %}"

// TestChat: a conversation has the completion of the text that its template makes of it.
func TestChat(t *testing.T) {
	s, server := talker(t, turns)
	const prompt = "[user:a;assistant:b;!"
	ids, err := s.Encode(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	all, err := runtime.Completions(s.Stream(t.Context(), []runtime.Prompt{{IDs: ids}}, runtime.GenerateOptions{MaxNew: 6, LogProbs: true, TopLogProbs: 2}))
	if err != nil {
		t.Fatal(err)
	}
	want := all[0]
	const begin = `{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "text", "text": "b"}]}],
		"chat_template_kwargs": {"style": "!"}, "temperature": 0, "max_completion_tokens": 6, "logprobs": true, "top_logprobs": 2, "response_format": {"type": "text"}`
	status, text := converse(t, server, begin+`}`)
	var got chatted
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	c := got.Choices[0]
	if !strings.HasPrefix(got.ID, "chatcmpl-") || got.Object != "chat.completion" || c.Message.Role != "assistant" || c.Message.Content != want.Text ||
		*c.Reason != "length" || got.Usage.Prompt != len(ids) || got.Usage.Total != len(ids)+6 {
		t.Errorf("%s: want %q of %d tokens", text, want.Text, len(ids))
	}
	for i, l := range c.LogProbs.Content {
		if l.LogProb != want.LogProbs[i].Chosen || len(l.Top) != 2 || bytesOf(l.Bytes) != decoded(t, s, want.Tokens[i]) {
			t.Errorf("token %d: %+v, want %v", i, l, want.LogProbs[i])
		}
	}
	// As a stream, the same; the first part says whose message it is.
	status, text = converse(t, server, begin+`, "stream": true, "stream_options": {"include_usage": true}}`)
	content, n := "", 0
	for data := range events(t, strings.NewReader(text)) {
		if data == "[DONE]" {
			break
		}
		var part chatted
		if err := json.Unmarshal([]byte(data), &part); err != nil || status != http.StatusOK || part.Object != "chat.completion.chunk" {
			t.Fatalf("status %d: %s", status, data)
		}
		for _, c := range part.Choices {
			if (c.Delta.Role == "assistant") != (n == 0) {
				t.Errorf("part %d: %s", n, data)
			}
			content += c.Delta.Content
			n++
		}
	}
	if content != want.Text {
		t.Errorf("as a stream %q, want %q", content, want.Text)
	}
}

func bytesOf(numbers []int) string {
	text := make([]byte, len(numbers))
	for i, n := range numbers {
		text[i] = byte(n)
	}
	return string(text)
}

func decoded(t *testing.T, s *runtime.Session, id int64) string {
	t.Helper()
	text, err := s.Decode([]int64{id})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestChatAddsSpecial: a template's text becomes tokens as it is, with add_special_tokens those of a prompt, which ends
// before a space here.
func TestChatAddsSpecial(t *testing.T) {
	_, server := talker(t, turns)
	used := func(fields string) int {
		const begin = `{"messages": [{"role": "user", "content": "a"}], "max_tokens": 1, "chat_template_kwargs": {"style": " "}`
		status, text := converse(t, server, begin+fields+`}`)
		var got chatted
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK {
			t.Fatalf("status %d: %s", status, text)
		}
		return got.Usage.Prompt
	}
	plain := used("")
	if n := used(`, "add_special_tokens": false`); n != plain {
		t.Errorf("false: %d tokens, want %d", n, plain)
	}
	if n := used(`, "add_special_tokens": true`); n != plain-1 {
		t.Errorf("true: %d tokens, want %d", n, plain-1)
	}
}

// TestChatRefused: what is wrong with a conversation, and models that take none.
func TestChatRefused(t *testing.T) {
	_, server := talker(t, turns)
	_, broken := talker(t, "{% nosuch %}")
	_, _, plain := service(t, serve.Options{}, nil)
	const hi = `"messages": [{"role": "user", "content": "a"}]`
	for _, tt := range []struct {
		server      *httptest.Server
		body, param string
		want        string
	}{
		{server, `{}`, "messages", "want a list of objects"}, {server, `{"messages": []}`, "messages", "there is no message"},
		{server, `{"messages": [{"role": "no"}]}`, "messages", "the chat template refuses the messages: not so"},
		{server, `{"messages": "a"}`, "messages", "want a list of objects"}, {server, `{` + hi + `, "tools": []}`, "tools", `unknown field "tools"`},
		{server, `{` + hi + `, "top_logprobs": 2}`, "top_logprobs", "needs logprobs"}, {server, `{` + hi + `, "logprobs": true, "top_logprobs": 99}`, "top_logprobs", "want 0 to 20"},
		{server, `{` + hi + `, "response_format": {"type": "json_object"}}`, "response_format", "only text is supported"},
		{server, `{` + hi + `, "temperature": 9}`, "temperature", "want 0 to 2"}, {server, `{` + hi + `, "max_tokens": 0}`, "max_tokens", "want 1 or more"},
		{server, `{"messages": [{"role": "user", "content": "` + strings.Repeat("a", 300) + `"}]}`, "max_tokens", "more than the 201"},
		{plain, `{` + hi + `}`, "model", "tiny takes no conversations: it came without a chat template; ask /v1/completions"},
		{broken, `{` + hi + `}`, "model", `tiny takes no conversations: chat template: line 1: the statement "nosuch" is not supported`},
	} {
		status, text := converse(t, tt.server, tt.body)
		var got chatted
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusBadRequest || got.Error == nil || got.Error.Param != tt.param ||
			!strings.Contains(got.Error.Message, tt.want) {
			t.Errorf("%.80s: status %d, %s; want %q of %s", tt.body, status, text, tt.want, tt.param)
		}
	}
	if got := answer(t, broken, `{"prompt": "a", "max_tokens": 2}`); got.Usage.Answer != 2 {
		t.Errorf("completions of a model with a broken template: %+v", got)
	}
}
