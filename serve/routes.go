package serve

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/nopezoo/zoo/runtime/engine"
)

// route is a path that is served.
type route struct {
	method, pattern string
	path            string // as logs and metrics have it
	open            bool   // it needs no key, and is nothing to log
	serve           func(*call) error
}

func (h *Handler) routes() http.Handler {
	mux := http.NewServeMux()
	paths := []string{}
	for _, r := range []route{
		{http.MethodPost, "/v1/completions", "/v1/completions", false, h.completions},
		{http.MethodPost, "/v1/chat/completions", "/v1/chat/completions", false, h.chatCompletions},
		{http.MethodPost, "/tokenize", "/tokenize", false, h.tokenize},
		{http.MethodPost, "/detokenize", "/detokenize", false, h.detokenize},
		{http.MethodGet, "/v1/models", "/v1/models", false, h.listModels},
		{http.MethodGet, "/v1/models/{id...}", "/v1/models/{id}", false, h.showModel},
		{http.MethodGet, "/healthz", "/healthz", true, h.health},
		{http.MethodGet, "/metrics", "/metrics", false, h.writeMetrics},
	} {
		paths = append(paths, r.method+" "+r.path)
		mux.Handle(r.pattern, h.handle(r))
	}
	mux.Handle("/", h.handle(route{path: "other", serve: func(c *call) error {
		return &failure{status: http.StatusNotFound, kind: kindRequest,
			message: "nothing is served at " + shortened(c.r.URL.Path) + "; known are " + strings.Join(paths, ", ")}
	}}))
	return mux
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.inner.ServeHTTP(w, r) }

// call is a request that is being answered, and what is told about it.
type call struct {
	http.ResponseWriter
	r       *http.Request
	id      string
	began   time.Time
	status  int           // 0 until it is sent
	model   string        // "" for none
	choices int           // asked for
	read    int           // tokens of prompts
	made    int           // tokens of completions
	first   time.Duration // until the first of those
	streams bool

	patience time.Duration // with the client
	control  *http.ResponseController
}

// WriteHeader implements http.ResponseWriter.
func (c *call) WriteHeader(status int) {
	c.status = cmp.Or(c.status, status)
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. A client that does not take what it is sent loses its
// connection.
func (c *call) Write(data []byte) (int, error) {
	last := c.began.Add(c.patience) // until then net/http reads a body that is still to come, before it sends
	if now := time.Now(); now.After(last) {
		last = now
	}
	if err := supported(c.control.SetWriteDeadline(last.Add(c.patience))); err != nil {
		return 0, err
	}
	return c.ResponseWriter.Write(data)
}

// supported is the error of what a ResponseController did, unless that is not to be had there.
func supported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// Unwrap is for http.ResponseController.
func (c *call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// handle makes a handler of a route: method, key, errors, log and metrics are the same for all.
func (h *Handler) handle(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		c := &call{ResponseWriter: w, r: request, id: newID(), began: time.Now(), patience: h.patience}
		c.control = http.NewResponseController(w)
		_ = c.control.SetReadDeadline(c.began.Add(c.patience)) // fails where it is not to be had
		c.Header().Set("X-Request-Id", c.id)
		c.Header().Set("X-Content-Type-Options", "nosniff")
		err := h.admit(r, c)
		if err == nil {
			err = guarded(func() error { return r.serve(c) })
		}
		var f *failure
		if err != nil {
			if f = h.failureOf(request.Context(), err); c.status == 0 {
				c.fail(f)
			}
		}
		h.record(r, c, f)
	})
}

// guarded returns what do returns, and a panic of do as an error: the request fails, which the log tells
// with the stack, and metrics count. net/http's own way to break off stays.
func guarded(do func() error) error {
	err := engine.Guard(do)
	if errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	return err
}

// admit refuses what no key opens, and methods that a path does not have.
func (h *Handler) admit(r route, c *call) error {
	if !r.open && !h.knows(c.r.Header.Get("Authorization")) {
		c.Header().Set("WWW-Authenticate", "Bearer")
		return &failure{status: http.StatusUnauthorized, kind: kindKey, code: "invalid_api_key",
			message: "the request has no key, or a wrong one; send the header Authorization: Bearer KEY"}
	}
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if r.method != "" && method != r.method {
		c.Header().Set("Allow", r.method)
		return &failure{status: http.StatusMethodNotAllowed, kind: kindRequest,
			message: "the method is " + shortened(c.r.Method) + ": want " + r.method}
	}
	return nil
}

// knows reports whether a header brings the key. How long it takes does not depend on how much
// of the key is right.
func (h *Handler) knows(authorization string) bool {
	if h.key == nil {
		return true
	}
	scheme, key, _ := strings.Cut(authorization, " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(key)))
	return subtle.ConstantTimeCompare(hash[:], h.key[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// fail sends an error as the whole answer.
func (c *call) fail(f *failure) {
	if f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable {
		c.Header().Set("Retry-After", "1")
	}
	c.json(f.status, f.body())
}

// json sends a value as the whole answer. That the client has left is not seen here.
func (c *call) json(status int, v any) {
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(status)
	e := json.NewEncoder(c)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// record logs a request that has ended, and counts it. f is nil for one that went well.
func (h *Handler) record(r route, c *call, f *failure) {
	status := c.status
	if f != nil {
		status = f.status // of an answer that broke off, too
	}
	h.metrics.count(r.path, c, status)
	level, took := slog.LevelInfo, time.Since(c.began)
	attrs := []slog.Attr{slog.String("id", c.id), slog.String("method", shortened(c.r.Method)), slog.String("path", r.path),
		slog.Int("status", status), slog.Duration("took", took)}
	if c.model != "" {
		attrs = append(attrs, slog.String("model", c.model), slog.Bool("stream", c.streams), slog.Int("choices", c.choices),
			slog.Int("prompt_tokens", c.read), slog.Int("completion_tokens", c.made), slog.Duration("first_token", c.first))
	}
	switch {
	case f != nil && f.cause != nil:
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", f.cause.Error()))
	case f != nil: // its message may have words of the prompt
		attrs = append(attrs, slog.String("refused", f.kind), slog.String("param", f.param), slog.String("code", f.code))
	case r.open:
		level = slog.LevelDebug
	}
	h.log.LogAttrs(c.r.Context(), level, "request", attrs...)
}

// newID returns a name for a request.
func newID() string {
	var random [12]byte
	rand.Read(random[:]) // which never fails
	return "cmpl-" + hex.EncodeToString(random[:])
}

func (h *Handler) health(c *call) error {
	h.mu.Lock()
	draining := h.draining
	h.mu.Unlock()
	if draining {
		return shuttingDown()
	}
	c.json(http.StatusOK, map[string]string{"status": "ok"})
	return nil
}
