package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
)

// get asks for a path, with headers in pairs.
func get(t *testing.T, server *httptest.Server, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(`{"model": "tiny", "prompt": "a"}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func TestKey(t *testing.T) {
	_, _, server := service(t, serve.Options{Key: "open sesame"}, nil)
	for _, tt := range []struct {
		method, path, header string
		status               int
	}{
		{"GET", "/healthz", "", 200},
		{"GET", "/v1/models", "", 401},
		{"GET", "/v1/models", "Bearer wrong", 401},
		{"GET", "/v1/models", "Bearer open", 401},
		{"GET", "/v1/models", "Basic open sesame", 401},
		{"GET", "/v1/models", "open sesame", 401},
		{"GET", "/v1/models", "Bearer open sesame", 200},
		{"GET", "/v1/models", "bearer open sesame", 200},
		{"GET", "/metrics", "", 401},
		{"GET", "/metrics", "Bearer open sesame", 200},
		{"GET", "/nowhere", "", 401},
		{"POST", "/v1/completions", "", 401},
		{"POST", "/v1/completions", "Bearer open sesame", 200},
	} {
		r, text := get(t, server, tt.method, tt.path, "Authorization", tt.header)
		if r.StatusCode != tt.status || strings.Contains(text, "sesame") {
			t.Errorf("%s with %q: status %d: %s", tt.path, tt.header, r.StatusCode, text)
		}
		if tt.status == 401 && (r.Header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(text, `"type":"authentication_error"`)) {
			t.Errorf("%s with %q: %v, %s", tt.path, tt.header, r.Header, text)
		}
	}
}

func TestPaths(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	for _, tt := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/healthz", 200, `{"status":"ok"}`},
		{"GET", "/v1/models", 200, `{"object":"list","data":[{"id":"tiny","object":"model"`},
		{"GET", "/v1/models/tiny", 200, `"architecture":"decoder","encoding":"learned","max_tokens":201,"provider":"go"}`},
		{"GET", "/v1/models/a/b", 404, `unknown model \"a/b\"; known are tiny`},
		{"GET", "/v1/completions", 405, `the method is GET: want POST`},
		{"POST", "/v1/models", 405, `the method is POST: want GET`},
		{"POST", "/v1/embeddings", 404, `nothing is served at /v1/embeddings; known are POST /v1/completions, POST /v1/chat/completions, POST /tokenize`},
		{"GET", "/metrics", 200, "# TYPE zoo_requests_total counter\n"},
	} {
		r, text := get(t, server, tt.method, tt.path)
		if r.StatusCode != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: status %d: %s; want %d and %s", tt.method, tt.path, r.StatusCode, text, tt.status, tt.want)
		}
		if allow := r.Header.Get("Allow"); (tt.status == 405) != (allow != "") {
			t.Errorf("%s %s: status %d allows %q", tt.method, tt.path, tt.status, allow)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		if r, text := get(t, server, "POST", "/v1/completions", "Sec-Fetch-Site", site); r.StatusCode != 403 || !strings.Contains(text, `"error":{`) {
			t.Errorf("a page of %s: status %d: %s", site, r.StatusCode, text)
		}
	}
}

// TestHosts: a page whose name was made to stand for a loopback address reaches no service that
// needs no key, in any server that it is mounted in.
func TestHosts(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	for host, status := range map[string]int{"localhost": 200, "LOCALHOST:80": 200, "[::1]:80": 200, "127.0.0.1": 200, "evil.example": 403, "": 200} {
		if r, text := get(t, server, "GET", "/v1/models", "Host", host); r.StatusCode != status {
			t.Errorf("host %q: status %d: %s", host, r.StatusCode, text)
		}
	}
	_, _, keyed := service(t, serve.Options{Key: "sesame"}, nil)
	if r, text := get(t, keyed, "GET", "/v1/models", "Host", "models.example", "Authorization", "Bearer sesame"); r.StatusCode != 200 {
		t.Errorf("with a key: status %d: %s", r.StatusCode, text)
	}
}

func TestNew(t *testing.T) {
	s := openModel(t)
	m := serve.Model{Name: "tiny", Session: s}
	for _, tt := range []struct {
		models []serve.Model
		opt    serve.Options
		want   string
	}{
		{nil, serve.Options{}, "serve: there is no model"},
		{[]serve.Model{m, m}, serve.Options{}, `serve: two models are called "tiny"; give them names that differ`},
		{[]serve.Model{{Name: "x"}}, serve.Options{}, `serve: model "x": it needs a name and a session`},
		{[]serve.Model{m}, serve.Options{Limits: serve.Limits{Tokens: -1}}, "serve: the most tokens of a prompt and its answer are -1"},
		{[]serve.Model{m}, serve.Options{Batch: runtime.BatcherOptions{MaxRows: -1}}, `serve: model "tiny": runtime: batcher: the most rows are -1`},
	} {
		if _, err := serve.New(tt.models, tt.opt); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// holding is a service whose answers stop after a token until they are let go on.
func holding(t *testing.T, opt serve.Options, running, waiting int) (*serve.Handler, *held, *httptest.Server) {
	t.Helper()
	hold := newHeld(openModel(t))
	h, _, server := service(t, opt, serve.NewQueue(hold, running, waiting))
	return h, hold, server
}

// reply is how a request that runs during a test has ended.
type reply struct {
	status int
	header http.Header
	text   string
	err    error
}

// begin sends a request that is answered later.
func begin(ctx context.Context, server *httptest.Server, body string) <-chan reply {
	out := make(chan reply, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/completions", strings.NewReader(body))
		if err != nil {
			out <- reply{err: err}
			return
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			out <- reply{err: err}
			return
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		out <- reply{answer.StatusCode, answer.Header, string(text), err}
	}()
	return out
}

const (
	plain  = `{"model": "tiny", "prompt": "abc", "max_tokens": 9, "seed": 1}`
	asFlow = `{"model": "tiny", "prompt": "abc", "max_tokens": 9, "seed": 1, "stream": true}`
)

// TestBusy: as many run as may, as many wait as may, and the next one is told to come again.
func TestBusy(t *testing.T) {
	_, hold, server := holding(t, serve.Options{}, 1, 1)
	running := begin(t.Context(), server, plain)
	<-hold.began
	two, three := begin(t.Context(), server, plain), begin(t.Context(), server, plain)
	var busy reply
	select {
	case busy = <-two:
		two = three
	case busy = <-three:
	}
	if busy.status != http.StatusTooManyRequests || busy.header.Get("Retry-After") == "" || !strings.Contains(busy.text, `"type":"rate_limit_error"`) {
		t.Errorf("one too many: %+v", busy)
	}
	close(hold.let)
	for _, ch := range []<-chan reply{running, two} {
		if r := <-ch; r.status != http.StatusOK {
			t.Errorf("another: %+v", r)
		}
	}
}

// TestClientLeaves: its answer is made no further, and its place is free, also while it waits.
func TestClientLeaves(t *testing.T) {
	for _, body := range []string{plain, asFlow} {
		_, hold, server := holding(t, serve.Options{}, 1, 1)
		ctx, cancel := context.WithCancel(t.Context())
		left := begin(ctx, server, body)
		<-hold.began
		ctx2, cancel2 := context.WithCancel(t.Context())
		waiting := begin(ctx2, server, body)
		cancel2()
		cancel()
		if err := <-hold.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the answer ended with %v", err)
		}
		<-left
		<-waiting
		close(hold.let)
		if r := <-begin(t.Context(), server, plain); r.status != 200 {
			t.Errorf("the next one: %+v", r)
		}
		_, metrics := get(t, server, "GET", "/metrics")
		if !strings.Contains(metrics, `zoo_requests_total{path="/v1/completions",status="499"} `) {
			t.Errorf("who left is not counted:\n%s", metrics)
		}
	}
}

// TestTimeLimit: an answer that takes too long ends with an error, which a stream has as its
// last event.
func TestTimeLimit(t *testing.T) {
	_, _, server := holding(t, serve.Options{Limits: serve.Limits{Time: 50 * time.Millisecond}}, 1, 1)
	if r := <-begin(t.Context(), server, plain); r.status != http.StatusGatewayTimeout || !strings.Contains(r.text, "the answer took longer than 50ms") {
		t.Errorf("whole: %+v", r)
	}
	r := <-begin(t.Context(), server, strings.Replace(asFlow, "{", `{"logprobs": 0, `, 1)) // so that each token is sent
	parts := strings.Split(strings.TrimSpace(r.text), "\n\n")
	if r.status != 200 || len(parts) != 2 || !strings.HasPrefix(parts[1], `data: {"error":{"message":"the answer took longer than 50ms`) {
		t.Errorf("as a stream: %+v", r)
	}
	_, metrics := get(t, server, "GET", "/metrics")
	if !strings.Contains(metrics, `zoo_requests_total{path="/v1/completions",status="504"} 2`) {
		t.Errorf("they are not counted:\n%s", metrics)
	}
}

// failing is a streamer whose model breaks.
type failing struct{}

func (failing) Stream(context.Context, []runtime.Prompt, runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
	return func(yield func(runtime.TextStep, error) bool) {
		yield(runtime.TextStep{}, errors.New("a secret of the model"))
	}
}

// TestFailure: clients are not told what is inside.
func TestFailure(t *testing.T) {
	var log bytes.Buffer
	_, _, server := service(t, serve.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}, failing{})
	if r := <-begin(t.Context(), server, plain); r.status != 500 || strings.Contains(r.text, "secret") || !strings.Contains(r.text, `"type":"server_error"`) {
		t.Errorf("got %+v", r)
	}
	server.Close()
	if !strings.Contains(log.String(), `"error":"a secret of the model"`) || !strings.Contains(log.String(), `"level":"ERROR"`) {
		t.Errorf("the log has %s", &log)
	}
}

// panicking is a streamer that panics after so many tokens.
type panicking struct {
	serve.Streamer
	after int
}

func (p panicking) Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error] {
	return func(yield func(runtime.TextStep, error) bool) {
		n := 0
		for step, err := range p.Streamer.Stream(ctx, prompts, opt) {
			if n == p.after {
				panic("a secret of the model")
			}
			if n++; !yield(step, err) {
				return
			}
		}
	}
}

// TestPanic: a panic is status 500, or the last event of a stream that has begun; the log has the stack, and the service
// goes on.
func TestPanic(t *testing.T) {
	for after, begun := range []bool{false, true} {
		var log bytes.Buffer
		h, _, server := service(t, serve.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}, panicking{openModel(t), after})
		if r := <-begin(t.Context(), server, plain); r.status != 500 || !strings.Contains(r.text, `"type":"server_error"`) {
			t.Errorf("got %+v", r)
		}
		r := <-begin(t.Context(), server, strings.Replace(plain, "{", `{"stream": true, `, 1))
		if parts := strings.Split(strings.TrimSpace(r.text), "\n\n"); begun != (r.status == 200) || !strings.Contains(parts[len(parts)-1], `"type":"server_error"`) ||
			strings.Contains(r.text, "secret") {
			t.Errorf("as a stream: %+v", r)
		}
		_, metrics := get(t, server, "GET", "/metrics")
		if !strings.Contains(metrics, `zoo_requests_total{path="/v1/completions",status="500"} 2`) {
			t.Errorf("they are not counted:\n%s", metrics)
		}
		if err := h.Shutdown(t.Context()); err != nil { // which waits for answers
			t.Error(err)
		}
		server.Close()
		if !strings.Contains(log.String(), "panic: a secret of the model") || !strings.Contains(log.String(), "serve_test.go") {
			t.Errorf("the log has %s", &log)
		}
	}
}

// answerAlone is the text that answers plain.
func answerAlone(t *testing.T) string {
	t.Helper()
	_, _, server := service(t, serve.Options{}, nil)
	return answer(t, server, plain).Choices[0].Text
}

// joined is the text of the only choice of a stream.
func joined(t *testing.T, stream string) (text string) {
	t.Helper()
	for data := range events(t, strings.NewReader(stream)) {
		if data == "[DONE]" {
			continue
		}
		var c completion
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		for _, choice := range c.Choices {
			text += choice.Text
		}
	}
	return text
}

// TestShutdown: what runs ends as if nothing were, more is not taken, and at the end of the grace
// the rest is cut off, and its clients are told.
func TestShutdown(t *testing.T) {
	for _, tt := range []struct {
		name  string
		grace time.Duration
		cut   bool
	}{{"in time", time.Minute, false}, {"cut off", 30 * time.Millisecond, true}} {
		t.Run(tt.name, func(t *testing.T) {
			h, hold, server := holding(t, serve.Options{}, 4, 0)
			want := answerAlone(t)
			var replies []<-chan reply
			for _, body := range []string{plain, asFlow, plain, asFlow} {
				replies = append(replies, begin(t.Context(), server, body))
				<-hold.began
			}
			ctx, cancel := context.WithTimeout(t.Context(), tt.grace)
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- h.Shutdown(ctx) }()
			for {
				if r, _ := get(t, server, "GET", "/healthz"); r.StatusCode == http.StatusServiceUnavailable {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if r := <-begin(t.Context(), server, plain); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
				t.Errorf("one more: %+v", r)
			}
			if !tt.cut {
				close(hold.let)
			}
			if err := <-ended; (err != nil) != tt.cut {
				t.Errorf("Shutdown: %v", err)
			}
			for i, ch := range replies {
				r := <-ch
				stream := i%2 == 1
				switch {
				case !tt.cut && !stream:
					var c completion
					if err := json.Unmarshal([]byte(r.text), &c); err != nil || c.Choices[0].Text != want {
						t.Errorf("answer %d: %+v, want %q", i, r, want)
					}
				case !tt.cut:
					if got := joined(t, r.text); got != want || !strings.HasSuffix(r.text, "data: [DONE]\n\n") {
						t.Errorf("stream %d: %q, want %q", i, got, want)
					}
				case r.err != nil || !strings.Contains(r.text, "the service is shutting down") || strings.Contains(r.text, "[DONE]"):
					t.Errorf("answer %d: %+v", i, r)
				}
			}
			for range 20 { // nothing is left to cut off, however late it is
				if err := h.Shutdown(ctx); err != nil {
					t.Fatalf("once more: %v", err)
				}
				cancel()
			}
		})
	}
}

// TestServe: the end of a context closes the listener, and answers that run are sent.
func TestServe(t *testing.T) {
	s := openModel(t)
	hold := newHeld(s)
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Replace("tiny", hold)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l, time.Minute) }()
	server := &httptest.Server{URL: "http://" + l.Addr().String()}
	running := begin(t.Context(), server, asFlow)
	<-hold.began
	cancel()
	for {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	close(hold.let)
	if r := <-running; r.err != nil || !strings.HasSuffix(r.text, "data: [DONE]\n\n") {
		t.Errorf("got %+v", r)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLog: a request is a line, without what it says.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	_, _, server := service(t, serve.Options{Key: "sesame", Log: slog.New(slog.NewJSONHandler(&log, nil))}, nil)
	for _, body := range []string{
		`{"model": "tiny", "prompt": "confidential", "temperature": 0, "max_tokens": 3, "n": 2}`,
		`{"model": "tiny", "prompt": "confidential", "max_tokens": 3, "stop": ""}`,
		`{"model": "confidential", "prompt": "confidential"}`,
		`{"model": "tiny", "prompt": {"confidential": 1}}`,
		`confidential`,
	} {
		r, err := http.NewRequest(http.MethodPost, server.URL+"/v1/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer sesame")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	get(t, server, "GET", "/healthz")
	server.Close() // waits for the handlers
	text := log.String()
	if strings.Contains(text, "confidential") || strings.Contains(text, "sesame") {
		t.Errorf("the log tells:\n%s", text)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	var first struct {
		Path, Model, ID                string
		Status, Choices                int
		PromptTokens, CompletionTokens int
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(lines[0], "_", "")), &first); err != nil {
		t.Fatal(err)
	}
	if first.Path != "/v1/completions" || first.Model != "tiny" || first.Status != 200 || first.Choices != 2 || first.PromptTokens != 12 || first.CompletionTokens != 6 {
		t.Errorf("the first line: %+v of %s", first, lines[0])
	}
}

// TestConcurrent: answers to many callers are those that each gets alone.
func TestConcurrent(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	bodies := []string{}
	for _, prompt := range []string{`"a"`, `"bcd"`, `["x", "yz"]`, `"é"`} {
		for _, how := range []string{`"temperature": 0`, `"seed": 7, "n": 2`, `"seed": 8, "temperature": 0.7, "stop": "e"`} {
			bodies = append(bodies, `{"model": "tiny", "max_tokens": 12, "prompt": `+prompt+`, `+how+`}`)
		}
	}
	want := make([]completion, len(bodies))
	for i, body := range bodies {
		want[i] = answer(t, server, body)
	}
	var all sync.WaitGroup
	for i, body := range bodies {
		for range 2 {
			all.Go(func() {
				r := <-begin(t.Context(), server, body)
				var c completion
				if err := json.Unmarshal([]byte(r.text), &c); err != nil || r.status != 200 {
					t.Errorf("%s: %+v, %v", body, r, err)
					return
				}
				for k, choice := range want[i].Choices {
					if c.Choices[k].Text != choice.Text {
						t.Errorf("%s: choice %d is %q, alone %q", body, k, c.Choices[k].Text, choice.Text)
					}
				}
			})
			all.Go(func() {
				r := <-begin(t.Context(), server, `{"stream": true, `+body[1:])
				got := make([]string, len(want[i].Choices))
				for data := range events(t, strings.NewReader(r.text)) {
					var c completion
					if data == "[DONE]" {
						continue
					}
					if err := json.Unmarshal([]byte(data), &c); err != nil {
						t.Error(err)
						return
					}
					got[c.Choices[0].Index] += c.Choices[0].Text
				}
				for k, choice := range want[i].Choices {
					if got[k] != choice.Text {
						t.Errorf("%s: streamed choice %d is %q, alone %q", body, k, got[k], choice.Text)
					}
				}
			})
		}
	}
	all.Wait()
}

// TestMetrics: what is told counts what was asked.
func TestMetrics(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	for range 3 {
		answer(t, server, `{"model": "tiny", "prompt": "abc", "temperature": 0, "max_tokens": 4, "n": 2}`)
	}
	ask(t, server, `{"model": "other", "prompt": "abc"}`)
	r, text := get(t, server, "GET", "/metrics")
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("it is %s", kind)
	}
	for _, line := range []string{
		`zoo_requests_total{path="/v1/completions",status="200"} 3`,
		`zoo_requests_total{path="/v1/completions",status="404"} 1`,
		`zoo_completion_seconds_bucket{model="tiny",le="+Inf"} 3`,
		`zoo_completion_seconds_count{model="tiny"} 3`,
		`zoo_first_token_seconds_count{model="tiny"} 3`,
		`zoo_prompt_tokens_total{model="tiny"} 9`,
		`zoo_completion_tokens_total{model="tiny"} 24`,
		`zoo_completions_running 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

// busy is a streamer that says how much it does.
type busy struct{ serve.Streamer }

func (busy) Stats() runtime.BatcherStats {
	return runtime.BatcherStats{Waiting: 3, Reading: 5, Running: 7, Bytes: 11, Peak: 13, Tokens: 17}
}

// TestLoadMetrics: what is read counts among what runs.
func TestLoadMetrics(t *testing.T) {
	_, _, server := service(t, serve.Options{}, busy{openModel(t)})
	_, text := get(t, server, "GET", "/metrics")
	for _, line := range []string{`zoo_prompts_waiting{model="tiny"} 3`, `zoo_prompts_running{model="tiny"} 12`, `zoo_state_bytes{model="tiny"} 11`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

// TestFirstToken: the time to the first token is what had passed when it came, and later tokens add nothing.
func TestFirstToken(t *testing.T) {
	var log bytes.Buffer
	_, hold, server := holding(t, serve.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}, 1, 1)
	running := begin(t.Context(), server, plain)
	<-hold.began
	first := time.Now()
	time.Sleep(50 * time.Millisecond)
	between := time.Since(first) // at least so long it took from the first token to the second
	close(hold.let)
	if r := <-running; r.status != http.StatusOK {
		t.Fatalf("got %+v", r)
	}
	server.Close()
	var told struct {
		Took  time.Duration
		First time.Duration `json:"first_token"`
	}
	if err := json.Unmarshal(log.Bytes(), &told); err != nil {
		t.Fatal(err)
	}
	if told.First <= 0 || told.Took-told.First < between {
		t.Errorf("the answer took %v and its first token %v, but %v passed between the two at least", told.Took, told.First, between)
	}
}
