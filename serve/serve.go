package serve

import (
	"context"
	"crypto/sha256"
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
	"github.com/nopezoo/zoo/runtime"
)

// Model is what is served under a name.
type Model struct {
	Name    string
	Session *runtime.Session // must have a tokenizer, and is not closed by the service
	Answers Answerer         // how prompts are answered: see Answers
}

// Answerer continues prompts, as runtime.Session does, for many callers at a time.
type Answerer interface {
	Stream(ctx context.Context, prompts []runtime.Prompt, opt runtime.GenerateOptions) iter.Seq2[runtime.TextStep, error]
}

// Options say how models are served. The zero value works.
type Options struct {
	Limits Limits
	Key    string       // that requests have to bring ("Authorization: Bearer KEY"), except to /healthz; "" for none
	Log    *slog.Logger // gets a line for each request, without what prompts and answers say; nil for none
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

	ctx context.Context // of all answers
	cut context.CancelCauseFunc

	mu       sync.Mutex
	running  int           // completions that are being answered
	draining bool          // no more of them are taken
	idle     chan struct{} // closed when draining and none is running
}

// served is a model with what requests need to know of it.
type served struct {
	Model
	vocab       int
	maxLength   int    // of the model; 0 for no limit
	fingerprint string // of its weights; "" where they have no hash
}

// New returns a handler for models.
func New(models []Model, opt Options) (*Handler, error) {
	limits, err := opt.Limits.complete()
	if err != nil {
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
		s, err := newServed(m)
		if err != nil {
			return nil, fmt.Errorf("serve: model %q: %w", m.Name, err)
		}
		if h.find(m.Name) != nil {
			return nil, fmt.Errorf("serve: two models are called %q; give them names that differ", m.Name)
		}
		h.models = append(h.models, s)
	}
	h.ctx, h.cut = context.WithCancelCause(context.Background())
	h.inner = h.routes()
	return h, nil
}

func newServed(m Model) (*served, error) {
	if m.Name == "" || m.Session == nil || m.Answers == nil {
		return nil, errors.New("it needs a name, a session and what answers")
	}
	info := m.Session.Info()
	if info.Card.Form == card.Looped {
		return nil, runtime.ErrLooped
	}
	if _, err := m.Session.Encode(context.Background(), ""); errors.Is(err, runtime.ErrNoTokenizer) {
		return nil, err
	}
	s := &served{Model: m, vocab: info.VocabSize, maxLength: info.Card.MaxLength}
	if hash := info.Card.WeightsSHA256; len(hash) >= 12 {
		s.fingerprint = "fp_" + hash[:12]
	}
	return s, nil
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
	var names []string
	for _, s := range h.models {
		names = append(names, s.Name)
	}
	known := strings.Join(names, ", ")
	if name == "" {
		return nil, wrong("model", "there is no model: want one of %s", known)
	}
	return nil, &failure{status: http.StatusNotFound, kind: kindRequest, param: "model", code: "model_not_found",
		message: fmt.Sprintf("unknown model %q; known are %s", shortened(name), known)}
}
