package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nopezoo/zoo/internal/files"
)

// Stdout stands for standard output where a flag names a file.
const Stdout = "-"

// Output is the file of a command's result.
type Output struct {
	Path   string
	Inputs []string // files that the command reads, and must not write over
	// Rename is the flag for another name, "" where the user named the file. A name that
	// the program chose replaces nothing.
	Rename string
}

// OutputOr is the file that the user named, or else the one that the program chose.
func OutputOr(named, chosen string) Output {
	o := Output{Path: cmp.Or(named, chosen)}
	if named == "" {
		o.Rename = "-o " + chosen
	}
	return o
}

// Check refuses an output that cannot be written, before any work is done for it.
func (s Streams) Check(o Output) error {
	_, _, err := s.resolve(o)
	return err
}

// IsStream reports whether the output is standard output, a pipe or a device: room for one file.
func (s Streams) IsStream(o Output) bool {
	_, stream, _ := s.resolve(o)
	return stream
}

// resolve returns the file to make or to replace, at the end of links, or reports a stream:
// standard output, or a pipe or device, which is written to as it is.
func (s Streams) resolve(o Output) (path string, stream bool, err error) {
	if o.Path == Stdout {
		return o.Path, true, nil
	}
	info, err := os.Stat(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if end, wrong := os.Readlink(o.Path); wrong == nil {
			return "", false, fmt.Errorf("%s is a link to %s, which is not there; remove "+
				"the link, or name another file",
				o.Path, end)
		}
		return o.Path, false, nil
	}
	switch {
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a folder; name a file", o.Path)
	case !info.Mode().IsRegular():
		return o.Path, true, nil
	}
	for _, name := range o.Inputs {
		if in, err := s.statInput(name); err == nil && os.SameFile(in, info) {
			return "", false, fmt.Errorf("%s is what the command reads; name another file to write", o.Path)
		}
	}
	if o.Rename != "" {
		return "", false, o.taken()
	}
	path, err = filepath.EvalSymlinks(o.Path)
	return path, false, err
}

// statInput describes a file to be read, "-" being standard input.
func (s Streams) statInput(name string) (fs.FileInfo, error) {
	if f, ok := s.In.(*os.File); ok && name == "-" {
		return f.Stat()
	}
	return os.Stat(name)
}

// Write makes or replaces the file whole, in a folder that it makes if need be;
// standard output, pipes and devices are written to as they are.
func (s Streams) Write(o Output, contents func(io.Writer) error) error {
	path, stream, err := s.resolve(o)
	if err != nil {
		return err
	}
	if o.Path == Stdout {
		if isTerminal(s.Out) {
			return contents(s.Out)
		}
		return contents(Raw(s.Out)) // which may be no text
	}
	if stream {
		return s.writeStream(path, contents)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return files.WriteAtomic(path, contents)
}

// writeStream writes to a pipe or device. Opening a pipe waits for a reader, and writing to it waits for
// reads; both waits end with the program.
func (s Streams) writeStream(path string, contents func(io.Writer) error) error {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	var o opened
	select {
	case o = <-done:
	case <-s.Ended: // the file is closed by the end of the program
		return context.Canceled
	}
	if o.err != nil {
		return o.err
	}
	written := make(chan struct{})
	defer close(written)
	go func() {
		select {
		case <-s.Ended:
			_ = o.f.SetWriteDeadline(time.Now()) // devices have none, and take what is written
		case <-written:
		}
	}()
	err := errors.Join(contents(o.f), o.f.Close())
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return context.Canceled
	}
	return err
}

// WriteBytes is Write of bytes.
func (s Streams) WriteBytes(o Output, data []byte) error {
	return s.Write(o, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Messages returns the streams for messages about an output: they go to standard error where its
// contents may have gone to standard output.
func (s Streams) Messages(o Output) Streams {
	if s.IsStream(o) {
		s.Out = s.Err
	}
	return s
}

// taken is the error for a name that the program chose and another file has.
func (o Output) taken() error {
	return fmt.Errorf("%s is there already; to replace it: %s", o.Path, o.Rename)
}

// CheckFolder refuses to make a folder of standard output, of the command's input, or over a folder whose name the
// program chose.
func (o Output) CheckFolder(input string) error {
	if o.Path == Stdout {
		return errors.New("--output -: a folder cannot go to standard output; name one")
	}
	if _, err := os.Lstat(o.Path); err == nil && o.Rename != "" {
		return o.taken()
	}
	in, err := os.Stat(input)
	if err != nil {
		return nil // there is no such input
	}
	if out, err := os.Stat(o.Path); err == nil && os.SameFile(in, out) {
		return fmt.Errorf("%s is what the command reads; name another folder to write", o.Path)
	}
	return nil
}
