package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/tokenizer"
)

// vocabulary is the bytes, so that characters and stop strings are cut into tokens.
var vocabulary = sync.OnceValues(func() ([]string, error) { return tokenizer.Vocabulary(tokenizer.Bytes, nil) })

// modelFile is a tiny model with random weights, whose answers are random bytes.
var modelFile = sync.OnceValues(func() ([]byte, error) { return modelOf(nil) })

// modelOf is the tiny model, which comes from elsewhere if origin is not nil.
func modelOf(origin *card.Pretrained) ([]byte, error) {
	words, err := vocabulary()
	if err != nil {
		return nil, err
	}
	cfg := models.Config{Encoding: "learned", EncodingParams: fmt.Appendf(nil, `{"max_length": %d}`, maxLength),
		DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}
	m, err := models.New(cfg)
	if err != nil {
		return nil, err
	}
	params := m.Params()
	for i := range params {
		params[i].Std *= 10 // the usual start gives flat logits
	}
	return modelfile.Model{Config: cfg, Weights: models.InitWeights(params, 1),
		Card: card.Card{Tokenizer: words, Pretrained: origin}}.ONNX(card.Portable)
}

const maxLength = 200 // of the tiny model, in positions

// openModel opens the tiny model with the pure-Go engine.
func openModel(t testing.TB) *runtime.Session {
	t.Helper()
	data, err := modelFile()
	if err != nil {
		t.Fatal(err)
	}
	return openBytes(t, data)
}

func openBytes(t testing.TB, data []byte) *runtime.Session {
	t.Helper()
	s, err := runtime.OpenBytes(data, runtime.Options{Provider: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// service serves the tiny model as "tiny" at an address. answers, if not nil, answers in its place.
func service(t testing.TB, opt serve.Options, answers serve.Streamer) (*serve.Handler, *runtime.Session, *httptest.Server) {
	t.Helper()
	s := openModel(t)
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	if answers != nil {
		h.Replace("tiny", answers)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, s, server
}

// held is a streamer that makes one token, and the rest of an answer when it is let.
type held struct {
	of    serve.Streamer
	began chan struct{} // gets an element for each call that has made a token
	let   chan struct{} // closed to go on
	ended chan error    // gets what ctx said at the end of each call
}

func newHeld(of serve.Streamer) *held {
	return &held{of, make(chan struct{}, 100), make(chan struct{}), make(chan error, 100)}
}

func (h *held) Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
	return func(yield func(runtime.TextStep, error) bool) {
		defer func() { h.ended <- ctx.Err() }()
		first := true
		for step, err := range h.of.Stream(ctx, prompts, opt) {
			if !yield(step, err) {
				return
			}
			if first {
				first = false
				h.began <- struct{}{}
				select {
				case <-h.let:
				case <-ctx.Done():
				}
			}
		}
	}
}

// completion is an answer as a client reads it.
type completion struct {
	ID      string
	Object  string
	Model   string
	Print   string `json:"system_fingerprint"`
	Choices []struct {
		Text     string
		Index    int
		Reason   *string `json:"finish_reason"`
		LogProbs *struct {
			Tokens  []string
			Chosen  []*float64           `json:"token_logprobs"`
			Top     []map[string]float64 `json:"top_logprobs"`
			Offsets []int                `json:"text_offset"`
		}
	}
	Usage *struct {
		Prompt int `json:"prompt_tokens"`
		Answer int `json:"completion_tokens"`
		Total  int `json:"total_tokens"`
	}
	Error *struct {
		Message, Type, Param, Code string
	}
}

// send posts a body to /v1/completions.
func send(t testing.TB, server *httptest.Server, body string) *http.Response {
	t.Helper()
	r, err := http.DefaultClient.Post(server.URL+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r
}

// ask posts a body, and reads the whole answer.
func ask(t testing.TB, server *httptest.Server, body string) (*http.Response, completion) {
	t.Helper()
	r := send(t, server, body)
	var c completion
	d := json.NewDecoder(r.Body)
	if err := d.Decode(&c); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r, c
}

// answer is ask, of what must go well.
func answer(t testing.TB, server *httptest.Server, body string) completion {
	t.Helper()
	r, c := ask(t, server, body)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %+v", body, r.StatusCode, c.Error)
	}
	return c
}

// events yields what a stream has; the last one is "[DONE]" if it ended well.
func events(t testing.TB, r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := bufio.NewScanner(r); s.Scan(); {
			line := s.Text()
			data, ok := strings.CutPrefix(line, "data: ")
			if line == "" {
				continue
			}
			if !ok {
				t.Errorf("a line of a stream is %q", line)
			}
			if !yield(data) {
				return
			}
		}
	}
}

// streamed is ask for a stream, put together; done says that it ended well.
func streamed(t testing.TB, server *httptest.Server, body string) (texts, reasons []string, parts []completion, done bool) {
	t.Helper()
	r := send(t, server, body)
	if kind := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || kind != "text/event-stream" {
		all, _ := io.ReadAll(r.Body)
		t.Fatalf("%s: status %d, %s: %s", body, r.StatusCode, kind, all)
	}
	for data := range events(t, r.Body) {
		if done {
			t.Errorf("%s after [DONE]", data)
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var c completion
		if err := json.NewDecoder(bytes.NewReader([]byte(data))).Decode(&c); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, c)
		for _, choice := range c.Choices {
			for len(texts) <= choice.Index {
				texts, reasons = append(texts, ""), append(reasons, "")
			}
			if reasons[choice.Index] != "" {
				t.Errorf("choice %d goes on after its end: %s", choice.Index, data)
			}
			texts[choice.Index] += choice.Text
			if choice.Reason != nil {
				reasons[choice.Index] = *choice.Reason
			}
		}
	}
	return texts, reasons, parts, done
}
