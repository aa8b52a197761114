// Command zoo trains, exports, measures and runs the models of the zoo. Each
// verb is one file, listed in verbs.go; the work is done by the packages that
// the verbs wire together.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Never stopped: a signal while the program ends must not change its exit code.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once. A second SIGTERM says nothing new:
	// a scheduler sends one to the script of a job, which passes it on, and to us.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
