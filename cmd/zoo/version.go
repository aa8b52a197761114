package main

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/runtime/ort"
)

// release is the version of this source tree.
const release = "0.1.0"

// version returns the release, and the commit where the build knows it.
func version() string {
	commit, changed := commit()
	if commit == "" {
		return release
	}
	text := release + "+" + commit[:min(12, len(commit))]
	if changed {
		text += ".dirty"
	}
	return text
}

// commit returns what the program was built from, "" where the build does not know,
// and whether the files differed from it.
func commit() (revision string, changed bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return revision, changed
}

func versionVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "say which zoo, Go and ONNX Runtime these are",
		Long: `version prints the release of zoo and the commit it was built from, the Go that
built it, and the ONNX Runtime library that it would use. See also zoo doctor.`,
		Example: example("zoo version"),
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			a.printVersion()
			return nil
		},
	}
}

func (a *app) printVersion() {
	from, changed := commit()
	switch {
	case from == "":
		from = "not known: built outside the repository"
	case changed:
		from += ", with changes"
	}
	a.print("zoo           %s", version())
	a.print("commit        %s", from)
	a.print("go            %s, %s/%s", goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	a.print("onnxruntime   %s", describeLibrary())
}

// describeLibrary names the library that would be used, without loading it.
func describeLibrary() string {
	lib, err := ort.Find("")
	switch {
	case absent(err):
		return "not installed" + unusable() + "; to install it, run: zoo setup"
	case err != nil:
		return err.Error()
	case lib.Version == "":
		return fmt.Sprintf("%s, which does not tell its version", lib.Path)
	}
	return fmt.Sprintf("%s, %s", lib.Version, lib.Path)
}
