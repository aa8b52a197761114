package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/zoo/find"
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
	text, notes := &printable{w: stdout}, &printable{w: stderr}
	defer notes.end()
	out := &results{w: text}
	a := &app{args, stdin, out, notes}
	root := a.root()
	root.SetArgs(args)
	err := checkVerb(root, args)
	if err == nil {
		err = cmp.Or(root.ExecuteContext(ctx), out.err)
	}
	text.end()
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(notes, "zoo: %v\n", withRemedy(err))
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
		Args: cobra.ArbitraryArgs, // checkVerb has seen to them
		RunE: func(c *cobra.Command, _ []string) error {
			if asked, _ := c.Flags().GetBool("version"); asked {
				a.printVersion()
				return nil
			}
			return c.Help()
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Name() == cobra.ShellCompRequestCmd {
				return nil // a shell that asks cannot show it
			}
			return configs.CheckEnvironment(os.Environ())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Flags().BoolP("version", "v", false, "which zoo, Go and ONNX Runtime these are, as zoo version says")
	root.SetFlagErrorFunc(flagError)
	for _, verb := range verbs() {
		c := verb(a)
		a.addCompletions(c)
		root.AddCommand(c)
	}
	root.SetHelpCommand(helpVerb())
	// Cobra adds these on the way, too late for checkVerb.
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()

	return root
}

// example lays out a verb's examples.
func example(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// print writes one line of result.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.stdout, format+"\n", args...) }

// withRemedy adds to the error of a full disk what to do.
func withRemedy(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w; free some space: what is saved stays, and the same command goes on", err)
	}
	var none *find.NoCheckpointError
	if errors.As(err, &none) {
		return fmt.Errorf("%w; make one: %s", err, resumeCommand(none.Dir))
	}
	return err
}
