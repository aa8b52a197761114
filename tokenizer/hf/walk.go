package hf

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/tokenizer"
)

// walk is one pass of texts through the parts of a file. Files are not trusted: 36 parts that double a text make 64 GB of
// each byte. So what parts add to the texts is bounded, and how much they look at.
type walk struct {
	context.Context
	text int // bytes of the texts
	room int // bytes that may still be added to them
	work int // bytes that may still be looked at
}

// Bounds of a walk. Of U+FDFA, whose normal form is the longest that Unicode has, the files that tests read make 22 times
// as many bytes, and take 79 steps for each.
const (
	mostGrowth  = 64 // times the bytes of a text
	leastGrowth = 1 << 10
	mostWork    = 1 << 9 // times the bytes of a text
	leastWork   = 1 << 16
)

// newWalk is for texts of so many bytes together.
func newWalk(ctx context.Context, text int) *walk {
	return &walk{ctx, text, (mostGrowth-1)*text + leastGrowth, mostWork*text + leastWork}
}

// look counts bytes, or steps, that take some time. The error is the cause of the context's end, or that there are too many.
func (w *walk) look(n int) error {
	if w.work -= n; w.work < 0 {
		return fmt.Errorf("%s takes more than %d steps for a text of %d bytes; convert the text to token ids elsewhere", tokenizer.File,
			mostWork*w.text+leastWork, w.text)
	}
	return over(w)
}

// fits reports as an error that a part adds more bytes than there is room for. Parts that may add many ask before they do.
func (w *walk) fits(added int) error {
	if added > w.room {
		return fmt.Errorf("%s makes more than %d bytes of a text of %d; convert the text to token ids elsewhere", tokenizer.File,
			mostGrowth*w.text+leastGrowth, w.text)
	}
	return nil
}

// grow takes bytes that a part has added from the room, to which nothing returns what a part takes away.
func (w *walk) grow(added int) error {
	if err := w.fits(added); err != nil {
		return err
	}
	w.room -= max(0, added)
	return nil
}
