package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/graph/tensor"
)

// stdoutName stands for standard output where a flag names a file.
const stdoutName = "-"

// output is a file that a verb writes its result to.
type output struct {
	path   string
	inputs []string // files that the command reads, which it must not write over
	// rename is the flag that would name the file, "" where the user did. A name that
	// zoo chose replaces nothing.
	rename string
}

// defaultOutput is a file whose name zoo chose.
func defaultOutput(path string) output { return output{path: path, rename: "-o " + path} }

// check refuses what cannot be written, before any work is done for it.
func (o output) check(a *app) error {
	_, _, err := o.resolve(a)
	return err
}

// resolve returns the file to make or to replace, that of a link's end, or says
// that the path is a pipe or device, which is written to as it is.
func (o output) resolve(a *app) (path string, stream bool, err error) {
	if o.path == stdoutName {
		return o.path, true, nil
	}
	info, err := os.Stat(o.path)
	if errors.Is(err, fs.ErrNotExist) {
		if end, wrong := os.Readlink(o.path); wrong == nil {
			return "", false, fmt.Errorf("%s is a link to %s, which is not there; remove the link, or name another file", o.path, end)
		}
		return o.path, false, nil
	}
	switch {
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a folder; name a file", o.path)
	case !info.Mode().IsRegular():
		return o.path, true, nil
	}
	for _, name := range o.inputs {
		if in, err := a.statInput(name); err == nil && os.SameFile(in, info) {
			return "", false, fmt.Errorf("%s is what the command reads; name another file to write", o.path)
		}
	}
	if o.rename != "" {
		return "", false, replaces(o.path, o.rename)
	}
	path, err = filepath.EvalSymlinks(o.path)
	return path, false, err
}

// statInput describes a file to be read, "-" being standard input.
func (a *app) statInput(name string) (fs.FileInfo, error) {
	if f, ok := a.stdin.(*os.File); ok && name == "-" {
		return f.Stat()
	}
	return os.Stat(name)
}

// write makes or replaces the file whole, in a folder that it makes if need be;
// standard output, pipes and devices are written to as they are.
func (a *app) write(o output, contents func(io.Writer) error) error {
	path, stream, err := o.resolve(a)
	if err != nil {
		return err
	}
	if o.path == stdoutName {
		if isTerminal(a.stdout) {
			return contents(a.stdout)
		}
		return contents(rawWriter(a.stdout)) // which may be no text
	}
	if stream {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(contents(f), f.Close())
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return tensor.WriteFileAtomic(path, contents)
}

// writeBytes is write for contents that are there already.
func (a *app) writeBytes(o output, data []byte) error {
	return a.write(o, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// beside returns a with results on standard error where the contents of the file may
// have gone to standard output.
func (a *app) beside(o output) *app {
	if _, stream, _ := o.resolve(a); stream {
		return &app{a.args, a.stdin, a.stderr, a.stderr}
	}
	return a
}

// replaces is the error for a name that zoo chose and that is taken.
func replaces(path, flag string) error {
	return fmt.Errorf("%s is there already; to replace it: %s", path, flag)
}

// checkFolder refuses a folder to be made that is the one the command reads, or
// standard output.
func checkFolder(path, input string) error {
	if path == stdoutName {
		return errors.New("--output -: a folder cannot go to standard output; name one")
	}
	in, err := os.Stat(input)
	if err != nil {
		return nil // there is no such input
	}
	if out, err := os.Stat(path); err == nil && os.SameFile(in, out) {
		return fmt.Errorf("%s is what the command reads; name another folder to write", path)
	}
	return nil
}

// keepNowhere takes "-o -" of bench for what it means: rows on standard output, none
// of them kept.
func (o *benchOptions) keepNowhere(flags *pflag.FlagSet) error {
	if o.output != stdoutName {
		return nil
	}
	if flags.Changed("format") && o.format != "jsonl" {
		return fmt.Errorf("--output - writes JSON lines to standard output, and --format %s something else; leave one of the two out", o.format)
	}
	o.output, o.format = "", "jsonl"
	return nil
}
