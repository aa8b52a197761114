package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

// needLibrary wants ONNX Runtime before the work that needs it begins. Where there
// is none it offers a person at a terminal to install it; otherwise the error says
// in one line what to do.
func (a *app) needLibrary(ctx context.Context) error {
	if _, err := ort.New(nil, ort.Options{}); errors.Is(err, ort.ErrNoCgo) {
		return err
	}
	_, err := ort.Find("")
	if err == nil || os.Getenv(ort.EnvLibrary) != "" { // to install one does not help where another is asked for
		return err
	}
	missing := fmt.Errorf("%w (%s or newer)%s; to install it, run: zoo setup",
		ort.ErrNoRuntime, ort.Version, unusable())
	if !isTerminal(a.stdin) || !isTerminal(a.stderr) {
		return missing
	}
	yes, err := a.ask(ctx, fmt.Sprintf("ONNX Runtime %s is not installed. "+
		"Install it for this user, from GitHub, npm or pip (at most %s to download, %s to keep)?",
		ort.Version, bytesText(install.DownloadSize), bytesText(install.LibrarySize)))
	if err != nil {
		return err
	}
	if !yes {
		return missing
	}
	beside := *a // the results are the verb's
	beside.stdout = a.stderr
	if err := beside.setup(ctx, install.Options{Provider: "cpu"}); err != nil {
		return err
	}
	_, err = ort.Find("")
	return err
}

// needProvider is needLibrary for verbs that can do without one.
func (a *app) needProvider(ctx context.Context, provider string) error {
	if provider != "cpu" {
		return nil
	}
	return withoutLibrary(a.needLibrary(ctx))
}

// unusable lists the libraries that were found and cannot be used.
func unusable() string {
	text := ""
	for _, c := range ort.Candidates("") {
		if c.Err != nil && !errors.Is(c.Err, fs.ErrNotExist) {
			text += "; " + c.Err.Error()
		}
	}
	return text
}

// absent reports whether ONNX Runtime is what an error misses, without anyone
// having asked for a particular library.
func absent(err error) bool {
	return errors.Is(err, runtime.ErrNoCgo) || errors.Is(err, runtime.ErrNoRuntime) && os.Getenv(ort.EnvLibrary) == ""
}

// ask puts a question to whoever sits at the terminal. No answer is no.
func (a *app) ask(ctx context.Context, question string) (yes bool, err error) {
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := a.input(ctx, func(r io.Reader) ([]byte, error) {
		line, _ := bufio.NewReader(r).ReadBytes('\n')
		return line, nil
	})
	text := strings.ToLower(strings.TrimSpace(string(line)))
	return text == "y" || text == "yes", err
}

// input reads standard input, until ctx ends: an interrupt does not end reading itself,
// which goes on until the program ends.
func (a *app) input(ctx context.Context, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	var text []byte
	done := make(chan error, 1)
	go func() {
		var err error
		text, err = read(a.stdin)
		done <- err
	}()
	select {
	case err := <-done:
		return text, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
