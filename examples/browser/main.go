// Browser builds a page in which models of the catalogue run in the browser: in zoo's pure-Go
// engine as WebAssembly, and beside it in onnxruntime-web, from the same file.
//
//	go run ./examples/browser
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const help = `browser builds a page in which models of the catalogue run in the browser: in
zoo's pure-Go engine as WebAssembly, and beside it in onnxruntime-web, from the
same file. It serves the page on this machine, or writes it as a folder.

The engine is compiled by the go command, so run it within zoo's module.
onnxruntime-web comes from the user's cache, where npm puts it once, with its
hash checked. Without it the page has the pure-Go engine alone, and says so.

Examples:
  go run ./examples/browser                      # http://127.0.0.1:8080
  go run ./examples/browser --models copy-t5,copy-rsc-nope
  go run ./examples/browser --addr 127.0.0.1:0   # any free port
  go run ./examples/browser -o site              # for any web server
  go run ./examples/browser --offline -o site    # fetches nothing

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("browser", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	models := flags.String("models", strings.Join(defaultModels, ","), "`names` of the catalogue's models, with commas between")
	addr := flags.String("addr", "127.0.0.1:8080", "`host:port` to serve at")
	folder := flags.String("o", "", "write the page into this `folder` instead of serving it")
	offline := flags.Bool("offline", false, "take onnxruntime-web from the cache, and fetch nothing")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, help)
		flags.SetOutput(out)
		flags.PrintDefaults()
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see --help", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see --help", flags.Arg(0))
	}

	// The address is taken first: a page that nobody can serve need not be built.
	var listener net.Listener
	s := site{folder: *folder, models: strings.Split(*models, ","), offline: *offline, published: *folder != ""}
	if !s.published {
		var err error
		if listener, err = net.Listen("tcp", *addr); err != nil {
			return fmt.Errorf("%w; choose another address with --addr", err)
		}
		defer listener.Close()
		if s.folder, err = os.MkdirTemp("", "zoo-browser-"); err != nil {
			return err
		}
		defer os.RemoveAll(s.folder)
	}
	made, err := s.build(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "zoo.wasm: %s\n", sizeOf(s.folder, "zoo.wasm"))
	if made.ORT != nil {
		fmt.Fprintf(out, "onnxruntime-web %s: %s\n", made.ORT.Version, sizeOf(s.folder, made.ORT.Module, made.ORT.Binary))
	} else {
		fmt.Fprintf(out, "the page has no onnxruntime-web: %v\n", made.noORT)
	}
	if s.published {
		fmt.Fprintf(out, "wrote %s; any web server can serve it\n", s.folder)
		return nil
	}
	fmt.Fprintf(out, "listening at http://%s\n", listener.Addr())
	return serve(ctx, listener, s.folder)
}

// serve serves a folder until ctx ends.
func serve(ctx context.Context, listener net.Listener, folder string) error {
	server := &http.Server{Handler: handler(folder), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// handler serves a folder as a page that loads nothing from elsewhere.
func handler(folder string) http.Handler {
	files := http.FileServer(http.Dir(folder))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache") // ask whether it has changed
		files.ServeHTTP(w, r)
	})
}

// policy is what the page may load and run; index.html has it for other servers.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"worker-src 'self'; base-uri 'none'; form-action 'none'"
