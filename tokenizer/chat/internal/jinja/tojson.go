package jinja

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// toJSON is the filter tojson of transformers: Python's json.dumps without escapes of characters beyond ASCII.
func toJSON(r *run, line int, values []any) any {
	if truth(values[2]) || values[3] != nil {
		fail(line, "tojson with ensure_ascii or separators is not supported")
	}
	j := &jsonWriter{run: r, line: line, indent: -1, sort: truth(values[4])}
	if values[1] != nil {
		j.indent = int(asWhole("tojson", line, values[1]))
		if j.indent < 0 || j.indent > 64 {
			fail(line, "tojson with an indent of %d: want 0 to 64", j.indent)
		}
	}
	j.write(values[0], 0)
	return j.b.String()
}

type jsonWriter struct {
	run    *run
	line   int
	indent int // −1 for one line
	sort   bool
	b      strings.Builder
}

func (j *jsonWriter) write(v any, level int) {
	defer j.run.deeper()()
	j.run.spend(1)
	switch v := v.(type) {
	case nil:
		j.put("null")
	case bool:
		j.put(strconv.FormatBool(v))
	case int64:
		j.put(strconv.FormatInt(v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			j.put(map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0])
			return
		}
		j.put(pythonFloat(v))
	case string:
		j.quote(v)
	case *Object:
		keys := slices.Clone(v.keys)
		if j.sort {
			slices.SortFunc(keys, func(a, b any) int { return j.run.order(a, b, j.line) })
		}
		j.several("{", "}", len(keys), level, func(i int) {
			j.quote(j.run.text(keys[i]))
			j.put(": ")
			j.write(v.values[keys[i]], level+1)
		})
	default:
		items, ok := sequence(v)
		if !ok {
			fail(j.line, "tojson of %s", describe(v))
		}
		j.several("[", "]", len(items), level, func(i int) { j.write(items[i], level+1) })
	}
}

func (j *jsonWriter) put(s string) {
	j.run.spend(len(s))
	j.b.WriteString(s)
}

// several writes elements, on lines of their own where there is an indent.
func (j *jsonWriter) several(open, end string, n, level int, write func(i int)) {
	j.put(open)
	for i := range n {
		switch {
		case j.indent >= 0 && i > 0:
			j.put(",")
		case i > 0:
			j.put(", ")
		}
		j.newline(level + 1)
		write(i)
	}
	if n > 0 {
		j.newline(level)
	}
	j.put(end)
}

func (j *jsonWriter) newline(level int) {
	if j.indent >= 0 {
		j.put("\n" + strings.Repeat(" ", j.indent*level))
	}
}

func (j *jsonWriter) quote(s string) {
	j.run.spend(len(s))
	j.b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			j.b.WriteString("\\" + string(c))
		case c == '\n':
			j.b.WriteString(`\n`)
		case c == '\t':
			j.b.WriteString(`\t`)
		case c == '\r':
			j.b.WriteString(`\r`)
		case c == '\b':
			j.b.WriteString(`\b`)
		case c == '\f':
			j.b.WriteString(`\f`)
		case c < ' ':
			fmt.Fprintf(&j.b, `\u%04x`, c)
		default:
			j.b.WriteRune(c)
		}
	}
	j.b.WriteByte('"')
}
