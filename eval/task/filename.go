package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// kind is what a task's name begins with where its samples are read: of a file, or of a
// corpus.
type kind struct {
	prefix string // of the names that Lookup reads
	label  string // of those that results have
	want   string // what a path is to lead to
}

var (
	fileKind = kind{"file:", "file-", "with lines such as " + fileForm}
	textKind = kind{"text:", "text-", "a corpus (see: zoo data --help)"}
)

// kindOf returns the kind of a name that Lookup reads.
func kindOf(name string) (kind, bool) {
	for _, k := range []kind{fileKind, textKind} {
		if strings.HasPrefix(name, k.prefix) {
			return k, true
		}
	}
	return kind{}, false
}

// digestLength is how many hex digits of a file's SHA-256 its names have.
const digestLength = 12

var (
	validDigest = regexp.MustCompile(fmt.Sprintf("^[0-9a-f]{%d}$", digestLength))
	notInLabel  = regexp.MustCompile("[^a-z0-9]+")
)

// fileName is the name of a task from a file: "file:PATH" as it is typed, or as it is
// stored with a model, "file:PATH#DIGEST"; and the same for a corpus.
type fileName struct {
	kind
	path, digest string
}

// parseFileName reads a name of a kind.
func parseFileName(name string, k kind) (fileName, error) {
	rest := strings.TrimPrefix(name, k.prefix)
	if at := strings.IndexByte(rest, '+'); at >= 0 {
		return fileName{}, fmt.Errorf("task %s: unknown option %q: a task from a file has none, and its path no plus",
			k.prefix+shorten(rest[:at]), shorten(rest[at+1:]))
	}
	p, digest, stored := strings.Cut(rest, "#")
	switch {
	case p == "":
		return fileName{}, fmt.Errorf("task %q has no path: want %sPATH, %s", shorten(name), k.prefix, k.want)
	case stored && !validDigest.MatchString(digest):
		return fileName{}, fmt.Errorf("task %q: after # stand the first %d hex digits of the file's SHA-256; a path has no #",
			shorten(name), digestLength)
	}
	return fileName{k, p, digest}, nil
}

// String is the name that Lookup reads.
func (f fileName) String() string {
	if f.digest == "" {
		return f.prefix + f.path
	}
	return f.prefix + f.path + "#" + f.digest
}

// named is the name for people, without what it has for programs.
func (f fileName) named() string { return f.prefix + f.path }

// results is the task's Name, in which the path is not: results of one file are the same
// wherever it is, files with other contents never, and it can be part of a
// file's name.
func (f fileName) results() string {
	const most = 40
	base := path.Base(strings.ReplaceAll(f.path, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	base = strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(base), "-"), "-")
	if base != "" {
		base = base[:min(len(base), most)] + "-"
	}
	return f.label + base + f.digest
}

// holds wants the contents that the name says, where it says any.
func (f *fileName) holds(digest string) error {
	if digest = digest[:digestLength]; f.digest != "" && f.digest != digest {
		return fmt.Errorf("task %s: the file was changed: its SHA-256 begins with %s, and with %s when the model "+
			"was trained; bring the old contents back, or name the task without #%s to use the new", f, digest, f.digest,
			f.digest)
	}
	f.digest = digest
	return nil
}

// lookupFile returns the task of a file, whose contents must be those that the name says.
func lookupFile(name string) (Task, error) {
	f, err := parseFileName(name, fileKind)
	if err != nil {
		return Task{}, err
	}
	t, digest, err := openedTasks.open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; a path is from the folder in which zoo runs: bring the file there, or name it where it is", err)
	}
	if err != nil {
		return Task{}, fmt.Errorf("task %s: %w", f.named(), err)
	}
	if err := f.holds(digest); err != nil {
		return Task{}, err
	}
	t.Name, t.stored = f.results(), f.String()
	t.Description = fmt.Sprintf("samples of the file %s, which also says their lengths", f.path)
	return t, nil
}

// Label returns the names of a list with commas as results have them, which can be part
// of a file's name: tasks from files have neither path nor colon. A name with the digest of its file need
// not have the file. What is no name is returned as it is, with the error of Lookup.
func Label(list string) (string, error) {
	names := strings.Split(list, ",")
	var unknown error
	for i, name := range names {
		if label, err := labelOf(strings.TrimSpace(name)); err == nil {
			names[i] = label
		} else if unknown == nil {
			unknown = err
		}
	}
	return strings.Join(names, ","), unknown
}

func labelOf(name string) (string, error) {
	k, fromFile := kindOf(name)
	if fromFile {
		if f, err := parseFileName(name, k); err == nil && f.digest != "" {
			return f.results(), nil
		}
	}
	t, err := Lookup(name)
	if fromFile {
		name = t.Name
	}
	return name, err
}
