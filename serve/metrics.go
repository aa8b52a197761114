package serve

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nopezoo/zoo/runtime"
)

// metrics are what /metrics tells. Prometheus' own library would do this too, and would add half
// as much again to a program (2.9 MB, 45 packages); counters and histograms are all that is needed.
type metrics struct {
	mu       sync.Mutex
	requests family
	seconds  family
	first    family
	read     family
	made     family
}

// Bounds of histograms, in seconds: twice the one before, about.
var (
	requestBounds = []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200}
	firstBounds   = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}
)

func newMetrics() *metrics {
	return &metrics{
		requests: newFamily("zoo_requests_total", "Requests that have ended, by path and HTTP status; 499: the client left.", nil, "path", "status"),
		seconds:  newFamily("zoo_completion_seconds", "Time from request to end of answer, waiting included.", requestBounds, "model"),
		first:    newFamily("zoo_first_token_seconds", "Time from request to first token, waiting included.", firstBounds, "model"),
		read:     newFamily("zoo_prompt_tokens_total", "Tokens of prompts.", nil, "model"),
		made:     newFamily("zoo_completion_tokens_total", "Tokens of answers.", nil, "model"),
	}
}

// count takes in a request that has ended.
func (m *metrics) count(path string, c *call, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests.series(path, strconv.Itoa(status)).add(1)
	if c.made == 0 {
		return
	}
	m.seconds.series(c.model).observe(time.Since(c.began).Seconds(), m.seconds.bounds)
	m.first.series(c.model).observe(c.first.Seconds(), m.first.bounds)
	m.read.series(c.model).add(float64(c.read))
	m.made.series(c.model).add(float64(c.made))
}

// family is a metric with its label values. It is a histogram if it has bounds, else a counter.
type family struct {
	name, help string
	bounds     []float64
	labels     []string
	all        map[string]*series // by labels as they are written
}

// series is a metric with certain labels.
type series struct {
	sum    float64
	counts []int64 // of a histogram: up to each bound; the last of all
}

func newFamily(name, help string, bounds []float64, labels ...string) family {
	return family{name, help, bounds, labels, map[string]*series{}}
}

func (f *family) series(values ...string) *series {
	pairs := make([]string, len(values))
	for i, v := range values {
		pairs[i] = f.labels[i] + `="` + escaped.Replace(v) + `"`
	}
	key := strings.Join(pairs, ",")
	if f.all[key] == nil {
		f.all[key] = &series{counts: make([]int64, len(f.bounds)+1)}
	}
	return f.all[key]
}

// escaped writes label values as Prometheus' text format does.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (s *series) add(v float64) { s.sum += v }

func (s *series) observe(v float64, bounds []float64) {
	s.sum += v
	for i, bound := range bounds {
		if v <= bound {
			s.counts[i]++
		}
	}
	s.counts[len(bounds)]++
}

// write writes the text format, version 0.0.4.
func (f *family) write(w io.Writer) {
	kind := "counter"
	if f.bounds != nil {
		kind = "histogram"
	}
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, kind)
	for _, labels := range slices.Sorted(maps.Keys(f.all)) {
		s := f.all[labels]
		if f.bounds == nil {
			fmt.Fprintf(w, "%s{%s} %v\n", f.name, labels, s.sum)
			continue
		}
		for i, bound := range f.bounds {
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%v\"} %d\n", f.name, labels, bound, s.counts[i])
		}
		n := s.counts[len(f.bounds)]
		fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n%s_sum{%s} %v\n%s_count{%s} %d\n", f.name, labels, n, f.name, labels, s.sum, f.name, labels, n)
	}
}

// writeMetrics answers GET /metrics.
func (h *Handler) writeMetrics(c *call) error {
	var text bytes.Buffer
	m := h.metrics
	m.mu.Lock()
	for _, f := range []*family{&m.requests, &m.seconds, &m.first, &m.read, &m.made} {
		f.write(&text)
	}
	m.mu.Unlock()
	h.writeLoad(&text)
	c.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.WriteHeader(http.StatusOK)
	_, _ = c.Write(text.Bytes())
	return nil
}

// writeLoad writes what is being done.
func (h *Handler) writeLoad(w io.Writer) {
	gauge := func(name, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name) }
	h.mu.Lock()
	running := h.running
	h.mu.Unlock()
	gauge("zoo_completions_running", "Requests for completions that wait or are answered.")
	fmt.Fprintf(w, "zoo_completions_running %d\n", running)
	for _, g := range []struct {
		name, help string
		value      func(runtime.BatcherStats) int64
	}{
		{"zoo_prompts_waiting", "Prompts that have not begun.", func(s runtime.BatcherStats) int64 { return int64(s.Waiting) }},
		{"zoo_prompts_running", "Prompts that are read or answered.", func(s runtime.BatcherStats) int64 { return int64(s.Reading + s.Running) }},
		{"zoo_state_bytes", "Memory of the states of those.", func(s runtime.BatcherStats) int64 { return s.Bytes }},
	} {
		gauge(g.name, g.help)
		for _, m := range h.models {
			if a, ok := m.completions.(interface{ Stats() runtime.BatcherStats }); ok {
				fmt.Fprintf(w, "%s{model=\"%s\"} %d\n", g.name, escaped.Replace(m.Name), g.value(a.Stats()))
			}
		}
	}
}
