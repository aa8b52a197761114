package tables

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folded joins lines that layers have alike, such as their caches:
// past_key_values.0..29.key|value float32[batch,5,past,64]. A line is a name and its type, or two such pairs with
// " to " between them.
func folded(lines []string) []string {
	layers, order := map[string][]int{}, []string{}
	for _, line := range lines {
		pattern, number := numbered(line)
		if _, known := layers[pattern]; !known {
			order = append(order, pattern)
		}
		layers[pattern] = append(layers[pattern], number)
	}
	words, merged := map[string][]string{}, []string{}
	for _, pattern := range order {
		text, word := pattern, ""
		if strings.Contains(pattern, hole) {
			text, word = lastWord(strings.ReplaceAll(pattern, hole, progressions(layers[pattern])))
		}
		if _, known := words[text]; !known {
			merged = append(merged, text)
		}
		words[text] = append(words[text], word)
	}
	for i, text := range merged {
		merged[i] = strings.ReplaceAll(text, hole, strings.Join(words[text], "|"))
	}
	return merged
}

// foldedRows are the rows of a table with folded lines, of which long ones go on below.
func foldedRows[T any](name string, list []T) (rows [][]string) {
	const most = 80 - len("zoo.weights_sha256  ") // the longest name of a row
	var lines []string
	for _, v := range list {
		lines = append(lines, fmt.Sprint(v))
	}
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

// hole stands in patterns for the part that differs; no name has it.
const hole = "\x00"

// layerNumber is the first number between separators of a name.
var layerNumber = regexp.MustCompile(`^((?:[^ ]*?[._/])?)(\d+)([._/ ].*|)$`)

// numbered returns a line with a hole for the number of its layer, the same in all its names; without one the line
// itself.
func numbered(line string) (pattern string, number int) {
	var parts []string
	for part := range strings.SplitSeq(line, " to ") {
		m := layerNumber.FindStringSubmatch(part)
		if m == nil {
			return line, 0
		}
		n, err := strconv.Atoi(m[2])
		if err != nil || m[2] != strconv.Itoa(n) || len(parts) > 0 && n != number {
			return line, 0
		}
		number, parts = n, append(parts, m[1]+hole+m[3])
	}
	return strings.Join(parts, " to "), number
}

// lastWord returns a line with a hole for the last word of its names, where they share it; else the line itself.
func lastWord(line string) (pattern, word string) {
	var parts []string
	for part := range strings.SplitSeq(line, " to ") {
		name, rest, _ := strings.Cut(part, " ")
		at := strings.LastIndexAny(name, "._/") + 1
		if len(parts) > 0 && name[at:] != word {
			return line, ""
		}
		word = name[at:]
		parts = append(parts, strings.TrimSuffix(name[:at]+hole+" "+rest, " "))
	}
	return strings.Join(parts, " to "), word
}

// progressions writes numbers as lengths are written: 0..29, or 0..28+2.
func progressions(numbers []int) string {
	var out []string
	for rest := slices.Clone(numbers); len(rest) > 0; {
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
