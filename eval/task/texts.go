package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Document is a piece of running text that is read as a whole, and belongs to one split as
// a whole.
type Document struct {
	Name string `json:"name,omitempty"` // for people; optional
	Text string `json:"text"`           // UTF-8
}

// texts are the documents of a corpus by split, in the order of the file.
type texts map[Split][]Document

const textForm = `{"text": "In the beginning"}`

// readTexts reads a corpus: each line is a document.
func readTexts(r io.Reader) (texts, string, error) {
	sum := sha256.New()
	all := texts{}
	err := eachLine(io.TeeReader(r, sum), mostFile, func(_ int, line string) error {
		var d struct {
			Name string
			Text *string
		}
		if err := readLine(line, &d, textForm+"; zoo data --text makes a corpus of plain text"); err != nil {
			return err
		}
		if d.Text == nil || *d.Text == "" {
			return fmt.Errorf("has no text; want a document such as %s", textForm)
		}
		if err := checkText(*d.Text); err != nil {
			return fmt.Errorf("its text %w", err)
		}
		all.add(Document{d.Name, *d.Text})
		return nil
	})
	if err == nil && len(all[Whole]) == 0 {
		err = errors.New("no documents; want lines such as " + textForm)
	}
	return all, hex.EncodeToString(sum.Sum(nil)), err
}

func (t texts) add(d Document) {
	t[Whole] = append(t[Whole], d)
	split := SplitOf(d.Text)
	t[split] = append(t[split], d)
}

// WriteTexts writes a corpus as Lookup("text:PATH") reads it. What cannot be read again is
// an error: no documents, one without text, or text that is not UTF-8 or mostly NUL.
func WriteTexts(w io.Writer, documents []Document) error {
	if len(documents) == 0 {
		return errors.New("a corpus has one document or more; there are none")
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i, d := range documents {
		if err := checkText(d.Text); err != nil {
			return fmt.Errorf("document %d (%s) %w", i+1, shorten(d.Name), err)
		}
		if err := e.Encode(d); err != nil {
			return err
		}
	}
	return nil
}
