package human

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
)

// Wrap cuts text into lines of at most width columns, between its words, and ends
// the last one. A number stays with its unit and a sign before it, a name with a † behind it.
func Wrap(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range words(text) {
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

var (
	number = regexp.MustCompile(`^\(?[-+−~]?\d[\d.,×]*$`)
	unit   = regexp.MustCompile(`^(%|[nµm]?s|min|h|d|[KMG]i?B|k?B|M|bits?|nats?)([-–,.;:)]|$)`)
	marked = regexp.MustCompile(`[\pL\d] †[,.;:)]*$`) // a name with its mark
	sign   = regexp.MustCompile(`^\(?[≥≤<>=±≈]$`)
)

// words takes text apart at spaces, but for those within a quantity.
func words(text string) []string {
	var out []string
	before := ""
	for _, word := range strings.Fields(text) {
		if number.MatchString(before) && unit.MatchString(word) || sign.MatchString(before) || marked.MatchString(before+" "+word) {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
		before = word
	}
	return out
}
