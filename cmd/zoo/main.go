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
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		ends = append(ends, syscall.SIGHUP) // the terminal was closed
	}
	// Never stopped: a signal while the program ends must not change its exit code.
	ctx, _ := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() {
		// A second Ctrl-C ends the program at once. A second SIGTERM says nothing new:
		// a scheduler sends one to the script of a job, which passes it on, and to us.
		signal.Reset(os.Interrupt)
		// The reader of our output may have ended by the same signal: a broken pipe must not
		// end us before everything is saved.
		signal.Ignore(syscall.SIGPIPE)
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
