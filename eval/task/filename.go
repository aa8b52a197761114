package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// What the names of a task whose samples come from a file begin with: that which Lookup
// reads, and that which results have.
const (
	filePrefix = "file:"
	fileLabel  = "file-"
)

// digestLength is how many hex digits of a file's SHA-256 its names have.
const digestLength = 12

var (
	validDigest = regexp.MustCompile(fmt.Sprintf("^[0-9a-f]{%d}$", digestLength))
	notInLabel  = regexp.MustCompile("[^a-z0-9]+")
)

// fileName is the name of a task from a file: "file:PATH" as it is typed, or as it is
// stored with a model, "file:PATH#DIGEST".
type fileName struct{ path, digest string }

func parseFileName(name string) (fileName, error) {
	rest := strings.TrimPrefix(name, filePrefix)
	if at := strings.IndexByte(rest, '+'); at >= 0 {
		return fileName{}, fmt.Errorf("task %s: unknown option %q: a task from a file has none, and its path no plus",
			filePrefix+shorten(rest[:at]), shorten(rest[at+1:]))
	}
	p, digest, stored := strings.Cut(rest, "#")
	switch {
	case p == "":
		return fileName{}, fmt.Errorf("task %q has no path: want file:PATH, with lines such as %s", shorten(name), fileForm)
	case stored && !validDigest.MatchString(digest):
		return fileName{}, fmt.Errorf("task %q: after # stand the first %d hex digits of the file's SHA-256; a path has no #",
			shorten(name), digestLength)
	}
	return fileName{p, digest}, nil
}

// String is the name that Lookup reads.
func (f fileName) String() string {
	if f.digest == "" {
		return filePrefix + f.path
	}
	return filePrefix + f.path + "#" + f.digest
}

// label is the task's Name, in which the path is not: results of one file are the same
// wherever it is, those of files with other contents never, and it can be part of a
// file's name.
func (f fileName) label() string {
	const most = 40
	base := path.Base(strings.ReplaceAll(f.path, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	base = strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(base), "-"), "-")
	if base != "" {
		base = base[:min(len(base), most)] + "-"
	}
	return fileLabel + base + f.digest
}

// lookupFile returns the task of a file, whose contents must be those that the name says.
func lookupFile(name string) (Task, error) {
	f, err := parseFileName(name)
	if err != nil {
		return Task{}, err
	}
	t, digest, err := openFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; a path is from the folder in which zoo runs: bring the file there, or name it where it is", err)
	}
	if err != nil {
		return Task{}, fmt.Errorf("task %s: %w", filePrefix+f.path, err)
	}
	if digest = digest[:digestLength]; f.digest != "" && f.digest != digest {
		return Task{}, fmt.Errorf("task %s: the file was changed: its SHA-256 begins with %s, and with %s when the model "+
			"was trained; bring the old contents back, or name the task without #%s to use the new", name, digest, f.digest,
			f.digest)
	}
	f.digest = digest
	t.Name, t.stored = f.label(), f.String()
	t.Description = fmt.Sprintf("samples of the file %s, which also says their lengths", f.path)
	return t, nil
}

// Label returns the names of a list with commas as results have them, which can be part
// of a file's name: those of tasks from files have neither path nor colon. What is no
// name is returned as it is.
func Label(list string) string {
	names := strings.Split(list, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		if !strings.HasPrefix(name, filePrefix) {
			continue
		}
		f, err := parseFileName(name)
		if err == nil && f.digest == "" {
			var t Task
			if t, err = lookupFile(name); err == nil {
				names[i] = t.Name
			}
			continue
		}
		if err == nil {
			names[i] = f.label()
		}
	}
	return strings.Join(names, ",")
}

// CheckStored returns an error unless LookupList knows every name of a list, or it is the
// stored name of a task from a file, which need not be there.
func CheckStored(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if f, err := parseFileName(name); strings.HasPrefix(name, filePrefix) && err == nil && f.digest != "" {
			continue
		}
		if _, err := Lookup(name); err != nil {
			return err
		}
	}
	return nil
}
