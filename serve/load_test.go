package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

var (
	loadTime     = flag.Duration("load", 200*time.Millisecond, "how long TestLoad puts load on the service, for each number of callers")
	loadProvider = flag.String("load-provider", "go", "what runs the model of TestLoad")
	loadRows     = flag.Int("load-rows", 4, "answers that are made at a time in TestLoad; twice as many wait")
)

// TestLoad has more and more callers ask a model of the catalogue without pause, half of them for
// streams, up to more than the service takes. Every answer is the one that its prompt has alone, or
// status 429; none is lost.
//
//	go test ./serve -run Load -v -load 20s -load-rows 32 -load-provider cpu
//
// prints what came through: answers and tokens per second, time to the whole answer, refusals, and
// the peak of memory.
func TestLoad(t *testing.T) {
	rows := *loadRows
	s, server := catalogued(t, runtime.BatcherOptions{MaxRows: rows, MaxQueue: 2 * rows})
	prompts := loadPrompts()
	want := make([]string, len(prompts))
	for i, p := range prompts {
		var err error
		if want[i], err = s.Complete(t.Context(), p, runtime.GenerateOptions{MaxNew: 24}); err != nil {
			t.Fatal(err)
		}
	}
	memory, err := eval.ProcessMemory()
	if err != nil {
		t.Log(err)
	}
	for _, callers := range []int{1, rows, 2 * rows, 6 * rows} {
		if memory != nil {
			memory.Reset()
		}
		r := load(t, server.URL, callers, prompts, want)
		peak := int64(0)
		if memory != nil {
			if peak, _, err = memory.Peak(); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%4d callers: %6.1f answers/s, %7.1f tokens/s, p50 %v, p99 %v, %d answers, %d refused, peak %d MiB", callers,
			float64(len(r.took))/r.elapsed.Seconds(), float64(r.tokens.Load())/r.elapsed.Seconds(),
			quantile(r.took, 0.5), quantile(r.took, 0.99), len(r.took), r.refused.Load(), peak>>20)
		if len(r.took) == 0 {
			t.Errorf("%d callers: no answer came", callers)
		}
		if full := callers > 3*rows; full != (r.refused.Load() > 0) {
			t.Errorf("%d callers of a service that takes %d: %d were refused", callers, 3*rows, r.refused.Load())
		}
	}
}

// catalogued serves copy-rope of the catalogue as "copy", with the provider of the flag.
func catalogued(t testing.TB, bounds runtime.BatcherOptions) (*runtime.Session, *httptest.Server) {
	t.Helper()
	file, err := catalogue.Embedded().ONNX("copy-rope", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	opt := runtime.Options{Provider: *loadProvider}
	if *loadProvider != "go" {
		opt.Library = orttest.Require(t)
	}
	s, err := runtime.OpenBytes(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	h, err := serve.New([]serve.Model{{Name: "copy", Session: s}}, serve.Options{Batch: bounds})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return s, server
}

// loadPrompts are of several lengths, with several answers.
func loadPrompts() []string {
	words := []string{"7", "tree", "B"}
	var out []string
	for i := range 40 {
		var text strings.Builder
		for k := range 2 + i%18 {
			text.WriteString(words[(i*i+k*(i+1))%len(words)] + " ")
		}
		out = append(out, "Copy: "+text.String()+"[SEP] ")
	}
	return out
}

// loaded is what callers got.
type loaded struct {
	mu      sync.Mutex
	took    []time.Duration // of answers
	refused atomic.Int64
	tokens  atomic.Int64
	elapsed time.Duration
}

// load has so many callers ask one prompt after the other.
func load(t *testing.T, url string, callers int, prompts, want []string) *loaded {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	defer client.CloseIdleConnections()
	var r loaded
	began := time.Now()
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; time.Since(began) < *loadTime && !t.Failed(); i++ {
				at, asked := i%len(prompts), time.Now()
				text, tokens, err := r.ask(t.Context(), client, url, prompts[at], i%2 == 0)
				switch {
				case errors.Is(err, errRefused):
					r.refused.Add(1)
					time.Sleep(50 * time.Millisecond) // less than Retry-After asks for
					continue
				case err != nil:
					t.Errorf("%q: %v", prompts[at], err)
					return
				case text != want[at]:
					t.Errorf("%q: got %q, alone %q", prompts[at], text, want[at])
					return
				}
				r.tokens.Add(int64(tokens))
				r.mu.Lock()
				r.took = append(r.took, time.Since(asked))
				r.mu.Unlock()
			}
		})
	}
	all.Wait()
	r.elapsed = time.Since(began)
	return &r
}

var errRefused = errors.New("the queue is full")

// ask is one request, whole or as a stream.
func (r *loaded) ask(ctx context.Context, client *http.Client, url, prompt string, stream bool) (text string, tokens int, err error) {
	body := fmt.Sprintf(`{"model": "copy", "max_tokens": 24, "temperature": 0, "prompt": %s, "stream": %v`, quote(prompt), stream)
	if stream {
		body += `, "stream_options": {"include_usage": true}`
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/completions", strings.NewReader(body+"}"))
	if err != nil {
		return "", 0, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return "", 0, err
	case answer.StatusCode == http.StatusTooManyRequests:
		return "", 0, errRefused
	case answer.StatusCode != http.StatusOK:
		return "", 0, fmt.Errorf("%s: %s", answer.Status, all)
	}
	parts := []string{string(all)}
	if stream {
		list, ended := strings.CutSuffix(string(all), "data: [DONE]\n\n")
		if !ended {
			return "", 0, fmt.Errorf("a stream ends with %q", all)
		}
		parts = strings.Split(strings.TrimSuffix(list, "\n\n"), "\n\n")
	}
	for _, part := range parts {
		var c completion
		if err := json.Unmarshal([]byte(strings.TrimPrefix(part, "data: ")), &c); err != nil {
			return "", 0, err
		}
		for _, choice := range c.Choices {
			text += choice.Text
		}
		if c.Usage != nil {
			tokens = c.Usage.Answer
		}
	}
	return text, tokens, nil
}

// quantile is a quantile of times, which it sorts.
func quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(int(q*float64(len(times))), len(times)-1)].Round(100 * time.Microsecond)
}
