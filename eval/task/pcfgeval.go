package task

import (
	"fmt"
	"slices"
	"strings"
)

// pcfgFunction is one of the ten functions of PCFG SET (Hupkes et al. 2020,
// arXiv 1908.08351). A unary one ignores y.
type pcfgFunction struct {
	name   string
	binary bool
	apply  func(x, y []string) []string
}

func pcfgFunctions() []pcfgFunction {
	return []pcfgFunction{
		{"copy", false, func(x, _ []string) []string { return x }},
		{"reverse", false, func(x, _ []string) []string {
			r := slices.Clone(x)
			slices.Reverse(r)
			return r
		}},
		{"shift", false, func(x, _ []string) []string { return slices.Concat(x[1:], x[:1]) }},
		{"echo", false, func(x, _ []string) []string { return slices.Concat(x, x[len(x)-1:]) }},
		{"swap_first_last", false, func(x, _ []string) []string {
			r := slices.Clone(x)
			r[0], r[len(r)-1] = r[len(r)-1], r[0]
			return r
		}},
		{"repeat", false, func(x, _ []string) []string { return slices.Concat(x, x) }},
		{"append", true, func(x, y []string) []string { return slices.Concat(x, y) }},
		{"prepend", true, func(x, y []string) []string { return slices.Concat(y, x) }},
		{"remove_first", true, func(_, y []string) []string { return y }},
		{"remove_second", true, func(x, _ []string) []string { return x }},
	}
}

// mostItems bounds a string of PCFG: every repeat doubles it.
const mostItems = 1 << 20

// pcfgAnswer evaluates an expression in prefix notation: a function stands before
// its arguments, of which two are separated by a comma; a string of items ends at
// a comma or at the end. It returns the value and the number of functions.
func pcfgAnswer(expression string) (value []string, functions int, err error) {
	words := strings.Fields(strings.ReplaceAll(expression, ",", " , "))
	r := pcfgReader{known: map[string]pcfgFunction{}, rest: words}
	for _, f := range pcfgFunctions() {
		r.known[f.name] = f
	}
	value, err = r.value(0)
	if err == nil && len(r.rest) > 0 {
		err = fmt.Errorf("%q is left over", shorten(strings.Join(r.rest, " ")))
	}
	return value, r.functions, err
}

type pcfgReader struct {
	known     map[string]pcfgFunction
	rest      []string
	functions int
}

// pcfgDepth bounds the nesting of an expression that is read.
const pcfgDepth = 10_000

func (r *pcfgReader) value(depth int) ([]string, error) {
	if depth > pcfgDepth {
		return nil, fmt.Errorf("more than %d functions inside each other", pcfgDepth)
	}
	if len(r.rest) == 0 {
		return nil, fmt.Errorf("an argument is missing at the end")
	}
	f, ok := r.known[r.rest[0]]
	if !ok {
		return r.items()
	}
	r.rest = r.rest[1:]
	r.functions++
	x, err := r.value(depth + 1)
	if err != nil {
		return nil, err
	}
	var y []string
	if f.binary {
		if len(r.rest) == 0 || r.rest[0] != "," {
			return nil, fmt.Errorf("%s lacks its second argument", f.name)
		}
		r.rest = r.rest[1:]
		if y, err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	out := f.apply(x, y)
	if len(out) > mostItems {
		return nil, fmt.Errorf("the value has more than %d items", mostItems)
	}
	return out, nil
}

// items reads a string of items, which are any words but functions.
func (r *pcfgReader) items() ([]string, error) {
	n := 0
	for n < len(r.rest) && r.rest[n] != "," {
		if _, ok := r.known[r.rest[n]]; ok {
			return nil, fmt.Errorf("function %s stands among items", r.rest[n])
		}
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("an argument is missing before a comma")
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out, nil
}
