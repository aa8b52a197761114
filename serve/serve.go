package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/tokenizer/chat"
)

// One serves a single model under a name, with the usual options.
func One(name string, s *runtime.Session) (*Handler, error) {
	return New([]Model{{Name: name, Session: s}}, Options{})
}

// Model is what is served under a name.
type Model struct {
	Name    string
	Session *runtime.Session // must have a tokenizer, and is not closed by the service
}

// streamer continues prompts, as runtime.Session does, for many callers at a time.
type streamer interface {
	Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error]
}

// Options say how models are served. The zero value works.
type Options struct {
	Limits Limits
	// Batch bounds what a model does at a time. Where its provider computes on a device, requests are answered one
	// after the other, and MaxQueue alone is heeded.
	Batch runtime.BatcherOptions
	// Origins are the sites whose pages may ask, such as "https://example.org"; "*" stands for all. Pages of other
	// sites are refused.
	Origins []string
	Key     string       // that requests have to bring ("Authorization: Bearer KEY"), except to /healthz; "" for none
	Log     *slog.Logger // gets a line for each request, without what prompts and answers say; nil for none
}

// Handler serves models. It is safe for concurrent use.
type Handler struct {
	models  []*served
	limits  Limits
	key     *[sha256.Size]byte // hash of the key, nil for none
	log     *slog.Logger
	inner   http.Handler
	metrics *metrics
	began   time.Time

	patience      time.Duration // with clients that are slow
	budget        budget
	understanding chan struct{} // has an element for each request that is parsed

	ctx context.Context // of all completions
	cut context.CancelCauseFunc

	mu       sync.Mutex
	running  int           // completions that are being answered
	draining bool          // no more of them are taken
	idle     chan struct{} // closed when draining and none is running
}

// served is a model with what requests need to know of it.
type served struct {
	Model
	completions streamer
	close       func() error // ends the completions
	vocab       int
	maxLength   int    // of the model; 0 for no limit
	fingerprint string // of its weights; "" where they have no hash
	renderChat  func(ctx context.Context, messages json.RawMessage, more map[string]json.RawMessage) (string, error)
	noChat      error         // why conversations are refused; nil where they are not
	scoring     chan struct{} // has an element while a prompt is scored
}

// New returns a handler for models.
func New(models []Model, opt Options) (*Handler, error) {
	limits, err := opt.Limits.complete()
	if err != nil {
		return nil, err
	}
	if err := checkOrigins(opt.Origins); err != nil {
		return nil, err
	}
	if len(models) == 0 {
		return nil, errors.New("serve: there is no model")
	}
	h := &Handler{limits: limits, log: opt.Log, metrics: newMetrics(), began: time.Now(), idle: make(chan struct{}),
		patience: usualPatience, understanding: make(chan struct{}, goruntime.GOMAXPROCS(0))}
	h.budget.most = limits.Bodies
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if opt.Key != "" {
		hash := sha256.Sum256([]byte(opt.Key))
		h.key = &hash
	}
	for _, m := range models {
		s, err := newServed(m, opt.Batch)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("serve: model %q: %w", m.Name, err), h.Close())
		}
		twice := h.find(m.Name) != nil
		if h.models = append(h.models, s); twice {
			return nil, errors.Join(fmt.Errorf("serve: two models are called %q; give them names that differ", m.Name), h.Close())
		}
	}
	h.ctx, h.cut = context.WithCancelCause(context.Background())
	h.inner = cors(opt.Origins, h.strangers(opt.Origins, h.routes()))
	return h, nil
}

// Close ends all completions with runtime.ErrClosed, before their sessions are closed. Closing again does nothing.
func (h *Handler) Close() error {
	errs := lists.Map(h.models, func(s *served) error { return s.close() })
	return errors.Join(errs...)
}

func newServed(m Model, batch runtime.BatcherOptions) (*served, error) {
	if m.Name == "" || m.Session == nil {
		return nil, errors.New("it needs a name and a session")
	}
	info := m.Session.Info()
	if info.Card.Form == card.Looped {
		return nil, runtime.ErrLooped
	}
	if _, err := m.Session.Encode(context.Background(), ""); errors.Is(err, runtime.ErrNoTokenizer) {
		return nil, err
	}
	s := &served{Model: m, vocab: info.VocabSize, maxLength: info.Card.MaxLength, scoring: make(chan struct{}, 1)}
	if hash := info.Card.WeightsSHA256; len(hash) >= 12 {
		s.fingerprint = "fp_" + hash[:12]
	}
	s.noChat = errors.New("it came without a chat template; ask /v1/completions")
	if p := info.Card.Pretrained; p != nil && p.Chat != nil {
		s.renderChat, s.noChat = chat.New(p.Chat.Template, p.Chat.BOS, p.Chat.EOS)
	}
	return s, s.begin(info.Provider, batch)
}

// begin makes the streamer of the model.
func (s *served) begin(provider string, batch runtime.BatcherOptions) error {
	if engine.OnDevice(provider) { // where rows cannot join others
		q := newQueue(s.Session, 1, max(cmp.Or(batch.MaxQueue, 256), 0))
		s.completions, s.close = q, q.Close
		return nil
	}
	b, err := runtime.NewBatcher(s.Session, batch)
	if err == nil {
		s.completions, s.close = b, b.Close
	}
	return err
}

// find returns the model of a name, nil for none.
func (h *Handler) find(name string) *served {
	at := slices.IndexFunc(h.models, func(s *served) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return h.models[at]
}

// lookup is find, and an error for none.
func (h *Handler) lookup(name string) (*served, error) {
	if s := h.find(name); s != nil {
		return s, nil
	}
	if name == "" && len(h.models) == 1 {
		return h.models[0], nil
	}
	names := lists.Map(h.models, func(s *served) string { return s.Name })
	known := strings.Join(names, ", ")
	if name == "" {
		return nil, wrong("model", "there is no model: want one of %s", known)
	}
	return nil, &failure{status: http.StatusNotFound, kind: kindRequest, param: "model", code: "model_not_found",
		message: fmt.Sprintf("unknown model %q; known are %s", shortened(name), known)}
}
