package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Exit codes.
const (
	exitFailure     = 1
	exitInterrupted = 130 // the shell's own for Ctrl-C
)

// app has the arguments and streams that verbs share.
type app struct {
	args        []string
	linksWithin string // see addLinks
	terminal.Streams
}

// run is the program, from arguments to exit code. ctx ends at Ctrl-C.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, notes := terminal.NewPrintable(stdout), terminal.NewPrintable(stderr)
	defer notes.Close()
	a := &app{args: args, Streams: terminal.Streams{In: stdin, Out: out, Err: notes, Ended: ctx.Done()}}
	a.followLearning(ctx)
	err := a.execute(ctx)
	if unwritten := out.Close(); err == nil && unwritten != nil {
		err = fmt.Errorf("write results: %w", unwritten)
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	a.Note("zoo: %s", human.Error(withRemedy(err)))
	if ctx.Err() != nil && !errors.Is(err, sweep.ErrNoStep) {
		return exitInterrupted
	}
	return exitFailure
}

func (a *app) execute(ctx context.Context) error {
	root := a.root()
	root.SetArgs(a.args)
	if err := arguments.CheckVerb(root, a.args); err != nil {
		return err
	}
	verb := func() error { return root.ExecuteContext(ctx) }
	if c, _, _ := root.Find(a.args); slices.Contains(saving, c.Name()) && !slices.Contains(a.args, "--dry-run") {
		return verb()
	}
	return unlessEnded(ctx, patience, verb)
}

// saving are the verbs that save, or let requests end, for as long as that takes. Others lose nothing when they are left, nor does a dry run.
var saving = []string{"train", "sweep", "study", "catalogue", "serve"}

// patience is how long a verb may go on after an interrupt: not all work can be ended within.
const patience = 800 * time.Millisecond

// unlessEnded is f, which is left to itself when it goes on for longer than patience after the end of ctx.
func unlessEnded(ctx context.Context, patience time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return ctx.Err()
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "zoo",
		Short: "a positional-encoding model zoo and ONNX runtime",
		Args:  cobra.ArbitraryArgs, // arguments.CheckVerb checked them
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
			return cmp.Or(configs.CheckEnvironment(os.Environ()), checkRuns(c))
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.Flags().BoolP("version", "v", false, "which zoo, Go and ONNX Runtime these are, as zoo version says")
	root.SetFlagErrorFunc(arguments.FlagError)
	width := a.helpWidth()
	known, values := known(width), a.flagValues()
	root.SetUsageTemplate(wrapped(root.UsageTemplate(), width))
	explain(root, known, width)
	for _, verb := range verbs() {
		c := verb(a)
		explain(c, known, width)
		a.addCompletions(c, values)
		root.AddCommand(c)
	}
	root.SetHelpCommand(arguments.HelpVerb())
	// Cobra would add these later than arguments.CheckVerb needs them.
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	return root
}

// makingRuns are the verbs that make the folder of --runs. Others look for runs in it.
var makingRuns = []string{"train", "sweep", "study", "import", "catalogue"}

// checkRuns refuses a folder of runs that was named and is none, or is not there: the catalogue's models would stand in
// for its runs.
func checkRuns(c *cobra.Command) error {
	f := c.Flags().Lookup("runs")
	if f == nil || !f.Changed {
		return nil
	}
	if err := givenEmpty(c.Flags(), "runs"); err != nil {
		return err
	}
	info, err := os.Stat(f.Value.String())
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(makingRuns, c.Name()) {
		return nil
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file", f.Value)
	}
	if err != nil {
		return fmt.Errorf("--runs: %w; name a folder of runs, or leave the flag out", err)
	}
	return nil
}

// withRemedy adds what to do about a full disk, a run without a checkpoint, or a folder of another run.
func withRemedy(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w; free some space: what is saved stays, and the same command goes on", err)
	}
	var run *runfile.RunError
	switch {
	case errors.As(err, &run) && errors.Is(err, runfile.ErrNoCheckpoint):
		return fmt.Errorf("%w; make one: %s", err, resumeCommand(run.Dir))
	case errors.As(err, &run) && errors.Is(err, train.ErrOtherRun):
		return fmt.Errorf("%w; go on with that one alone: %s; "+
			"or choose another folder with --runs, or rename the sweep file", err, resumeCommand(run.Dir))
	}
	return err
}
