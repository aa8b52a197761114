package corpora

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nopezoo/zoo/eval/task"
)

func jargon(ctx context.Context, dir string, find findProgram) ([]task.Document, error) {
	data, err := debian(ctx, dir, "jargon-text", "usr/share/doc/jargon-text/jargon.txt.gz", find)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, mostFile))
	return sections(string(plain)), err
}

// sections cuts the Jargon File at its headings, which stand at the start of a line between empty
// ones, and in the lexicon, whose entries begin with ":word:", where another letter begins.
func sections(plain string) (out []task.Document) {
	lines := strings.SplitAfter(plain, "\n")
	empty := func(i int) bool { return i < 0 || i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	var text strings.Builder
	name, letter := "contents", '\x00'
	end := func(next string) {
		if strings.TrimSpace(text.String()) != "" {
			out = append(out, task.Document{Name: name, Text: text.String()})
		}
		text.Reset()
		name = next
	}
	for i, line := range lines {
		word, entry := strings.CutPrefix(line, "   :")
		first, _ := utf8.DecodeRuneInString(word)
		first = unicode.ToUpper(first)
		heading := !empty(i) && empty(i-1) && empty(i+1) && line[0] >= 'A' && line[0] <= 'Z'
		switch {
		case entry && strings.Contains(word, ":") && first != letter && (unicode.IsLetter(first) || letter == 0):
			letter = first
			end("entries from " + string(first) + " on")
		case heading && (letter == 0 || strings.HasPrefix(line, "Appendix")):
			letter = 0
			end(strings.TrimSpace(line))
		}
		text.WriteString(line)
	}
	end("")
	return out
}
