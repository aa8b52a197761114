package serve

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// chatRequest is the body of POST /v1/chat/completions.
type chatRequest struct {
	sampled
	Messages      json.RawMessage            `json:"messages" takes:"a list of messages"`
	MaxCompletion *int                       `json:"max_completion_tokens" takes:"a whole number"` // nil for max_tokens
	LogProbs      bool                       `json:"logprobs" takes:"true or false"`
	TopLogProbs   *int                       `json:"top_logprobs" takes:"a whole number"`
	AddSpecial    bool                       `json:"add_special_tokens" takes:"true or false"`
	Variables     map[string]json.RawMessage `json:"chat_template_kwargs" takes:"an object"`
	Format        struct {
		Type string `json:"type"`
	} `json:"response_format" takes:"{\"type\": \"text\"}"`
}

// chatCompletions serves POST /v1/chat/completions.
func (h *Handler) chatCompletions(c *call) error { return h.complete(c, h.understandChat) }

// understandChat makes a response of a conversation: of the text that the model's chat template makes of it.
func (h *Handler) understandChat(ctx context.Context, c *call, body []byte) (*response, error) {
	q := &chatRequest{sampled: unset}
	s, err := h.addressed(c, body, q, &q.Model)
	if err != nil {
		return nil, err
	}
	c.streams = q.Stream
	if s.noChat != nil {
		return nil, wrong("model", "%s takes no conversations: %v", s.Name, s.noChat)
	}
	plain, err := q.completion()
	if err != nil {
		return nil, err
	}
	text, err := s.renderChat(ctx, q.Messages, q.Variables)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, wrong("messages", "messages: %v", err)
	}
	encode := s.Session.Encode // the template writes special tokens itself
	if q.AddSpecial {
		encode = s.Session.EncodePrompt
	}
	ids, err := encode(ctx, text)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, wrong("messages", "messages: %v", err)
	case len(ids) == 0:
		return nil, wrong("messages", "messages: the chat template makes no token of them")
	}
	plain.Prompts = promptList{{IDs: ids}}
	if plain.MaxTokens == nil {
		room := max(h.mostTokens(s)-len(ids), 1)
		plain.MaxTokens = &room
	}
	if err := plain.check(); err != nil {
		return nil, err
	}
	a, err := h.prepare(ctx, c, s, plain)
	if err == nil {
		a.chat = true
	}
	return a, err
}

// completion returns the request for completions that a conversation amounts to, without its prompt.
func (q *chatRequest) completion() (*request, error) {
	plain := &request{sampled: q.sampled}
	plain.MaxTokens = cmp.Or(q.MaxCompletion, q.MaxTokens)
	top := 0
	if q.TopLogProbs != nil {
		top = *q.TopLogProbs
	}
	switch {
	case q.Format.Type != "" && q.Format.Type != "text":
		return nil, wrong("response_format", "response_format is of type %q: only text is supported", shortened(q.Format.Type))
	case q.TopLogProbs != nil && !q.LogProbs:
		return nil, wrong("top_logprobs", "top_logprobs needs logprobs: true")
	case top < 0 || top > mostLogProbs:
		return nil, wrong("top_logprobs", "top_logprobs is %d: want 0 to %d", top, mostLogProbs)
	case q.LogProbs:
		plain.LogProbs = &top
	}
	return plain, nil
}

// messageChoice is a choice of a conversation, or the next part of one in a stream.
type messageChoice struct {
	Index        int              `json:"index"`
	Message      *message         `json:"message,omitempty"`
	Delta        *message         `json:"delta,omitempty"`
	LogProbs     *messageLogProbs `json:"logprobs"`
	FinishReason *string          `json:"finish_reason"`
}

type message struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

type messageLogProbs struct {
	Content []tokenLogProbs `json:"content"`
}

type tokenLogProbs struct {
	namedLogProb
	Top []namedLogProb `json:"top_logprobs"`
}

type namedLogProb struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// messages writes choices as those of a conversation. In a stream the first part of each says whose message it is.
func (a *response) messages(choices []*choice) []messageChoice {
	out := make([]messageChoice, len(choices))
	for i, c := range choices {
		m := &message{Content: &c.Text}
		out[i] = messageChoice{Index: c.Index, LogProbs: c.LogProbs.ofMessage(a.request.LogProbs), FinishReason: c.FinishReason}
		row := a.rows[c.Index]
		if !row.named {
			m.Role, row.named = "assistant", true
		}
		if a.request.Stream {
			out[i].Delta = m
		} else {
			out[i].Message = m
		}
	}
	return out
}

// ofMessage returns log-probabilities in the form of conversations, with so many at the top; nil for none.
func (l *logProbs) ofMessage(top *int) *messageLogProbs {
	if l == nil {
		return nil
	}
	out := &messageLogProbs{Content: []tokenLogProbs{}}
	for i, token := range l.Tokens {
		t := tokenLogProbs{named(token, *l.TokenLogProbs[i]), []namedLogProb{}}
		if i < len(l.TopLogProbs) {
			for other, p := range l.TopLogProbs[i] {
				t.Top = append(t.Top, named(other, p))
			}
			slices.SortFunc(t.Top, func(a, b namedLogProb) int {
				return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), strings.Compare(a.Token, b.Token))
			})
			t.Top = t.Top[:min(*top, len(t.Top))] // which leaves out the chosen one, where it is not among them
		}
		out.Content = append(out.Content, t)
	}
	return out
}

// named returns a token with its bytes, which its text may spell as bytes:\xe2\x82.
func named(token string, logProb float64) namedLogProb {
	text := []byte(token)
	if spelled, ok := strings.CutPrefix(token, "bytes:"); ok {
		if data, err := hex.DecodeString(strings.ReplaceAll(spelled, `\x`, "")); err == nil && len(data)*4 == len(spelled) {
			text = data
		}
	}
	n := namedLogProb{token, logProb, make([]int, len(text))}
	for i, b := range text {
		n.Bytes[i] = int(b)
	}
	return n
}
