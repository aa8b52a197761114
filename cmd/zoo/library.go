package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

// needLibrary checks for ONNX Runtime before any work begins. Without one it offers a person at a
// terminal to install it; elsewhere the error says in one line what to do.
func (a *app) needLibrary(ctx context.Context) error {
	missing, installable := libraryHere()
	if !installable || !a.Interactive() {
		return missing
	}
	yes, err := a.Ask(ctx, fmt.Sprintf("ONNX Runtime %s is not installed. "+
		"Install it for this user, from GitHub, npm or pip (at most %s to download, %s to keep)?",
		ort.Version, human.Bytes(install.DownloadSize), human.Bytes(install.LibrarySize)))
	if err != nil {
		return err
	}
	if !yes {
		return missing
	}
	messages := *a // results are the verb's
	messages.Out = a.Err
	if err := messages.setup(ctx, install.Options{Provider: "cpu"}); err != nil {
		return err
	}
	_, err = ort.Find(engine.CPU, "")
	return err
}

// unusable says in one line what is wrong with the libraries that are there, each after "; "; "" for none.
func unusable(none *ort.NotFoundError) string {
	text := ""
	for _, c := range none.Searched {
		if !errors.Is(c.Err, fs.ErrNotExist) {
			text += "; " + c.Err.Error()
		}
	}
	return text
}

// libraryHere says in a line why ONNX Runtime cannot run here, nil where it can, and whether to install it helps: not
// where another library is asked for.
func libraryHere() (missing error, installable bool) {
	if ort.Loader == "" {
		return ort.ErrNoCgo, false
	}
	_, err := ort.Find(engine.CPU, "")
	var none *ort.NotFoundError
	if !errors.As(err, &none) {
		return err, false
	}
	return fmt.Errorf("%w (%s or newer)%s; to install it, run: zoo setup", ort.ErrNoRuntime, ort.Version, unusable(none)), true
}

// needProvider is needLibrary for verbs that can do without one; for a device's provider it also
// checks for the device.
func (a *app) needProvider(ctx context.Context, provider string) error {
	switch {
	case provider == "cpu":
		return withoutLibrary(a.needLibrary(ctx))
	case engine.OnDevice(provider):
		return runtime.Check(runtime.Options{Provider: provider})
	}
	return nil
}

// absent reports whether an error is about the lack of ONNX Runtime, and nobody asked for a
// particular library.
func absent(err error) bool {
	return errors.Is(err, runtime.ErrNoCgo) || errors.Is(err, runtime.ErrNoRuntime) && os.Getenv(ort.EnvLibrary) == ""
}
