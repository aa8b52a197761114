package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
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
	select {
	case <-h.idle: // at the last moment, and nothing is cut off
		return nil
	default:
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
func (h *Handler) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
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

// isLoopback reports whether an address is reached from its own machine alone.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
