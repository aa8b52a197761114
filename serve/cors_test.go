package serve_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/serve"
)

// TestOrigins: pages of the sites that are named may ask, and their browsers are told so; others are refused.
func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		origins []string
		origin  string
		may     bool
	}{
		{nil, "https://a.example", false}, {[]string{"https://a.example"}, "https://a.example", true}, {[]string{"https://a.example"}, "https://b.example", false},
		{[]string{"*"}, "https://b.example", true}, {[]string{"https://a.example", "http://localhost:3000"}, "http://localhost:3000", true},
	} {
		_, _, server := service(t, serve.Options{Origins: tt.origins}, nil)
		ask := func(method string, headers ...string) *http.Response {
			r, _ := get(t, server, method, "/v1/completions", append([]string{"Origin", tt.origin, "Sec-Fetch-Site", "cross-site"}, headers...)...)
			return r
		}
		allowed := tt.origin
		if !tt.may {
			allowed = ""
		}
		if r := ask("POST"); r.Header.Get("Access-Control-Allow-Origin") != allowed || (r.StatusCode == http.StatusForbidden) == tt.may {
			t.Errorf("%v, page of %s: status %d, %v", tt.origins, tt.origin, r.StatusCode, r.Header)
		}
		r := ask("OPTIONS", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type, x-stainless-os")
		if r.Header.Get("Access-Control-Allow-Origin") != allowed || (r.StatusCode == http.StatusNoContent) != tt.may ||
			tt.may && r.Header.Get("Access-Control-Allow-Headers") != "content-type, x-stainless-os" {
			t.Errorf("%v, before a page of %s asks: status %d, %v", tt.origins, tt.origin, r.StatusCode, r.Header)
		}
	}
	s := openModel(t)
	for _, origin := range []string{"example.org", "https://example.org/path", "", "https://", "https://user@example.org"} {
		_, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, serve.Options{Origins: []string{origin}})
		if err == nil || !strings.Contains(err.Error(), "want a scheme and a host") {
			t.Errorf("%q: error %v", origin, err)
		}
	}
}

func TestOne(t *testing.T) {
	h, err := serve.One("tiny", openModel(t))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/completions", strings.NewReader(`{"prompt": "a", "max_tokens": 1}`)))
	if w.Code != http.StatusOK {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
