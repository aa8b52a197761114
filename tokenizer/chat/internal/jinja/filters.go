package jinja

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// filters are those of value | NAME.
var filters map[string]function

func init() { // map, select and their like look filters and tests up
	filters = map[string]function{
		"trim":       trimming("trim", true, true),
		"upper":      onText("upper", strings.ToUpper),
		"lower":      onText("lower", strings.ToLower),
		"capitalize": onText("capitalize", capitalized),
		"title":      onText("title", wordsCapitalized),
		"string":     onText("string", func(s string) string { return s }),
		"safe":       onText("safe", func(s string) string { return s }), // nothing is escaped
		"length":     taking("length", 1, "value", length), "count": taking("length", 1, "value", length),
		"default": usual, "d": usual,
		"tojson": taking("tojson", 1, "value indent ensure_ascii separators sort_keys", toJSON),
		"list": taking("list", 1, "items", func(r *run, _ int, values []any) any {
			return slices.Clone(r.elements(values[0], "list"))
		}),
		"items": entries,
		"first": end("first", 0),
		"last":  end("last", -1),
		"abs": func(r *run, line int, args []any, named map[string]any) any {
			if f, ok := number(args[0]); ok && f >= 0 {
				return args[0]
			}
			return r.arithmetic("-", int64(0), args[0], line)
		},
		"int":        taking("int", 1, "value default", toInt),
		"float":      taking("float", 1, "value default", toFloat),
		"reverse":    taking("reverse", 1, "items", reversed),
		"sort":       taking("sort", 1, "items reverse case_sensitive attribute", sorted),
		"unique":     taking("unique", 1, "items case_sensitive attribute", unique),
		"indent":     taking("indent", 1, "text width first blank", indented),
		"map":        mapped,
		"select":     selecting("select", false, true),
		"reject":     selecting("reject", false, false),
		"selectattr": selecting("selectattr", true, true),
		"rejectattr": selecting("rejectattr", true, false),
		"join": taking("join", 1, "items d attribute", func(r *run, line int, values []any) any {
			items := values[0]
			if values[2] != nil {
				items = r.each(items, values[2], nil, line)
			}
			separator := ""
			if values[1] != nil {
				separator = r.text(values[1])
			}
			return r.join(items, separator)
		}),
		"replace": replace,
		"format": func(r *run, line int, args []any, named map[string]any) any {
			if len(named) > 0 {
				fail(line, "format with named arguments is not supported")
			}
			return r.format(r.text(args[0]), args[1:], line)
		},
	}
}

func sortedNames(named map[string]any) []string { return slices.Sorted(maps.Keys(named)) }

// wordsCapitalized is the filter title: words end at spaces and opening brackets.
func wordsCapitalized(s string) string {
	first := true
	return strings.Map(func(c rune) rune {
		was := first
		first = space(c) || strings.ContainsRune("-({[<", c)
		if was {
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func length(r *run, line int, values []any) any {
	switch v := values[0].(type) {
	case string:
		r.spend(len(v))
		return int64(len([]rune(v)))
	case undefined:
		return int64(0)
	case *Object:
		return int64(len(v.keys))
	default:
		items, ok := sequence(v)
		if !ok {
			fail(line, "length of %s", describe(v))
		}
		return int64(len(items))
	}
}

// usual is the filter default.
func usual(r *run, line int, args []any, named map[string]any) any {
	values := parameters("default", line, 1, args, named, "value", "default_value", "boolean")
	_, missing := values[0].(undefined)
	if missing || truth(values[2]) && !truth(values[0]) {
		if values[1] == nil && len(args) < 2 && !has(named, "default_value") {
			return ""
		}
		return values[1]
	}
	return values[0]
}

func has(named map[string]any, name string) bool {
	_, given := named[name]
	return given
}

// end makes a filter that gives the first or the last element.
func end(what string, place int) function {
	return taking(what, 1, "items", func(r *run, _ int, values []any) any {
		items := r.elements(values[0], what)
		if len(items) == 0 {
			return undefined{"the " + what + " of nothing"}
		}
		return items[(place+len(items))%len(items)]
	})
}

func toInt(r *run, line int, values []any) any {
	if n, ok := integer(values[0]); ok {
		return n
	}
	f, ok := values[0].(float64)
	if s, isText := values[0].(string); isText {
		s = strings.TrimFunc(s, space)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		parsed, err := strconv.ParseFloat(s, 64)
		f, ok = parsed, err == nil
	}
	if ok && math.Abs(f) < math.MaxInt64 {
		return int64(f)
	}
	if values[1] == nil {
		return int64(0)
	}
	return values[1]
}

func toFloat(r *run, line int, values []any) any {
	if f, ok := number(values[0]); ok {
		return f
	}
	if s, isText := values[0].(string); isText {
		if f, err := strconv.ParseFloat(strings.TrimFunc(s, space), 64); err == nil {
			return f
		}
	}
	if values[1] == nil {
		return 0.0
	}
	return values[1]
}

func reversed(r *run, _ int, values []any) any {
	items := slices.Clone(r.elements(values[0], "reverse"))
	slices.Reverse(items)
	if _, isText := values[0].(string); isText {
		return r.join(items, "")
	}
	return items
}

// comparable is the key by which values are sorted: texts without regard to case.
func comparable(v any, sensitive bool) any {
	if s, ok := v.(string); ok && !sensitive {
		return strings.ToLower(s)
	}
	return v
}

func sorted(r *run, line int, values []any) any {
	items := slices.Clone(r.elements(values[0], "sort"))
	keys := func(v any) any {
		if values[3] != nil {
			v = r.path(v, values[3], nil, line)
		}
		return comparable(v, truth(values[2]))
	}
	slices.SortStableFunc(items, func(a, b any) int {
		r.spend(1)
		order := r.order(keys(a), keys(b), line)
		if truth(values[1]) {
			return -order
		}
		return order
	})
	return items
}

func unique(r *run, line int, values []any) any {
	kept, keys := []any{}, []any{}
	for _, item := range r.elements(values[0], "unique") {
		key := item
		if values[2] != nil {
			key = r.path(item, values[2], nil, line)
		}
		if key = comparable(key, truth(values[1])); !r.contains(keys, key, line) {
			kept, keys = append(kept, item), append(keys, key)
		}
	}
	return kept
}

func indented(r *run, line int, values []any) any {
	s, by := r.text(values[0]), "    "
	switch w := values[1].(type) {
	case nil:
	case string:
		by = w
	default:
		n := asWhole("indent", line, w)
		r.spend(int(min(max(n, 0), math.MaxInt32)))
		by = strings.Repeat(" ", int(max(n, 0)))
	}
	var b strings.Builder
	for i, l := range strings.Split(s, "\n") {
		r.spend(1 + len(l) + len(by))
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == 0 && truth(values[2]) || i > 0 && (l != "" || truth(values[3])) {
			b.WriteString(by)
		}
		b.WriteString(l)
	}
	return b.String()
}

// path returns the value at an attribute, such as "function.name" or 0; usual where a part of it is undefined.
func (r *run) path(v, name, usual any, line int) any {
	parts := []any{name}
	if s, ok := name.(string); ok {
		parts = parts[:0]
		for _, part := range strings.Split(s, ".") {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil {
				parts = append(parts, n)
			} else {
				parts = append(parts, part)
			}
		}
	}
	for _, part := range parts {
		r.spend(1)
		v = (&item{literal{v}, literal{part}, line}).evaluate(r, nil)
		if _, missing := v.(undefined); missing && usual != nil {
			v = usual
		}
	}
	return v
}

// each returns an attribute of every element.
func (r *run) each(items, name, usual any, line int) []any {
	out := []any{}
	for _, item := range r.elements(items, "map") {
		out = append(out, r.path(item, name, usual, line))
	}
	return out
}

// mapped is map(attribute=NAME, default=V), or map(FILTER, arguments).
func mapped(r *run, line int, args []any, named map[string]any) any {
	if name, ok := named["attribute"]; ok {
		values := parameters("map", line, 1, args, named, "items", "attribute", "default")
		return r.each(values[0], name, values[2], line)
	}
	if len(args) < 2 {
		fail(line, "map takes a filter or attribute=")
	}
	name := asText("map", line, args[1])
	f := filters[name]
	if f == nil {
		fail(line, "the filter %q is not supported", name)
	}
	out := []any{}
	for _, item := range r.elements(args[0], "map") {
		out = append(out, f(r, line, append([]any{item}, args[2:]...), maps.Clone(named)))
	}
	return out
}

// selecting makes select, reject, selectattr and rejectattr.
func selecting(what string, ofAttribute, keep bool) function {
	return func(r *run, line int, args []any, named map[string]any) any {
		rest := args[1:]
		var name any
		if ofAttribute {
			if len(rest) == 0 {
				fail(line, "%s takes the name of an attribute", what)
			}
			name, rest = rest[0], rest[1:]
		}
		holds := func(r *run, line int, args []any, named map[string]any) any { return truth(args[0]) }
		if len(rest) > 0 {
			test := asText(what, line, rest[0])
			if tests[test] == nil {
				fail(line, "the test %q is not supported", test)
			}
			holds, rest = tests[test], rest[1:]
		}
		kept := []any{}
		for _, item := range r.elements(args[0], what) {
			v := item
			if ofAttribute {
				v = r.path(item, name, nil, line)
			}
			if truth(holds(r, line, append([]any{v}, rest...), maps.Clone(named))) == keep {
				kept = append(kept, item)
			}
		}
		return kept
	}
}

// formatted returns the right side of "text" % value as arguments.
func formatted(v any) []any {
	if t, ok := v.(tuple); ok {
		return t
	}
	return []any{v}
}

// format is Python's "text" % arguments with the verbs s, r, d, i, f, e, g, x and %.
func (r *run) format(text string, args []any, line int) string {
	var b strings.Builder
	next := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		start := i
		for i++; i < len(text) && strings.IndexByte("-+ #0123456789.", text[i]) >= 0; i++ {
		}
		flags := text[start+1 : min(i, len(text))]
		if i == len(text) || len(flags) > 6 {
			fail(line, "%q is no verb of format that is supported", text[start:min(i+1, len(text))])
		}
		if text[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if next == len(args) {
			fail(line, "format: %.40q has more verbs than arguments", text)
		}
		r.spend(1000) // what flags may widen
		b.WriteString(r.verb(text[i], flags, args[next], line))
		next++
	}
	if next < len(args) {
		fail(line, "format: %.40q has fewer verbs than arguments", text)
	}
	r.spend(b.Len())
	return b.String()
}

func (r *run) verb(verb byte, flags string, v any, line int) string {
	for _, n := range strings.FieldsFunc(flags, func(c rune) bool { return !digit(c) }) {
		if len(strings.TrimLeft(n, "0")) > 3 {
			fail(line, "format: %s is more than 999 characters", n)
		}
	}
	pattern := "%" + flags
	switch verb {
	case 's':
		return fmt.Sprintf(pattern+"s", r.text(v))
	case 'r':
		var b strings.Builder
		r.represent(&b, v)
		return fmt.Sprintf(pattern+"s", b.String())
	case 'd', 'i', 'x':
		f, ok := number(v)
		n, exact := integer(v)
		if !exact {
			n = int64(f)
		}
		if ok && math.Abs(f) < math.MaxInt64 {
			return fmt.Sprintf(pattern+strings.ReplaceAll(string(verb), "i", "d"), n)
		}
	case 'f', 'e', 'g':
		if f, ok := number(v); ok {
			return fmt.Sprintf(pattern+string(verb), f)
		}
	}
	fail(line, "format: %%%c of %s is not supported", verb, describe(v))
	return ""
}
