// Service is a web server of its own that answers completions beside other things, with the
// pure-Go engine: no cgo and no library.
//
//	service 127.0.0.1:8080 copy-alibi.onnx runs/notes
//	curl http://127.0.0.1:8080/v1/completions -d '{"model": "notes", "prompt": "To do:"}'
//
// A model is an ONNX file, the folder of a run, or one of weights.
//
// It is a module of its own, as a program that embeds zoo is.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native" // the engine; runtime/ort is ONNX Runtime
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/zoo"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: service HOST:PORT MODEL…")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, addr string, names []string) error {
	var models []serve.Model
	for _, name := range names {
		session, err := zoo.Open(name, zoo.Options{})
		if err != nil {
			return err
		}
		defer session.Close()
		called := strings.TrimSuffix(filepath.Base(name), ".onnx")
		models = append(models, serve.Model{Name: called, Session: session})
	}
	completions, err := serve.New(models, serve.Options{
		Limits: serve.Limits{Time: time.Minute},
		Batch:  runtime.BatcherOptions{MaxRows: 16, MaxQueue: 64},
		Key:    os.Getenv("SERVICE_KEY"),
		Log:    slog.Default(),
	})
	if err != nil {
		return err
	}
	defer completions.Close()

	mux := http.NewServeMux()
	mux.Handle("/v1/", completions)
	mux.Handle("/metrics", completions)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "this program does something else, too")
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second} // of its own; completions set theirs

	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("listening at http://%s\n", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// Answers that run have ten seconds to end; then their clients are told that they do not, for
	// which the server has some seconds more.
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err = completions.Shutdown(grace); err != nil {
		err = fmt.Errorf("answers were cut off: %w", err)
	}
	last, cancelLast := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancelLast()
	return errors.Join(err, server.Shutdown(last))
}
