package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// undefined is the value of a name that nothing has set; it writes nothing, and is false.
type undefined struct{ name string }

// tuple is a list in round brackets.
type tuple []any

// namespace holds what loops may set.
type namespace struct{ values map[string]any }

// function is what a template may call, with the arguments by place and by name.
type function func(r *run, line int, args []any, named map[string]any) any

// Object is a dictionary in the order of its keys.
type Object struct {
	keys   []any
	values map[any]any
}

// Set adds an entry, or changes the one of that key.
func (o *Object) Set(key string, value any) { o.set(key, value) }

// Get returns the value of a key; nil where there is none.
func (o *Object) Get(key string) any { return o.values[key] }

func (o *Object) set(key, value any) {
	if o.values == nil {
		o.values = map[any]any{}
	}
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *Object) get(key any) (any, bool) {
	switch key.(type) {
	case string, int64:
		v, ok := o.values[key]
		return v, ok
	}
	return nil, false
}

// hashable returns a value that may be a key.
func hashable(v any, line int) any {
	switch v.(type) {
	case string, int64:
		return v
	}
	fail(line, "%s as the key of a dictionary", describe(v))
	return nil
}

// FromJSON reads a JSON value, with objects in the order of their keys. Nesting is bounded.
func FromJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := fromJSON(d, 0)
	if err == nil && d.More() {
		err = errors.New("there is something after its end")
	}
	return v, err
}

func fromJSON(d *json.Decoder, depth int) (any, error) {
	if depth > mostDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", mostDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n, nil
		}
		return t.Float64()
	case json.Delim:
		items, o := []any{}, &Object{}
		for d.More() {
			var key any
			if t == '{' {
				if key, err = d.Token(); err != nil {
					return nil, err
				}
			}
			v, err := fromJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			if t == '{' {
				o.set(key, v)
			} else {
				items = append(items, v)
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if t == '{' {
			return o, nil
		}
		return items, nil
	}
	return t, nil // nil, bool or string
}

// sequence returns the elements of a list or a tuple.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case tuple:
		return v, true
	}
	return nil, false
}

// elements returns what a loop over a value goes over.
func (r *run) elements(v any, user string) []any {
	if items, ok := sequence(v); ok {
		r.spend(len(items))
		return items
	}
	switch v := v.(type) {
	case undefined:
		return nil
	case *Object:
		r.spend(len(v.keys))
		return v.keys
	case string:
		r.spend(len(v))
		items := []any{}
		for _, c := range v {
			items = append(items, string(c))
		}
		return items
	}
	panic(failure{fmt.Errorf("%s goes over %s", user, describe(v))})
}

// describe names the kind of a value, for errors.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case undefined:
		return v.name + " (undefined)"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case []any, tuple:
		return "a list"
	case *Object:
		return "a dictionary"
	case *namespace:
		return "a namespace"
	case turn:
		return "loop"
	}
	return "a function"
}

// truth is Python's bool.
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *Object:
		return len(v.keys) > 0
	}
	if items, ok := sequence(v); ok {
		return len(items) > 0
	}
	return true
}

// integer returns a whole number; true and false are 1 and 0.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func number(v any) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := integer(v)
	return float64(n), ok
}

// equal is Python's ==.
func (r *run) equal(a, b any) bool {
	defer r.deeper()()
	r.spend(1)
	if x, ok := number(a); ok {
		y, also := number(b)
		return also && x == y
	}
	if x, ok := sequence(a); ok {
		_, aTuple := a.(tuple)
		_, bTuple := b.(tuple)
		y, also := sequence(b)
		if !also || aTuple != bTuple || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !r.equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case undefined:
		_, also := b.(undefined)
		return also
	case string:
		y, also := b.(string)
		r.spend(min(len(x), len(y)))
		return also && x == y
	case *namespace:
		return a == b
	case *Object:
		y, also := b.(*Object)
		if !also || len(x.keys) != len(y.keys) {
			return false
		}
		for key, value := range x.values {
			other, has := y.values[key]
			if !has || !r.equal(value, other) {
				return false
			}
		}
		return true
	}
	return false
}

// order compares numbers or strings: below 0 where a comes first.
func (r *run) order(a, b any, line int) int {
	x, ok := number(a)
	if y, also := number(b); ok && also {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	s, ok := a.(string)
	t, also := b.(string)
	if !ok || !also {
		fail(line, "%s and %s have no order", describe(a), describe(b))
	}
	r.spend(min(len(s), len(t)))
	return strings.Compare(s, t)
}

// contains is "value in container".
func (r *run) contains(container, value any, line int) bool {
	switch c := container.(type) {
	case string:
		part, ok := value.(string)
		if !ok {
			fail(line, "%s in a string", describe(value))
		}
		r.spend(len(c))
		return strings.Contains(c, part)
	case *Object:
		_, has := c.get(value)
		return has
	}
	for _, item := range r.elements(container, "in") {
		if r.equal(item, value) {
			return true
		}
	}
	return false
}

// text is Python's str.
func (r *run) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case undefined:
		return ""
	}
	var b strings.Builder
	r.represent(&b, v)
	return b.String()
}

// represent writes Python's repr.
func (r *run) represent(b *strings.Builder, v any) {
	defer r.deeper()()
	before := b.Len()
	defer func() { r.spend(1 + max(0, b.Len()-before)) }()
	several := func(open, close string, n int, write func(i int)) {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			write(i)
		}
		b.WriteString(close)
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case undefined:
		b.WriteString("Undefined")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(pythonFloat(v))
	case string:
		b.WriteString(quotedText(v))
	case []any:
		several("[", "]", len(v), func(i int) { r.represent(b, v[i]) })
	case tuple:
		end := ")"
		if len(v) == 1 {
			end = ",)"
		}
		several("(", end, len(v), func(i int) { r.represent(b, v[i]) })
	case *Object:
		several("{", "}", len(v.keys), func(i int) {
			r.represent(b, v.keys[i])
			b.WriteString(": ")
			r.represent(b, v.values[v.keys[i]])
		})
	default:
		panic(failure{fmt.Errorf("%s has no text", describe(v))})
	}
}

// pythonFloat writes a number as Python does: the shortest digits, with an exponent below 1e-4 and from 1e16 on.
func pythonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(map[bool]string{true: "inf", false: "-inf"}[f > 0], "+")
	case f != 0 && (math.Abs(f) < 1e-4 || math.Abs(f) >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quotedText is Python's repr of a string.
func quotedText(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, "\"") {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, c := range s {
		switch {
		case c == quote || c == '\\':
			b.WriteString("\\" + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		case !unicode.IsPrint(c) && c <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, c)
		case !unicode.IsPrint(c) && c <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		case !unicode.IsPrint(c):
			fmt.Fprintf(&b, `\U%08x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// space tells Python's whitespace.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
