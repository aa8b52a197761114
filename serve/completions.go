package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/nopezoo/zoo/runtime"
)

// usualTokens is how many tokens an answer has at most where the request does not say: OpenAI's
// number.
const usualTokens = 16

// usualPatience is how long the body of a request may take to come, and a client to take each part
// of its answer.
const usualPatience = 30 * time.Second

// farewell is how long an answer that was cut off has to be sent.
const farewell = 2 * time.Second

// completions serves POST /v1/completions.
func (h *Handler) completions(c *call) error { return h.complete(c, h.understand) }

// complete serves a request for completions that understand reads.
func (h *Handler) complete(c *call, understand func(context.Context, *call, []byte) (*response, error)) error {
	return h.bounded(c, func(ctx context.Context, body []byte) error {
		a, err := inTurn(ctx, h, func() (*response, error) { return understand(ctx, c, body) })
		if err != nil {
			return err
		}
		respond := a.complete
		if a.request.Stream {
			respond = a.stream
		}
		if err = guarded(func() error { return respond(ctx) }); err == nil {
			return nil
		}
		f := h.failureOf(ctx, err)
		if c.status != 0 && f.status != statusGone {
			a.event(f.body()) // the last that a stream has
		}
		return f
	})
}

// bounded has do serve a request with a body: within the limits of time and of bytes, and not while the service is
// shutting down.
func (h *Handler) bounded(c *call, do func(ctx context.Context, body []byte) error) error {
	if !h.enter() {
		return shuttingDown()
	}
	defer h.leave()
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })()
	timer := time.AfterFunc(h.limits.Time, func() { cancel(errTimeout) })
	defer timer.Stop()

	held := &hold{budget: &h.budget}
	defer held.release()
	body, err := h.body(c, held)
	if err == nil {
		err = do(ctx, body)
	}
	if err != nil {
		return h.failureOf(ctx, err)
	}
	return nil
}

// enter counts one completion more, unless the service is shutting down.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.draining {
		h.running++
	}
	return !h.draining
}

func (h *Handler) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running--; h.draining && h.running == 0 {
		close(h.idle)
	}
}

// body reads the body of a request.
func (h *Handler) body(c *call, held *hold) ([]byte, error) {
	if err := held.take(requestBytes); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(holding{http.MaxBytesReader(c.ResponseWriter, c.r.Body, h.limits.Body), held})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &failure{status: http.StatusRequestEntityTooLarge, kind: kindRequest, code: "too_large",
			message: fmt.Sprintf("the body is larger than %d bytes; send less", h.limits.Body)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &failure{status: http.StatusRequestTimeout, kind: kindRequest, code: "timeout",
			message: fmt.Sprintf("the body took longer than %v to come", h.patience)}
	case errors.Is(err, runtime.ErrBusy):
		return nil, err
	case err != nil:
		return nil, errGone
	}
	// Reading goes on, to see when the client leaves; it may take any time.
	return body, supported(c.control.SetReadDeadline(time.Time{}))
}

// inTurn waits until a request may be parsed, and does it. As many requests at a time as there are processors: what
// JSON and tokenizers take for a moment is many times the body.
func inTurn[T any](ctx context.Context, h *Handler, parse func() (T, error)) (made T, err error) {
	select {
	case h.understanding <- struct{}{}:
		defer func() { <-h.understanding }()
		return parse()
	case <-ctx.Done():
		return made, ctx.Err()
	}
}

// addressed reads the fields of a body, and returns the model that one of them names.
func (h *Handler) addressed(c *call, body []byte, fields any, model *string) (*served, error) {
	if err := parseFields(body, fields); err != nil {
		return nil, err
	}
	s, err := h.lookup(*model)
	if err == nil {
		c.model = s.Name
	}
	return s, err
}

// understand makes a response of a body.
func (h *Handler) understand(ctx context.Context, c *call, body []byte) (*response, error) {
	q, err := parse(body)
	if err != nil {
		return nil, err
	}
	s, err := h.lookup(q.Model)
	if err != nil {
		return nil, err
	}
	c.model, c.streams = s.Name, q.Stream
	return h.prepare(ctx, c, s, q)
}

// prepare checks a request against the model and the limits, and cuts its prompts.
func (h *Handler) prepare(ctx context.Context, c *call, s *served, q *request) (*response, error) {
	if q.N > h.limits.Choices/len(q.Prompts) {
		return nil, wrong("n", "%d prompts with n = %d are more than the %d choices that a request may ask for", len(q.Prompts), q.N, h.limits.Choices)
	}
	for id := range q.Bias {
		if id < 0 || id >= int64(s.vocab) {
			return nil, wrong("logit_bias", "logit_bias has token id %d, the vocabulary has ids 0 to %d", id, s.vocab-1)
		}
	}
	a := &response{call: c, model: s, request: q, id: c.id, created: c.began.Unix()}
	opt := &a.options
	*opt = runtime.GenerateOptions{PerRow: q.perRow(), StopStrings: q.Stops}
	if q.IgnoreEOS {
		opt.Stop = []int64{}
	}
	if q.LogProbs != nil {
		opt.LogProbs, opt.TopLogProbs = true, *q.LogProbs
	}
	for i, prompt := range q.Prompts {
		if least := s.Session.LeastTokens(prompt.Text); least > h.mostTokens(s) {
			return nil, wrong("prompt", "prompt %d has %d bytes, which are %d tokens or more: more than the %d that %s takes here", i,
				len(prompt.Text), least, h.mostTokens(s), s.Name)
		}
		ids, text, err := s.read(ctx, prompt, q.AddSpecial == nil || *q.AddSpecial)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			return nil, wrong("prompt", "prompt %d: %v", i, err)
		}
		prompt.IDs = ids
		most, room := 0, h.mostTokens(s)-len(ids)
		switch {
		case q.MaxTokens == nil:
			most = min(usualTokens, max(room, 1))
		default:
			most = *q.MaxTokens
		}
		if most > room {
			return nil, wrong("max_tokens", "prompt %d has %d tokens, and its answer may have %d: together more than the %d that %s takes here", i,
				len(ids), most, h.mostTokens(s), s.Name)
		}
		c.read += len(ids)
		for range q.N {
			a.prompts = append(a.prompts, prompt)
			opt.Limits = append(opt.Limits, most)
			row := &choiceState{last: ids[len(ids)-1], logProbs: q.LogProbs != nil}
			if q.Echo && q.LogProbs == nil {
				row.before = text
			}
			a.rows = append(a.rows, row)
		}
	}
	c.choices = len(a.rows)
	return a, nil
}

// mostTokens is how many tokens a prompt and its answer may have together. The last token of an
// answer needs no position.
func (h *Handler) mostTokens(s *served) int {
	if s.maxLength == 0 {
		return h.limits.Tokens
	}
	return min(h.limits.Tokens, s.maxLength+1)
}

// read returns the token ids and the text of a prompt. Special tokens, such as the one that begins a text, are
// put before a text, unless it brings its own.
func (s *served) read(ctx context.Context, p runtime.Prompt, special bool) (ids []int64, text string, err error) {
	switch text = p.Text; {
	case p.IDs != nil:
		ids = p.IDs
		text, err = s.Session.Decode(ids)
	case special:
		ids, err = s.Session.EncodePrompt(ctx, text)
	default:
		ids, err = s.Session.Encode(ctx, text)
	}
	if err == nil && len(ids) == 0 {
		err = errors.New("it is empty, and needs at least one token")
	}
	return ids, text, err
}
