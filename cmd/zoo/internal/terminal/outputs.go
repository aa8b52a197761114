package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Outputs are the files of a command that writes one for each of several things.
type Outputs struct {
	named   string            // by the user: a file, a folder for them all, or ""
	into    bool              // named is a folder for them all
	written map[string]string // what the command wrote, and from what
}

// Files are n outputs whose names end in ext. A named folder takes them all, and is made if need be; several files
// need one.
func Files(named string, n int, ext string) (Outputs, error) {
	info, err := os.Stat(named)
	if isFile := err == nil && !info.IsDir(); n > 1 && (isFile || strings.HasSuffix(named, ext)) {
		return Outputs{}, fmt.Errorf("--output %s: %d models need a folder, not one file", named, n)
	}
	asFolder := named != "" && os.IsPathSeparator(named[len(named)-1])
	return Outputs{named, n > 1 || asFolder || err == nil && info.IsDir(), map[string]string{}}, nil
}

// Folders are n outputs that are folders. A named one takes them all if there are several, or if it is there and not
// one of their kind, which would be replaced.
func Folders(named string, n int, isOne func(folder string) bool) Outputs {
	info, err := os.Stat(named)
	return Outputs{named, n > 1 || err == nil && info.IsDir() && !isOne(named), map[string]string{}}
}

// Output is where one of them goes, by its own name unless the user gave one. from says what it is made of, and
// inputs are its files. A second one in the same place is refused.
func (o Outputs) Output(name, from string, inputs []string) (Output, error) {
	out := Output{Path: o.named, Inputs: inputs}
	if o.named == "" || o.into {
		out.Path = filepath.Join(o.named, name)
	}
	switch {
	case o.named == "" && o.into:
		out.Rename = "-o ."
	case o.named == "":
		out.Rename = "-o " + out.Path
	}
	if other := o.written[out.Path]; other != "" {
		return out, fmt.Errorf("%s was written by this command, from %s; export one at a time, with -o", out.Path,
			other)
	}
	o.written[out.Path] = from
	return out, nil
}
