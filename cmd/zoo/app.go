package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes.
const (
	exitFailure     = 1
	exitInterrupted = 130 // the shell's own for Ctrl-C
)

// app is what verbs see of the outside. Results go to stdout, progress and notes
// to stderr.
type app struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run is the whole program: from arguments to exit code. ctx ends at Ctrl-C.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &results{w: stdout}
	a := &app{args, stdin, out, stderr}
	root := a.root()
	root.SetArgs(args)
	err := cmp.Or(root.ExecuteContext(ctx), out.err)
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "zoo: %v\n", withRemedy(err))
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitFailure
}

// results is standard output. It remembers the first failure, so that results
// which reached nobody (a full disk) are no success.
type results struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (r *results) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("write results: %w", err)
	}
	return n, err
}

// note tells the user something that is not a result.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "zoo",
		Short: "a positional-encoding model zoo and ONNX runtime",
		Long: `zoo trains transformers that differ only in their positional encoding, exports
them to ONNX, and measures accuracy and speed at lengths never seen in training.

A first session:

  zoo setup                                    install ONNX Runtime
  zoo bench --lengths 20..200                  measure the models of the catalogue
  zoo train --pe nope,rope,alibi               train the same three here
  zoo export --pe rope                         write copy-rope.onnx`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		// An unknown verb is answered by RunE, with or without flags of its own.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("zoo {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	var known []string
	for _, verb := range verbs() {
		c := verb(a)
		root.AddCommand(c)
		known = append(known, c.Name())
	}
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknown("verb", args[0], known)
	}
	return root
}

// flagError adds the nearest flag to the complaint about an unknown one.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w; see: %s --help", err, c.CommandPath())
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	near := nearest(missing.GetSpecifiedName(), known)
	if near == "" {
		return fmt.Errorf("%w; see: %s --help", err, c.CommandPath())
	}
	return fmt.Errorf("%w; did you mean --%s? see: %s --help", err, near, c.CommandPath())
}

// example lays out a verb's examples.
func example(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// print writes one line of result.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.stdout, format+"\n", args...) }
