package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// NotSaved begins what a training says when it could not save and goes on.
const NotSaved = "not saved, to be tried again: "

// errorPrefix begins the line of the error that a training ends with.
const errorPrefix = "zoo: "

// childWords puts what a run of a sweep says into its log, and tells at once what
// cannot wait for the run's end. Its writes never fail: that would end the run.
type childWords struct {
	log  io.Writer
	tell func(error) // of the first thing that could not be saved, and of a log that cannot be written

	begun           []byte // a line without its end
	last            string // error that the run ended with, as far as it has
	unsaved, unkept bool   // told of
}

// Write implements io.Writer.
func (w *childWords) Write(p []byte) (int, error) {
	if _, err := w.log.Write(p); err != nil && !w.unkept {
		w.unkept = true
		w.tell(fmt.Errorf("what it says is not kept: %w", err))
	}
	w.begun = append(w.begun, p...)
	for {
		line, rest, whole := bytes.Cut(w.begun, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.see(string(line))
		w.begun = rest
	}
}

func (w *childWords) see(line string) {
	if said, ok := strings.CutPrefix(line, errorPrefix); ok {
		w.last = said
	} else if w.last != "" {
		w.last += " " + line // an error of several lines
	}
	if at := strings.Index(line, NotSaved); at >= 0 && !w.unsaved {
		w.unsaved = true
		w.tell(errors.New(line[at:]))
	}
}
