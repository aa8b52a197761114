package corpora

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// leastChapter is how many bytes a chapter has at least that is a document: shorter ones are heads of parts.
const leastChapter = 32 << 10

// afaq makes a document of each long chapter, in the order of the package, in its Markdown.
func afaq(ctx context.Context, dir string, find findProgram) ([]task.Document, error) {
	packed, err := debianFiles(ctx, dir, "anarchism", func(name string) bool {
		folder, file := path.Split(name)
		return folder == "usr/share/doc/anarchism/markdown/" && strings.HasSuffix(file, ".md.gz")
	}, find)
	if err != nil {
		return nil, err
	}
	return chapters(packed)
}

func chapters(packed []packed) (out []task.Document, err error) {
	for _, f := range packed {
		z, err := gzip.NewReader(bytes.NewReader(f.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		text, err := io.ReadAll(io.LimitReader(z, mostFile))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		name := strings.TrimSuffix(path.Base(f.name), ".md.gz")
		list := name == "biblio" || strings.HasSuffix(name, "links") // of books, of addresses
		if len(text) >= leastChapter && !list {
			out = append(out, task.Document{Name: name, Text: string(text)})
		}
	}
	return out, nil
}
