package tables

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// folded joins lines that layers have alike, such as their caches:
// past_key_values.0..29.key|value float32[batch,5,past,64]. A line is a name and its type, or two such pairs with
// " to " between them.
func folded(lines []string) []string {
	layers := merged(lines, layerOf, progressions)
	return merged(layers, wordOf, func(words []string) string { return strings.Join(words, "|") })
}

// hole stands in patterns for the part that differs; no name has it.
const hole = "\x00"

// merged joins lines whose names differ in one part alone, the same in all names of a line.
func merged(lines []string, split func(name string) (before, part, after string, ok bool), join func(parts []string) string) []string {
	parts, patterns := map[string][]string{}, []string{}
	for _, line := range lines {
		pattern, part := holed(line, split)
		if parts[pattern] == nil {
			patterns = append(patterns, pattern)
		}
		parts[pattern] = append(parts[pattern], part)
	}
	for i, pattern := range patterns {
		patterns[i] = strings.ReplaceAll(pattern, hole, join(parts[pattern]))
	}
	return patterns
}

// holed returns a line with a hole for the part of its names; without a part in common the line itself.
func holed(line string, split func(name string) (before, part, after string, ok bool)) (pattern, part string) {
	var names []string
	for name := range strings.SplitSeq(line, " to ") {
		before, own, after, ok := split(name)
		if !ok || len(names) > 0 && own != part {
			return line, ""
		}
		part, names = own, append(names, before+hole+after)
	}
	return strings.Join(names, " to "), part
}

// layerNumber is the first number between separators of a name, or a progression of them.
var layerNumber = regexp.MustCompile(`^((?:[^ ]*?[._/])?)(0|[1-9]\d{0,8})([.,_/ ].*|)$`)

// layerOf finds the number of a name's layer.
func layerOf(name string) (before, number, after string, ok bool) {
	m := layerNumber.FindStringSubmatch(name)
	if m == nil {
		return "", "", "", false
	}
	return m[1], m[2], m[3], true
}

// wordOf finds the last word of a name with a layer.
func wordOf(name string) (before, word, after string, ok bool) {
	words, kind, typed := strings.Cut(name, " ")
	last := strings.LastIndexAny(words, "._/") + 1
	if typed {
		after = " " + kind
	}
	return words[:last], words[last:], after, layerNumber.MatchString(name)
}

// foldedRows are the rows of a table with folded lines, of which long ones go on below.
func foldedRows[T any](name string, list []T) (rows [][]string) {
	const most = 80 - len("zoo.weights_sha256  ") // the longest name of a row
	lines := lists.Map(list, func(v T) string { return fmt.Sprint(v) })
	for _, line := range folded(lines) {
		name := name
		at := strings.Index(line, " to ")
		if at < 0 {
			at = strings.Index(line, " ")
		}
		if at >= 0 && len(line) > most {
			rows = append(rows, []string{name, line[:at]})
			name, line = "", line[at+1:]
		}
		rows = append(rows, []string{name, line})
	}
	return rows
}

// progressions writes numbers as lengths are written: 0..29, or 0..28+2.
func progressions(words []string) string {
	var out []string
	rest := make([]int, len(words))
	for i, word := range words {
		rest[i], _ = strconv.Atoi(word) // digits alone
	}
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && (n < 2 || rest[n]-rest[n-1] == rest[1]-rest[0]) && rest[1] > rest[0] {
			n++
		}
		switch {
		case n < 3:
			n = 1
			out = append(out, strconv.Itoa(rest[0]))
		case rest[1]-rest[0] == 1:
			out = append(out, fmt.Sprintf("%d..%d", rest[0], rest[n-1]))
		default:
			out = append(out, fmt.Sprintf("%d..%d+%d", rest[0], rest[n-1], rest[1]-rest[0]))
		}
		rest = rest[n:]
	}
	return strings.Join(out, ",")
}
