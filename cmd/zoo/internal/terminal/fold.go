package terminal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/nopezoo/zoo/internal/human"
)

// command is a command line, or a flag with its value, that a message names. It stays on one line, to be copied.
var command = regexp.MustCompile(`: (zoo|-o) [^;\n]*`)

// foldMessage is Fold that leaves commands whole.
func foldMessage(text string, width int) string {
	const joint = "\ue000" // a character of private use, one column wide
	text = command.ReplaceAllStringFunc(text, func(c string) string {
		return ": " + strings.ReplaceAll(strings.TrimPrefix(c, ": "), " ", joint)
	})
	return strings.ReplaceAll(Fold(text, width), joint, " ")
}

// gap is the space between a label and its text.
var gap = regexp.MustCompile(`\S {2,}`)

// Fold breaks lines wider than width between words. What goes on below is indented, or stands below the text of a label,
// unless the label is wide or that leaves a word no room.
func Fold(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) <= width {
			continue
		}
		words := strings.TrimLeft(line, " ")
		first := line[:len(line)-len(words)]
		hang := first + "  "
		if at := gap.FindStringIndex(words); at != nil {
			label := first + words[:at[1]]
			words = words[at[1]:]
			if n := uniseg.StringWidth(label); n <= width/2 && roomy(words, width-n) {
				first, hang = label, strings.Repeat(" ", n)
			} else {
				first = strings.TrimRight(label, " ") + "\n" + hang
			}
		}
		folded := human.Wrap(words, width-len(hang))
		folded = strings.ReplaceAll(strings.TrimSuffix(folded, "\n"), "\n", "\n"+hang)
		lines[i] = first + folded
	}
	return strings.Join(lines, "\n")
}

// roomy reports whether each word of a text has room.
func roomy(text string, width int) bool {
	return !slices.ContainsFunc(strings.Split(human.Wrap(text, width), "\n"), func(line string) bool { return uniseg.StringWidth(line) > width })
}

// cut makes a line printable and at most width columns wide.
func cut(line string, width int) string {
	text, _ := visible([]byte(line))
	line = string(text)
	if uniseg.StringWidth(line) <= width {
		return line
	}
	short, room := "", width-1 // for the ellipsis
	for g := uniseg.NewGraphemes(line); g.Next() && room >= g.Width(); room -= g.Width() {
		short += g.Str()
	}
	return short + "…"
}
