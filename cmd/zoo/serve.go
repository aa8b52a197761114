package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/zoo"
)

type serveOptions struct {
	engineFlags
	bounds  runtime.BatcherOptions
	memory  int // MiB
	limits  serve.Limits
	runs    string
	addr    string
	keyFile string
	origins []string
	log     string
	grace   time.Duration
}

// logFormats are the forms that lines of the log may have.
var logFormats = []string{"text", "json", "none"}

func serveVerb(a *app) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve [NAME=]MODEL…",
		Short: "complete texts and chats over HTTP, as OpenAI's API does",
		Args:  arguments.Between(1, -1, "a model"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return a.serve(c.Context(), o, args)
		},
	}
	o.engineFlags.add(c)
	o.addFiles(c)
	a.addLinks(c)
	f := c.Flags()
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen at; port 0 takes a free one")
	f.StringVar(&o.keyFile, "api-key-file", "", "`file` of the key that requests must bring (default: $ZOO_API_KEY, or no key)")
	f.StringArrayVar(&o.origins, "cors", nil, "`origin` of a site whose pages may ask, such as https://example.org, or * (may be repeated)")
	f.IntVar(&o.bounds.MaxRows, "rows", 32, "most answers of a model that are made at a time")
	f.IntVar(&o.bounds.MaxQueue, "queue", 256, "most requests that wait; more get status 429")
	f.IntVar(&o.memory, "max-memory", 1024, "most MiB that the states of a model's answers take; others wait")
	f.IntVar(&o.limits.Tokens, "max-tokens", 4096, "most tokens of a prompt and its answer")
	f.IntVar(&o.limits.Choices, "max-choices", 16, "most answers to a request: prompts times n")
	f.Int64Var(&o.limits.Body, "max-body", 1<<20, "most bytes of a request")
	f.DurationVar(&o.limits.Time, "timeout", 5*time.Minute, "most time of a request, waiting included")
	f.DurationVar(&o.grace, "grace", 30*time.Second, "time that answers have to end after Ctrl-C")
	f.StringVar(&o.log, "log", logFormats[0], strings.Join(logFormats, ", ")+": the lines on standard error, one for each request")
	return c
}

func (o serveOptions) check() error {
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"timeout", o.limits.Time}, {"grace", o.grace}} {
		if f.value <= 0 {
			return fmt.Errorf("--%s %v: want more than 0, such as 30s", f.name, f.value)
		}
	}
	if _, port, err := net.SplitHostPort(o.addr); err != nil || port == "" {
		return fmt.Errorf("--addr %s: want host:port, such as 127.0.0.1:8080; port 0 takes a free one", o.addr)
	}
	if most := int64(math.MaxInt64 >> 20); int64(o.memory) > most {
		return fmt.Errorf("--max-memory %d: want at most %d", o.memory, most)
	}
	return cmp.Or(o.engineFlags.check(), arguments.AtLeast("rows", o.bounds.MaxRows, 1), arguments.AtLeast("queue", o.bounds.MaxQueue, 1),
		arguments.AtLeast("max-memory", o.memory, 1),
		arguments.AtLeast("max-tokens", o.limits.Tokens, 1), arguments.AtLeast("max-choices", o.limits.Choices, 1),
		arguments.AtLeast("max-body", int(o.limits.Body), 1), arguments.OneOf("log", o.log, logFormats...))
}

// namesDiffer refuses models that requests could not tell apart.
func namesDiffer(models []zoo.Model) error {
	from := map[string]string{}
	for _, m := range models {
		if other, taken := from[m.Label]; taken {
			return fmt.Errorf("two models would be called %q, %s and %s: name one as NAME=PATH",
				m.Label, other, m.From)
		}
		from[m.Label] = m.From
	}
	return nil
}

// logger writes lines of the chosen form.
func (o serveOptions) logger(a *app) *slog.Logger {
	switch o.log {
	case "json":
		return slog.New(slog.NewJSONHandler(a.Err, nil))
	case "text":
		return slog.New(slog.NewTextHandler(a.Err, nil))
	}
	return slog.New(slog.DiscardHandler)
}

func (a *app) serve(ctx context.Context, o serveOptions, args []string) error {
	key, err := apiKey(o.keyFile)
	if err != nil {
		return err
	}
	labels := make([]string, len(args)) // those given as NAME=
	for i, arg := range args {
		label, path, named := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); named && err != nil { // no file whose name has the sign
			if label == "" || path == "" {
				return fmt.Errorf("%s: want NAME=MODEL, such as chat=copy-rope", arg)
			}
			labels[i], args[i] = label, path
		}
	}
	found, err := a.choose(o.runs, args, nil, "")
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Label = cmp.Or(labels[i], found[i].Label)
	}
	if err := namesDiffer(found); err != nil {
		return err
	}
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	o.bounds.MaxBytes = int64(o.memory) << 20
	var served []serve.Model
	var names []string
	for _, m := range found {
		session, err := o.open(m)
		if err != nil {
			return err
		}
		defer session.Close()
		a.noteWarnings(m.From, session)
		served = append(served, serve.Model{Name: m.Label, Session: session})
		names = append(names, m.Label)
	}
	h, err := serve.New(served, serve.Options{Limits: o.limits, Batch: o.bounds, Key: key, Origins: o.origins, Log: o.logger(a)})
	if err != nil {
		return err
	}
	defer h.Close()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w; choose another, of which port 0 takes a free one", o.addr, err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); key == "" && !(ok && tcp.IP.IsLoopback()) {
		a.Note("there is no key: whoever reaches %s may use the models; give one with --api-key-file", l.Addr())
	}
	a.Print("serving %s at http://%s/v1", strings.Join(names, ", "), l.Addr())
	return h.Serve(ctx, l, o.grace)
}
