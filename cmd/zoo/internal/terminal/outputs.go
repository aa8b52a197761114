package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Outputs are the files of a command that writes several, one for each model.
type Outputs struct {
	named   string            // by the user: a file, a folder for them all, or ""
	into    bool              // named is a folder for them all
	written map[string]string // the model of each path
}

// Files are n outputs whose names end in ext. A named folder takes them all, and is made if need be; several outputs
// need a folder.
func Files(named string, n int, ext string) (Outputs, error) {
	info, err := os.Stat(named)
	if isFile := err == nil && !info.IsDir(); n > 1 && (isFile || strings.HasSuffix(named, ext)) {
		return Outputs{}, fmt.Errorf("--output %s: %d models need a folder, not one file", named, n)
	}
	asFolder := named != "" && os.IsPathSeparator(named[len(named)-1])
	return Outputs{named, n > 1 || asFolder || err == nil && info.IsDir(), map[string]string{}}, nil
}

// Folders are n outputs that are folders. A named folder takes them all if there are several, or if it exists and is not
// an output itself, to be replaced.
func Folders(named string, n int, isOne func(folder string) bool) Outputs {
	info, err := os.Stat(named)
	return Outputs{named, n > 1 || err == nil && info.IsDir() && !isOne(named), map[string]string{}}
}

// Output is the output called name, unless the user named another. It is made from a model, whose files are inputs. A
// second output of one path is refused.
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
