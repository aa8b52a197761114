package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime"
)

// response is what one request gets: n choices for each prompt, the first prompt's first.
type response struct {
	*call
	model   *served
	request *request
	id      string
	created int64
	prompts []runtime.Prompt
	options runtime.GenerateOptions
	rows    []*choiceState
	chat    bool // whether it is for /v1/chat/completions
}

// completion is the JSON of an answer, or of a part of one in a stream.
type completion struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint,omitempty"`
	Choices     any    `json:"choices"`
	Usage       *usage `json:"usage,omitempty"`
}

// choice is one answer, or the next part of it.
type choice struct {
	Text         string    `json:"text"`
	Index        int       `json:"index"`
	LogProbs     *logProbs `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"` // "stop" or "length"; nil while it goes on
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func (a *response) usage() *usage { return &usage{a.read, a.made, a.read + a.made} }

func (a *response) completion(choices []*choice) completion {
	c := completion{a.id, "text_completion", a.created, a.model.Name, a.model.fingerprint, choices, nil}
	if a.chat {
		c.ID, c.Object, c.Choices = "chat"+a.id, "chat.completion", a.messages(choices)
		if a.request.Stream {
			c.Object = "chat.completion.chunk"
		}
	}
	return c
}

// each shows what each token adds to its choice: those of prompts first, where their log-probabilities are to be
// told.
func (a *response) each(ctx context.Context, see func(part *choice) error) error {
	if a.request.Echo && a.request.LogProbs != nil {
		if err := a.echo(ctx, see); err != nil {
			return err
		}
	}
	if most := a.request.MaxTokens; most != nil && *most == 0 {
		for i, row := range a.rows {
			part := &choice{Text: row.before, Index: i}
			row.finish(part, runtime.FinishLimit)
			if err := see(part); err != nil {
				return err
			}
		}
		return nil
	}
	for step, err := range a.model.completions.Stream(ctx, a.prompts, a.options) {
		if err != nil {
			return err
		}
		if a.made++; a.made == 1 {
			a.first = time.Since(a.began)
		}
		part, err := a.rows[step.Prompt].add(a.model, step)
		if err == nil {
			err = see(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// complete sends the choices when everything is known.
func (a *response) complete(ctx context.Context) error {
	choices := lists.Make(len(a.rows), func(i int) *choice { return &choice{Index: i} })
	if err := a.each(ctx, func(part *choice) error {
		c := choices[part.Index]
		c.Text += part.Text
		c.FinishReason = part.FinishReason
		c.LogProbs = c.LogProbs.and(part.LogProbs)
		return nil
	}); err != nil {
		return err
	}
	all := a.completion(choices)
	all.Usage = a.usage()
	a.json(http.StatusOK, all)
	return nil
}

// stream sends the choices part by part, as server-sent events. Nothing is sent before the first part, so
// that what is refused has its own status.
func (a *response) stream(ctx context.Context) error {
	err := a.each(ctx, func(part *choice) error {
		if part.Text == "" && part.LogProbs == nil && part.FinishReason == nil {
			return nil
		}
		return a.event(a.part([]*choice{part}))
	})
	if err != nil {
		return err
	}
	if a.request.StreamOptions.IncludeUsage {
		last := a.completion([]*choice{})
		last.Usage = a.usage()
		if err := a.event(last); err != nil {
			return err
		}
	}
	return a.send([]byte("[DONE]"))
}

// part is what one event of a stream has. Where the last one tells the usage, others have null
// in its place.
func (a *response) part(choices []*choice) any {
	p := a.completion(choices)
	if !a.request.StreamOptions.IncludeUsage {
		return p
	}
	return struct {
		completion
		Usage *usage `json:"usage"`
	}{completion: p}
}

// event sends a value as an event.
func (a *response) event(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.send(data)
}

// send sends an event, and begins the stream with the first one.
func (a *response) send(data []byte) error {
	if a.status == 0 {
		a.Header().Set("Content-Type", "text/event-stream")
		a.Header().Set("Cache-Control", "no-cache")
		a.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
		a.WriteHeader(http.StatusOK)
	}
	_, err := a.Write(append(append([]byte("data: "), data...), "\n\n"...))
	if err == nil {
		err = supported(a.control.Flush())
	}
	if err != nil {
		return errGone
	}
	return nil
}
