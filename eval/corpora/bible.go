package corpora

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

func bible(ctx context.Context, dir string, find findProgram) ([]task.Document, error) {
	data, err := debian(ctx, dir, "bible-kjv-text", "usr/lib/bible.data", find)
	if err != nil {
		return nil, err
	}
	plain, err := bibleText(data)
	if err != nil {
		return nil, fmt.Errorf("bible.data: %w", err)
	}
	return books(plain)
}

// The file of the package bible-kjv: a head, and windows of the text, each compressed by itself
// as Unix's compress does (without its three bytes of head).
const (
	bibleMark    = "EC02Compressed Data File"
	bibleWindows = 0x58 // number of windows; before it the bytes of each, after it where they begin, and the end
)

func bibleText(data []byte) (string, error) {
	if !bytes.HasPrefix(data, []byte(bibleMark)) || len(data) < bibleWindows+4 {
		return "", fmt.Errorf("does not begin with %q", bibleMark)
	}
	size := int(binary.BigEndian.Uint32(data[bibleWindows-4:]))
	n := int(binary.BigEndian.Uint32(data[bibleWindows:]))
	head := bibleWindows + 4
	if n < 1 || n > 1<<16 || size > mostFile/n || len(data) < head+4*n+4 {
		return "", fmt.Errorf("has a head of %d windows of %d bytes, which cannot be", n, size)
	}
	var out []byte
	for i := range n {
		from := int(binary.BigEndian.Uint32(data[head+4*i:]))
		to := len(data)
		if i+1 < n {
			to = int(binary.BigEndian.Uint32(data[head+4*i+4:]))
		}
		if from < head || from > to || to > len(data) {
			return "", fmt.Errorf("window %d is from byte %d to %d of %d", i, from, to, len(data))
		}
		window, err := uncompress(data[from:to], size)
		if err != nil {
			return "", fmt.Errorf("window %d: %w", i, err)
		}
		out = append(out, window...)
	}
	return string(out), nil
}

// uncompress undoes what Unix's compress does (Welch 1984, A Technique for High-Performance Data
// Compression), with codes of 9 to 16 bits and the code 256 to begin anew. Codes of one width are
// written in groups of eight.
func uncompress(data []byte, most int) ([]byte, error) {
	const clear, first, widest = 256, 257, 16
	var out []byte
	var table [][]byte
	reset := func() {
		table = make([][]byte, first)
		for i := range clear {
			table[i] = []byte{byte(i)}
		}
	}
	reset()
	width, codes := 9, 0 // codes of this width that were read
	base := 0            // bit at which they began
	var last []byte
	widen := func(to int) {
		base += (codes + 7) / 8 * 8 * width
		width, codes = to, 0
	}
	for {
		at := base + codes*width
		if at+width > 8*len(data) {
			return out, nil
		}
		code := 0
		for bit := range width {
			code |= int(data[(at+bit)/8]>>((at+bit)%8)&1) << bit
		}
		codes++
		if code == clear {
			reset()
			widen(9)
			last = nil
			continue
		}
		var entry []byte
		switch {
		case code < len(table):
			entry = table[code]
		case code == len(table) && last != nil:
			entry = append(last[:len(last):len(last)], last[0])
		default:
			return nil, fmt.Errorf("has the code %d, and %d are known", code, len(table))
		}
		if out = append(out, entry...); len(out) > most {
			return nil, fmt.Errorf("has more than %d bytes", most)
		}
		if last != nil && len(table) < 1<<widest {
			table = append(table, append(last[:len(last):len(last)], entry[0]))
			if len(table) == 1<<width && width < widest {
				widen(width + 1)
			}
		}
		last = entry
	}
}

// books cuts lines such as "Ge1:1 In the beginning" into a document for each book, without what
// stands before the verses, and with an empty line between chapters.
func books(plain string) (out []task.Document, err error) {
	var text strings.Builder
	book, chapter := "", ""
	end := func() {
		if book != "" {
			out = append(out, task.Document{Name: book, Text: text.String()})
		}
		text.Reset()
	}
	for line := range strings.Lines(plain) {
		reference, verse, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		before, _, ok := strings.Cut(reference, ":")
		if !ok {
			continue // the title
		}
		b := strings.TrimRight(before, "0123456789")
		if b == "" || b == before {
			continue
		}
		if b != book {
			end()
			book, chapter = b, before
		}
		if before != chapter {
			chapter = before
			text.WriteString("\n")
		}
		text.WriteString(verse + "\n")
	}
	end()
	if len(out) == 0 {
		return nil, errors.New("has no verses")
	}
	return out, nil
}
