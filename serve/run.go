package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Shutdown takes no more completions, which get status 503, and waits until those that run have
// ended. When ctx ends before that, it cuts them off, which their clients are told, and returns
// ctx's error. It does not end the server that the handler is mounted in.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	if !h.draining {
		h.draining = true
		if h.running == 0 {
			close(h.idle)
		}
	}
	h.mu.Unlock()
	select {
	case <-h.idle:
		return nil
	case <-ctx.Done():
	}
	h.cut(errShutdown)
	select {
	case <-h.idle:
	case <-time.After(farewell):
	}
	return ctx.Err()
}

// Serve serves on a listener until ctx ends. Then it closes the listener, and gives what is being
// answered the grace to end; what has not ended is cut off, and is the error. It can be called
// once.
//
// A service that is reached by a loopback address only, and has no key, takes requests for IP
// addresses and localhost alone: else a web page could have its own name stand for this machine,
// and use the service through its visitor's browser.
func (h *Handler) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	var served http.Handler = h
	if h.key == nil && IsLoopback(l.Addr()) {
		served = h.localOnly()
	}
	server := &http.Server{
		Handler: served, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	h.log.Info("shutting down", slog.Duration("grace", grace))
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	cut := make(chan error, 1)
	go func() { cut <- h.Shutdown(within) }()
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), grace+farewell)
	defer cancelLast()
	err := server.Shutdown(last)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	if late := <-cut; late != nil {
		return errors.New("serve: answers were cut off that did not end within the grace of " + grace.String())
	}
	return err
}

// IsLoopback reports whether an address is reached from its own machine alone.
func IsLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// localOnly refuses requests for a name that is not this machine's own.
func (h *Handler) localOnly() http.Handler {
	refuse := h.handle(route{path: "other", open: true, serve: func(c *call) error {
		return &failure{status: http.StatusForbidden, kind: kindRequest,
			message: "the request is for the host " + shortened(c.r.Host) + "; without a key only localhost and IP addresses are served"}
	}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		name = strings.Trim(name, "[]")
		if _, err := netip.ParseAddr(name); err != nil && !strings.EqualFold(name, "localhost") {
			refuse.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
