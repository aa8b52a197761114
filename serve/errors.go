package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/nopezoo/zoo/runtime"
)

// Kinds of errors, in OpenAI's words.
const (
	kindRequest = "invalid_request_error"
	kindKey     = "authentication_error"
	kindLimit   = "rate_limit_error"
	kindServer  = "server_error"
)

// statusGone is what logs and metrics have for a client that left before its answer: no one
// gets it.
const statusGone = 499

// failure is an error as clients get it.
type failure struct {
	status  int
	message string
	kind    string
	param   string // the field that is wrong; "" for none
	code    string // for programs; "" for none
	cause   error  // for the log, of what clients are not told; nil for none
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// body is the failure in OpenAI's form.
func (f *failure) body() any {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return struct {
		Error inner `json:"error"`
	}{inner{f.message, f.kind, text(f.param), text(f.code)}}
}

// wrong is a failure of a field of the request.
func wrong(param, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...), kind: kindRequest, param: param}
}

// Why completions are cut off.
var (
	errTimeout  = errors.New("the time limit is over")
	errShutdown = errors.New("the service is shutting down")
	errGone     = errors.New("the client has left")
)

func shuttingDown() *failure {
	return &failure{status: http.StatusServiceUnavailable, message: errShutdown.Error(), kind: kindServer, code: "shutting_down"}
}

// failureOf says what a client gets for an error of a call under ctx.
func (h *Handler) failureOf(ctx context.Context, err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil || errors.Is(err, errGone):
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, errTimeout):
			return &failure{status: http.StatusGatewayTimeout, kind: kindServer, code: "timeout",
				message: fmt.Sprintf("the answer took longer than %v, waiting included; ask for fewer tokens, or later", h.limits.Time)}
		case errors.Is(cause, errShutdown):
			return shuttingDown()
		}
		return &failure{status: statusGone, message: errGone.Error(), kind: kindRequest}
	case errors.Is(err, runtime.ErrBusy):
		return &failure{status: http.StatusTooManyRequests, message: err.Error() + "; try again later", kind: kindLimit, code: "queue_full"}
	case errors.Is(err, runtime.ErrInput):
		return &failure{status: http.StatusBadRequest, message: err.Error(), kind: kindRequest}
	case errors.Is(err, runtime.ErrClosed):
		return shuttingDown()
	}
	return &failure{status: http.StatusInternalServerError, message: "the service failed; its log says how", kind: kindServer, cause: err}
}
