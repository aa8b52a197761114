package serve

import (
	"context"
	"net/http"

	"github.com/nopezoo/zoo/runtime"
)

// tokenize serves POST /tokenize, as vLLM has it.
func (h *Handler) tokenize(c *call) error {
	return h.parsed(c, func(ctx context.Context, body []byte) (any, error) {
		var q struct {
			Model      string `json:"model" takes:"a text"`
			Prompt     string `json:"prompt" takes:"a text"`
			AddSpecial *bool  `json:"add_special_tokens" takes:"true or false"` // nil is true
		}
		s, err := h.addressed(c, body, &q, &q.Model)
		if err != nil {
			return nil, err
		}
		ids, _, err := s.read(ctx, runtime.Prompt{Text: q.Prompt}, q.AddSpecial == nil || *q.AddSpecial)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			return nil, wrong("prompt", "prompt: %v", err)
		}
		c.read = len(ids)
		return struct {
			Count     int     `json:"count"`
			MaxLength int     `json:"max_model_len"`
			Tokens    []int64 `json:"tokens"`
		}{len(ids), h.mostTokens(s), ids}, nil
	})
}

// detokenize serves POST /detokenize, as vLLM has it.
func (h *Handler) detokenize(c *call) error {
	return h.parsed(c, func(_ context.Context, body []byte) (any, error) {
		var q struct {
			Model  string  `json:"model" takes:"a text"`
			Tokens []int64 `json:"tokens" takes:"a list of token ids"`
		}
		s, err := h.addressed(c, body, &q, &q.Model)
		if err != nil {
			return nil, err
		}
		text, err := s.Session.Decode(q.Tokens)
		if err != nil {
			return nil, wrong("tokens", "tokens: %v", err)
		}
		return struct {
			Prompt string `json:"prompt"`
		}{text}, nil
	})
}

// parsed serves a request whose response parsing its body gives.
func (h *Handler) parsed(c *call, parse func(ctx context.Context, body []byte) (any, error)) error {
	return h.bounded(c, func(ctx context.Context, body []byte) error {
		response, err := inTurn(ctx, h, func() (any, error) { return parse(ctx, body) })
		if err == nil {
			c.json(http.StatusOK, response)
		}
		return err
	})
}
