package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/train"
)

// NotSaved begins the line of a training that could not save and goes on. On a full disk there is no
// other place than its output that says so.
const NotSaved = "not saved, to be tried again: "

// tailBytes is how much of the end of a training's output is kept in memory.
const tailBytes = 64 << 10

// output writes the output of a training into its log, and keeps the end. Its writes never fail: a
// failure would end the training.
type output struct {
	log  io.Writer
	warn func(error) // of the first thing that could not be saved, and of a log that cannot be written
	tail []byte

	unsaved, unlogged bool // warned of
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	if _, err := o.log.Write(p); err != nil && !o.unlogged {
		o.unlogged = true
		o.warn(fmt.Errorf("what it says is not kept: %w", err))
	}
	o.tail = append(o.tail, p...)
	if _, text, is := bytes.Cut(o.tail, []byte(NotSaved)); is && !o.unsaved {
		if line, _, ended := bytes.Cut(text, []byte("\n")); ended {
			o.unsaved = true
			o.warn(errors.New(NotSaved + string(line)))
		}
	}
	if extra := len(o.tail) - tailBytes; extra > 0 {
		o.tail = o.tail[extra:]
	}
	return len(p), nil
}

// lastError returns the error at the end of a run's output; "" where its last start did not end with one,
// or was interrupted.
func lastError(tail []byte, dir string) string {
	begin := bytes.LastIndex(append([]byte("\n"), tail...), []byte("\nzoo: "))
	if begin < 0 {
		return ""
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(tail[begin:]), "zoo: "))
	// Lines of a start begin with the directory: then the error is of the start before.
	_, further, _ := strings.Cut(text, "\n")
	if strings.Contains(further, filepath.Base(dir)+": ") {
		return ""
	}
	if text == "interrupted" || strings.HasPrefix(text, train.ErrInterrupted.Error()) {
		return ""
	}
	if _, after, ok := strings.Cut(text, filepath.Base(dir)+": "); ok {
		text = after
	}
	return strings.Join(strings.Fields(text), " ")
}
