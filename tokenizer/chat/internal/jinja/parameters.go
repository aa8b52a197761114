package jinja

import (
	"slices"
	"strings"
)

// parameters returns the arguments of a function by the names that it has for them, nil for one that is not
// given. Names in front of required must be given.
func parameters(what string, line, required int, args []any, named map[string]any, names ...string) []any {
	if len(args) > len(names) {
		fail(line, "%s takes %d arguments, it is given %d", what, len(names), len(args))
	}
	values := make([]any, len(names))
	copy(values, args)
	for name, v := range named {
		i := slices.Index(names, name)
		if i < 0 {
			fail(line, "%s has no argument %q that is supported", what, name)
		}
		if i < len(args) {
			fail(line, "%s: the argument %s is given twice", what, name)
		}
		values[i] = v
	}
	for i := len(args); i < required; i++ {
		if _, given := named[names[i]]; !given {
			fail(line, "%s: the argument %s is missing", what, names[i])
		}
	}
	return values
}

// taking makes a function of one that takes its arguments by these names, nil for one that is not given.
func taking(what string, required int, names string, f func(r *run, line int, values []any) any) function {
	all := strings.Fields(names)
	return func(r *run, line int, args []any, named map[string]any) any {
		return f(r, line, parameters(what, line, required, args, named, all...))
	}
}

// asText returns an argument that is a string.
func asText(what string, line int, v any) string {
	s, ok := v.(string)
	if !ok {
		fail(line, "%s takes a string, it is given %s", what, describe(v))
	}
	return s
}

// asWhole returns an argument that is a whole number.
func asWhole(what string, line int, v any) int64 {
	n, ok := integer(v)
	if !ok {
		fail(line, "%s takes a whole number, it is given %s", what, describe(v))
	}
	return n
}

// bound makes a function of a method and its value.
func bound(value any, method function) function {
	return func(r *run, line int, args []any, named map[string]any) any {
		return method(r, line, append([]any{value}, args...), named)
	}
}
