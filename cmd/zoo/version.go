package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/engine"
)

// release is the version of this source tree.
const release = "0.2.0"

// version returns the release, and the commit where the build knows it.
func version() string {
	commit, changed := doctor.Commit()
	if commit == "" {
		return release
	}
	text := release + "+" + commit[:min(12, len(commit))]
	if changed {
		text += ".dirty"
	}
	return text
}

// thirdParty has the terms of the program's modules, fonts and scripts: TestThirdParty writes it.
//
//go:embed THIRD_PARTY
var thirdParty string

func versionVerb(a *app) *cobra.Command {
	var licences bool
	c := &cobra.Command{
		Use:   "version",
		Short: "say which zoo, Go and ONNX Runtime these are",
		Args:  arguments.None,
		RunE: func(*cobra.Command, []string) error {
			if licences {
				_, err := io.WriteString(a.Out, thirdParty)
				return err
			}
			a.printVersion()
			return nil
		},
	}
	c.Flags().BoolVar(&licences, "licences", false, "write the terms of the modules, fonts and scripts that are in the program")
	return c
}

func (a *app) printVersion() {
	from, changed := doctor.Commit()
	switch {
	case from == "":
		from = "not known: built outside the repository"
	case changed:
		from += ", with changes"
	}
	a.Print("zoo           %s", version())
	a.Print("commit        %s", from)
	a.Print("go            %s, %s/%s", goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	a.Print("onnxruntime   %s", describeLibrary())
}

// describeLibrary names the library that would be used, without loading it.
func describeLibrary() string {
	lib, err := ort.Find(engine.CPU, "")
	var none *ort.NotFoundError
	switch {
	case errors.As(err, &none):
		return "not installed" + unusable(none) + "; to install it, run: zoo setup"
	case err != nil:
		return err.Error()
	case lib.Version == "":
		return fmt.Sprintf("%s, which does not tell its version", lib.Path)
	}
	return fmt.Sprintf("%s, %s, %s", lib.Version, lib.Path, loadedThrough())
}

func loadedThrough() string {
	if ort.Loader == "" {
		return "which this build cannot load"
	}
	return "loaded through " + ort.Loader
}
