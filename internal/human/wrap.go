package human

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Wrap cuts text into lines of at most width columns, between its words, and ends
// the last one.
func Wrap(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := uniseg.StringWidth(word)
		switch {
		case at == 0:
		case at+1+n > width:
			b.WriteString("\n")
			at = 0
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteString("\n")
	return b.String()
}
