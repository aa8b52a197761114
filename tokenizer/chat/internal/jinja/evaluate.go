package jinja

import (
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// expression has a value.
type expression interface {
	evaluate(r *run, s *scope) any
}

type literal struct{ value any }

func (l literal) evaluate(*run, *scope) any { return l.value }

type variable struct {
	name string
	line int
}

func (v *variable) evaluate(r *run, s *scope) any {
	r.spend(1)
	return s.get(v.name)
}

// list is [a, b].
type list []expression

func (l list) evaluate(r *run, s *scope) any {
	r.spend(1 + len(l))
	return lists.Map(l, func(e expression) any { return e.evaluate(r, s) })
}

// tupled is (a, b).
type tupled struct{ list }

func (t tupled) evaluate(r *run, s *scope) any { return tuple(t.list.evaluate(r, s).([]any)) }

type dictionary struct {
	keys, values []expression
	line         int
}

func (d *dictionary) evaluate(r *run, s *scope) any {
	r.spend(1 + len(d.keys))
	o := &Object{}
	for i, key := range d.keys {
		o.set(hashable(key.evaluate(r, s), d.line), d.values[i].evaluate(r, s))
	}
	return o
}

// conditional is a if b else c.
type conditional struct{ test, then, otherwise expression }

func (c *conditional) evaluate(r *run, s *scope) any {
	r.spend(1)
	switch {
	case truth(c.test.evaluate(r, s)):
		return c.then.evaluate(r, s)
	case c.otherwise == nil:
		return undefined{"the value of a condition without else"}
	}
	return c.otherwise.evaluate(r, s)
}

// logical is "or" or "and", whose value is that of the side that decides.
type logical struct {
	left, right expression
	or          bool
}

func (l *logical) evaluate(r *run, s *scope) any {
	r.spend(1)
	if left := l.left.evaluate(r, s); truth(left) == l.or {
		return left
	}
	return l.right.evaluate(r, s)
}

type not struct{ value expression }

func (n *not) evaluate(r *run, s *scope) any {
	r.spend(1)
	return !truth(n.value.evaluate(r, s))
}

// comparison is a < b <= c.
type comparison struct {
	first expression
	signs []string
	rest  []expression
	line  int
}

func (c *comparison) add(t token, sign string, right expression) {
	c.signs, c.rest, c.line = append(c.signs, sign), append(c.rest, right), t.line
}

func (c *comparison) evaluate(r *run, s *scope) any {
	left := c.first.evaluate(r, s)
	for i, sign := range c.signs {
		r.spend(1)
		right := c.rest[i].evaluate(r, s)
		if !r.compare(sign, left, right, c.line) {
			return false
		}
		left = right
	}
	return true
}

func (r *run) compare(sign string, left, right any, line int) bool {
	switch sign {
	case "==":
		return r.equal(left, right)
	case "!=":
		return !r.equal(left, right)
	case "in":
		return r.contains(right, left, line)
	case "not in":
		return !r.contains(right, left, line)
	}
	order := r.order(left, right, line)
	switch sign {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// binary is an operator of arithmetic, or ~.
type binary struct {
	sign        string
	left, right expression
	line        int
}

func (b *binary) evaluate(r *run, s *scope) any {
	r.spend(1)
	return r.arithmetic(b.sign, b.left.evaluate(r, s), b.right.evaluate(r, s), b.line)
}

func (r *run) arithmetic(sign string, left, right any, line int) any {
	if sign == "~" {
		return r.joined(r.text(left), r.text(right))
	}
	for _, v := range []any{left, right} {
		if u, is := v.(undefined); is {
			fail(line, "%s is undefined", u.name)
		}
	}
	a, aText := left.(string)
	b, bText := right.(string)
	switch {
	case sign == "+" && aText && bText:
		return r.joined(a, b)
	case sign == "%" && aText:
		return r.format(a, formatted(right), line)
	case sign == "*" && (aText || bText):
		n, ok := integer(right)
		if bText {
			a = b
			n, ok = integer(left)
		}
		if !ok {
			fail(line, "a string times %s", describe(left))
		}
		n = max(n, 0)
		if len(a) > 0 && n > int64(r.left/len(a)) {
			r.spend(r.left + 1)
		}
		r.spend(len(a) * int(n))
		return strings.Repeat(a, int(n))
	}
	if x, ok := sequence(left); ok && sign == "+" {
		if y, ok := sequence(right); ok {
			_, leftTuple := left.(tuple)
			_, rightTuple := right.(tuple)
			r.spend(len(x) + len(y))
			sum := append(slices.Clone(x), y...)
			switch {
			case leftTuple && rightTuple:
				return tuple(sum)
			case !leftTuple && !rightTuple:
				return sum
			}
		}
	}
	x, xWhole := integer(left)
	y, yWhole := integer(right)
	if xWhole && yWhole && sign != "/" && (sign != "**" || y >= 0) {
		return integers(sign, x, y, line)
	}
	f, ok := number(left)
	g, also := number(right)
	if !ok || !also {
		fail(line, "%s %s %s", describe(left), sign, describe(right))
	}
	return floats(sign, f, g, line)
}

// integers computes with whole numbers, as Python does within 64 bits.
func integers(sign string, x, y int64, line int) any {
	overflow := func(bad bool) {
		if bad {
			fail(line, "%d %s %d has more than 64 bits", x, sign, y)
		}
	}
	if y == 0 && (sign == "//" || sign == "%") {
		fail(line, "%d %s 0: division by zero", x, sign)
	}
	switch sign {
	case "+":
		overflow((x+y > x) != (y > 0) && y != 0)
		return x + y
	case "-":
		overflow((x-y < x) != (y > 0) && y != 0)
		return x - y
	case "*":
		overflow(x != 0 && ((x*y)/x != y || x == -1 && y == math.MinInt64))
		return x * y
	case "//":
		overflow(x == math.MinInt64 && y == -1)
		quotient := x / y
		if x%y != 0 && (x < 0) != (y < 0) {
			quotient--
		}
		return quotient
	case "%":
		if y == -1 {
			return int64(0)
		}
		rest := x % y
		if rest != 0 && (rest < 0) != (y < 0) {
			rest += y
		}
		return rest
	}
	power := int64(1) // **
	for range y {
		if x == 0 || x == 1 {
			return x
		}
		if x == -1 {
			return 1 - 2*(y%2)
		}
		power = integers("*", power, x, line).(int64)
	}
	return power
}

// floats computes with numbers of which one is a fraction, or whose result is.
func floats(sign string, x, y float64, line int) any {
	if y == 0 && (sign == "/" || sign == "//" || sign == "%") || x == 0 && sign == "**" && y < 0 {
		fail(line, "%v %s %v: division by zero", x, sign, y)
	}
	switch sign {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "//":
		return math.Floor(x / y)
	case "%":
		rest := math.Mod(x, y)
		if rest != 0 && (rest < 0) != (y < 0) {
			rest += y
		}
		return rest
	}
	return math.Pow(x, y)
}

// joined returns two texts side by side.
func (r *run) joined(a, b string) string {
	r.spend(len(a) + len(b))
	return a + b
}

// attribute is value.NAME: Python's attribute, else the entry of that name.
type attribute struct {
	value expression
	name  string
	line  int
}

func (a *attribute) evaluate(r *run, s *scope) any {
	r.spend(1)
	return r.attribute(a.value.evaluate(r, s), a.name, a.line)
}

func (r *run) attribute(value any, name string, line int) any {
	switch v := value.(type) {
	case undefined:
		fail(line, "%s is undefined, and .%s of it is asked for", v.name, name)
	case turn:
		return v.attribute(name)
	case *namespace:
		if got, ok := v.values[name]; ok {
			return got
		}
	case *Object:
		if m := objectMethods[name]; m != nil {
			return bound(value, m)
		}
		if got, ok := v.get(name); ok {
			return got
		}
	case string:
		if m := stringMethods[name]; m != nil {
			return bound(value, m)
		}
	}
	return undefined{describe(value) + "." + name}
}

// item is value[index].
type item struct {
	value, index expression
	line         int
}

func (i *item) evaluate(r *run, s *scope) any {
	r.spend(1)
	value, index := i.value.evaluate(r, s), i.index.evaluate(r, s)
	switch v := value.(type) {
	case undefined:
		fail(i.line, "%s is undefined, and an element of it is asked for", v.name)
	case *Object:
		if got, ok := v.get(index); ok {
			return got
		}
		if name, ok := index.(string); ok {
			return r.attribute(value, name, i.line)
		}
	case string:
		if n, ok := integer(index); ok {
			characters := []rune(v)
			r.spend(len(v))
			if n = fromEnd(n, len(characters)); n >= 0 && n < int64(len(characters)) {
				return string(characters[n])
			}
		}
	default:
		if items, ok := sequence(value); ok {
			if n, ok := integer(index); ok {
				if n = fromEnd(n, len(items)); n >= 0 && n < int64(len(items)) {
					return items[n]
				}
			}
		}
	}
	if name, ok := index.(string); ok {
		return r.attribute(value, name, i.line)
	}
	return undefined{"an element of " + describe(value)}
}

func fromEnd(n int64, length int) int64 {
	if n < 0 {
		return n + int64(length)
	}
	return n
}

// slice is value[start:stop:step].
type slice struct {
	value  expression
	bounds []expression
	line   int
}

func (sl *slice) evaluate(r *run, s *scope) any {
	value := sl.value.evaluate(r, s)
	var items []any
	written, isText := value.(string)
	if isText {
		for _, c := range written {
			items = append(items, string(c))
		}
	} else {
		var ok bool
		if items, ok = sequence(value); !ok {
			fail(sl.line, "a slice of %s", describe(value))
		}
	}
	r.spend(1 + len(items))
	bounds := [3]*int64{}
	for i, b := range sl.bounds {
		if b == nil {
			continue
		}
		v := b.evaluate(r, s)
		if n, ok := integer(v); ok {
			bounds[i] = &n
		} else if v != nil {
			fail(sl.line, "a slice with %s as a bound", describe(v))
		}
	}
	cut := cutOut(items, bounds[0], bounds[1], bounds[2], sl.line)
	switch value.(type) {
	case string:
		var b strings.Builder
		for _, c := range cut {
			b.WriteString(c.(string))
		}
		return b.String()
	case tuple:
		return tuple(cut)
	}
	return cut
}

// cutOut is Python's slice of a list.
func cutOut(items []any, start, stop, step *int64, line int) []any {
	by, n := int64(1), int64(len(items))
	if step != nil {
		by = *step
	}
	if by == 0 {
		fail(line, "a slice with a step of 0")
	}
	lowest, highest := int64(0), n
	if by < 0 {
		lowest, highest = -1, n-1
	}
	bound := func(given *int64, usual int64) int64 {
		if given == nil {
			return usual
		}
		b := *given
		if b < 0 {
			b += n
		}
		return min(max(b, lowest), highest)
	}
	first, last := bound(start, lowest), bound(stop, highest)
	if by < 0 {
		first, last = bound(start, highest), bound(stop, lowest)
	}
	cut := []any{}
	by = min(max(by, -n-1), n+1)
	for i := first; by > 0 && i < last || by < 0 && i > last; i += by {
		cut = append(cut, items[i])
	}
	return cut
}

type arguments struct {
	positional []expression
	names      []string
	named      []expression
}

func (a arguments) evaluate(r *run, s *scope) (positional []any, named map[string]any) {
	for _, e := range a.positional {
		positional = append(positional, e.evaluate(r, s))
	}
	named = map[string]any{}
	for i, name := range a.names {
		named[name] = a.named[i].evaluate(r, s)
	}
	return positional, named
}

type call struct {
	value     expression
	arguments arguments
	line      int
}

func (c *call) evaluate(r *run, s *scope) any {
	r.spend(1)
	f, ok := c.value.evaluate(r, s).(function)
	if !ok {
		name := "a value"
		switch v := c.value.(type) {
		case *variable:
			name = v.name
		case *attribute:
			name = v.name
		}
		fail(c.line, "%s( is no function or method that is supported", name)
	}
	positional, named := c.arguments.evaluate(r, s)
	return f(r, c.line, positional, named)
}

// applied is value | NAME(arguments), or value is NAME(arguments): a function of a value in front.
type applied struct {
	value     expression
	function  function
	arguments arguments
	line      int
}

func (a *applied) evaluate(r *run, s *scope) any {
	r.spend(1)
	value := a.value.evaluate(r, s)
	positional, named := a.arguments.evaluate(r, s)
	return a.function(r, a.line, append([]any{value}, positional...), named)
}
