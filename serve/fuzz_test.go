package serve_test

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/serve"
)

// FuzzCompletions: any body is answered, or refused with an error in OpenAI's form,
// and not with what is the service's own fault.
func FuzzCompletions(f *testing.F) {
	for _, body := range []string{
		plain, asFlow, `null`, `[]`, `{"model": "tiny", "prompt": [[3, 4], [5]], "n": 2, "logprobs": 3}`,
		`{"model": "tiny", "prompt": ["a", "b"], "stream": true, "stream_options": {"include_usage": true}, "stop": ["x"], "seed": -1}`,
		`{"model": "tiny", "prompt": "é", "echo": true, "logit_bias": {"5": 9}, "top_p": 0.5, "top_k": 3, "min_p": 0.1, "temperature": 0.5}`,
		`{"model": "tiny", "prompt": "\ud800", "presence_penalty": 1, "frequency_penalty": -1, "repetition_penalty": 1.5, "max_tokens": 3}`,
	} {
		f.Add(body)
	}
	s := openModel(f)
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}},
		serve.Options{Limits: serve.Limits{Body: 4000, Tokens: 30, Choices: 4}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = h.Close() })
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/v1/completions", strings.NewReader(body)))
		text := w.Body.String()
		if w.Header().Get("Content-Type") == "text/event-stream" {
			last, ended := strings.CutSuffix(text, "data: [DONE]\n\n")
			if !ended {
				t.Fatalf("the stream ends with %q", text)
			}
			parts := strings.Split(strings.TrimSuffix(last, "\n\n"), "\n\n")
			text = strings.TrimPrefix(parts[len(parts)-1], "data: ")
		}
		var c completion
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if refused := w.Code == 400 || w.Code == 404 || w.Code == 413; refused != (c.Error != nil) || !refused && w.Code != 200 {
			t.Errorf("status %d: %s", w.Code, text)
		}
	})
}
