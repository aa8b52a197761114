package jinja

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// functions are those that a template may call by name.
var functions = map[string]function{
	"range": func(r *run, line int, args []any, named map[string]any) any {
		values := parameters("range", line, 1, args, named, "start", "stop", "step")
		start, stop, step := int64(0), asWhole("range", line, values[0]), int64(1)
		if len(args) > 1 {
			start, stop = stop, asWhole("range", line, values[1])
		}
		if len(args) > 2 {
			step = asWhole("range", line, values[2])
		}
		if step == 0 {
			fail(line, "range with a step of 0")
		}
		items := []any{}
		for i := start; step > 0 && i < stop || step < 0 && i > stop; {
			r.spend(1)
			items = append(items, i)
			next := i + step
			if (next > i) != (step > 0) { // beyond 64 bits
				break
			}
			i = next
		}
		return items
	},
	"namespace": func(r *run, line int, args []any, named map[string]any) any {
		space := &namespace{values: named}
		for _, v := range args {
			o, ok := v.(*Object)
			if !ok {
				fail(line, "namespace takes a dictionary, it is given %s", describe(v))
			}
			for _, key := range o.keys {
				if name, ok := key.(string); ok {
					space.values[name] = o.values[key]
				}
			}
		}
		return space
	},
	"dict": func(r *run, line int, args []any, named map[string]any) any {
		parameters("dict", line, 0, args, nil)
		o := &Object{}
		for _, name := range sortedNames(named) {
			o.set(name, named[name])
		}
		return o
	},
	"raise_exception": taking("raise_exception", 1, "message", func(r *run, line int, values []any) any {
		panic(failure{&RaisedError{r.text(values[0])}})
	}),
	"strftime_now": taking("strftime_now", 1, "format", func(r *run, line int, values []any) any {
		return formatTime(asText("strftime_now", line, values[0]), time.Now(), line)
	}),
}

// timeVerbs are Go's layouts of strftime's verbs.
var timeVerbs = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'j': "002", 'Z': "MST", 'z': "-0700", 'F': "2006-01-02", 'T': "15:04:05",
}

func formatTime(format string, now time.Time, line int) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout, known := timeVerbs[format[i]]
		switch {
		case format[i] == '%':
			b.WriteByte('%')
		case known:
			b.WriteString(now.Format(layout))
		default:
			fail(line, "strftime_now: the verb %%%c is not supported", format[i])
		}
	}
	return b.String()
}

// stringMethods are Python's methods of strings.
var stringMethods = map[string]function{
	"strip":      trimming("strip", true, true),
	"lstrip":     trimming("lstrip", true, false),
	"rstrip":     trimming("rstrip", false, true),
	"upper":      onText("upper", strings.ToUpper),
	"lower":      onText("lower", strings.ToLower),
	"title":      onText("title", pythonTitle),
	"capitalize": onText("capitalize", capitalized),
	"startswith": affix("startswith", strings.HasPrefix),
	"endswith":   affix("endswith", strings.HasSuffix),
	"split":      taking("split", 1, "text sep maxsplit", (*run).split),
	"replace":    replace,
	"splitlines": taking("splitlines", 1, "text", func(r *run, line int, values []any) any {
		s := asText("splitlines", line, values[0])
		r.spend(2 * len(s))
		items := []any{}
		for l := range strings.Lines(s) {
			items = append(items, strings.TrimSuffix(l, "\n"))
		}
		return items
	}),
	"join": taking("join", 2, "text items", func(r *run, line int, values []any) any {
		return r.join(values[1], asText("join", line, values[0]))
	}),
	"find": taking("find", 2, "text part", func(r *run, line int, values []any) any {
		s := asText("find", line, values[0])
		r.spend(len(s))
		before, _, found := strings.Cut(s, asText("find", line, values[1]))
		if !found {
			return int64(-1)
		}
		return int64(len([]rune(before)))
	}),
	"count": taking("count", 2, "text part", func(r *run, line int, values []any) any {
		s := asText("count", line, values[0])
		r.spend(len(s))
		return int64(strings.Count(s, asText("count", line, values[1])))
	}),
}

// onText makes a method of a function of strings.
func onText(name string, f func(string) string) function {
	return taking(name, 1, "text", func(r *run, line int, values []any) any {
		s := r.text(values[0])
		r.spend(3 * len(s)) // a character may become a longer one
		return f(s)
	})
}

func trimming(name string, left, right bool) function {
	return taking(name, 1, "text chars", func(r *run, line int, values []any) any {
		s := r.text(values[0])
		cut := space
		if values[1] != nil {
			characters := asText(name, line, values[1])
			r.spend(len(characters))
			cut = func(c rune) bool { return strings.ContainsRune(characters, c) }
			r.spend(len(s) * min(len(characters), 16))
		}
		r.spend(len(s))
		if left {
			s = strings.TrimLeftFunc(s, cut)
		}
		if right {
			s = strings.TrimRightFunc(s, cut)
		}
		return s
	})
}

// affix makes a method that looks for one text, or one of several, at an end.
func affix(name string, has func(s, part string) bool) function {
	return taking(name, 2, "text part", func(r *run, line int, values []any) any {
		s := asText(name, line, values[0])
		parts, several := values[1].(tuple)
		if !several {
			parts = tuple{values[1]}
		}
		for _, part := range parts {
			r.spend(1)
			if has(s, asText(name, line, part)) {
				return true
			}
		}
		return false
	})
}

// split is Python's str.split of text, separator and most.
func (r *run) split(line int, values []any) any {
	s, most := asText("split", line, values[0]), -1
	if values[2] != nil {
		most = int(max(-1, min(asWhole("split", line, values[2]), int64(len(s)))))
	}
	r.spend(2 * len(s))
	items := []any{}
	if values[1] == nil {
		for most != 0 {
			s = strings.TrimLeftFunc(s, space)
			end := strings.IndexFunc(s, space)
			if end < 0 {
				break
			}
			items = append(items, s[:end])
			s = s[end:]
			most--
		}
		if s = strings.TrimLeftFunc(s, space); s != "" {
			items = append(items, s)
		}
		return items
	}
	separator := asText("split", line, values[1])
	if separator == "" {
		fail(line, "split at an empty string")
	}
	n := -1
	if most >= 0 {
		n = most + 1
	}
	for _, part := range strings.SplitN(s, separator, n) {
		items = append(items, part)
	}
	return items
}

// replace is Python's str.replace, and the filter.
var replace = taking("replace", 3, "text old new count", func(r *run, line int, values []any) any {
	s, old, put := r.text(values[0]), r.text(values[1]), r.text(values[2])
	n := -1
	if values[3] != nil {
		n = int(max(-1, min(asWhole("replace", line, values[3]), int64(len(s)+1))))
	}
	r.spend(len(s))
	count := strings.Count(s, old)
	if n >= 0 {
		count = min(count, n)
	}
	if len(put) > 0 && count > (r.left+1)/len(put) {
		r.spend(r.left + 1)
	}
	r.spend(len(s) + count*len(put))
	return strings.Replace(s, old, put, n)
})

// join writes elements with a separator between them.
func (r *run) join(items any, separator string) string {
	var b strings.Builder
	for i, item := range r.elements(items, "join") {
		if i > 0 {
			r.spend(len(separator))
			b.WriteString(separator)
		}
		text := r.text(item)
		r.spend(len(text))
		b.WriteString(text)
	}
	return b.String()
}

// pythonTitle begins each run of letters with a capital.
func pythonTitle(s string) string {
	before := ' '
	return strings.Map(func(c rune) rune {
		inWord := unicode.IsLetter(before)
		before = c
		if inWord {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}

func capitalized(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToTitle(first)) + strings.ToLower(s[size:])
}

// objectMethods are Python's methods of dictionaries.
var objectMethods = map[string]function{
	"get": taking("get", 2, "dictionary key default", func(r *run, line int, values []any) any {
		if v, ok := values[0].(*Object).get(values[1]); ok {
			return v
		}
		return values[2]
	}),
	"items": entries,
	"keys": taking("keys", 1, "dictionary", func(r *run, line int, values []any) any {
		o := values[0].(*Object)
		r.spend(len(o.keys))
		return append([]any{}, o.keys...)
	}),
	"values": taking("values", 1, "dictionary", func(r *run, line int, values []any) any {
		o := values[0].(*Object)
		r.spend(len(o.keys))
		items := []any{}
		for _, key := range o.keys {
			items = append(items, o.values[key])
		}
		return items
	}),
}

// entries returns the pairs of a dictionary.
var entries = taking("items", 1, "dictionary", func(r *run, line int, values []any) any {
	o, ok := values[0].(*Object)
	if !ok {
		fail(line, "items of %s", describe(values[0]))
	}
	r.spend(3 * len(o.keys))
	items := []any{}
	for _, key := range o.keys {
		items = append(items, tuple{key, o.values[key]})
	}
	return items
})
