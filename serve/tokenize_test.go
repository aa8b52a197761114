package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/serve"
)

// TestTokenize: /tokenize and /detokenize are inverse, and what is wrong is refused by name.
func TestTokenize(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	post := func(path, body string) (status int, got struct {
		Count  int
		Max    int `json:"max_model_len"`
		Tokens []int64
		Prompt string
		Error  struct{ Message, Param string }
	}) {
		r, err := http.DefaultClient.Post(server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, got
	}
	const text = "abé c"
	want, err := s.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{`{"prompt": ` + quote(text) + `}`, `{"model": "tiny", "add_special_tokens": false, "prompt": ` + quote(text) + `}`} {
		if status, got := post("/tokenize", body); status != 200 || got.Count != len(want) || !slices.Equal(got.Tokens, want) || got.Max == 0 {
			t.Errorf("%s: status %d, %+v, want %v", body, status, got, want)
		}
	}
	ids := strings.ReplaceAll(fmt.Sprint(want), " ", ", ")
	if status, got := post("/detokenize", `{"tokens": `+ids+`}`); status != 200 || got.Prompt != text {
		t.Errorf("status %d, %q, want %q", status, got.Prompt, text)
	}
	for _, tt := range []struct{ path, body, param string }{
		{"/tokenize", `{"prompt": 5}`, "prompt"}, {"/tokenize", `{}`, "prompt"}, {"/tokenize", `{"model": "other", "prompt": "a"}`, "model"},
		{"/tokenize", `{"prompt": "a", "messages": []}`, "messages"}, {"/detokenize", `{"tokens": [99999]}`, "tokens"},
		{"/detokenize", `{"tokens": "a"}`, "tokens"}, {"/detokenize", `[]`, ""},
	} {
		if status, got := post(tt.path, tt.body); status < 400 || status > 404 || got.Error.Param != tt.param || got.Error.Message == "" {
			t.Errorf("%s %s: status %d, %+v, want an error of %q", tt.path, tt.body, status, got.Error, tt.param)
		}
	}
}

// TestNoModel: of several models a request names one.
func TestNoModel(t *testing.T) {
	_, s, _ := service(t, serve.Options{}, nil)
	h, err := serve.New([]serve.Model{{Name: "a", Session: s}, {Name: "b", Session: s}}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/completions", strings.NewReader(`{"prompt": "a"}`)))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "there is no model: want one of a, b") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
