package jinja

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Limits bound a rendering.
type Limits struct {
	Steps  int // evaluations, and bytes and elements of the values that are made
	Output int // bytes
}

// ErrLimit is the cause of an error where a template takes more than its Limits.
var ErrLimit = errors.New("the template takes more than a rendering may")

// RaisedError is what a template says that calls raise_exception.
type RaisedError struct{ Message string }

// Error implements error.
func (e *RaisedError) Error() string { return e.Message }

// Render returns the text that a template makes of variables: nil, bool, int64, float64, string, []any and
// *Object. The context is heeded between steps.
func (t *Template) Render(ctx context.Context, variables map[string]any, limits Limits) (_ string, err error) {
	defer recovered(&err)
	r := &run{ctx: ctx, left: limits.Steps, most: limits.Output}
	global := &scope{values: map[string]any{}}
	for name, f := range functions {
		global.values[name] = f
	}
	for name, v := range variables {
		global.values[name] = v
	}
	var out strings.Builder
	r.statements(t.body, &scope{values: map[string]any{}, outer: global}, &out)
	return out.String(), nil
}

// run is one rendering.
type run struct {
	ctx   context.Context
	left  int // steps
	most  int // bytes of output
	depth int
}

// spend takes steps.
func (r *run) spend(n int) {
	if r.left -= n; r.left < 0 || n < 0 {
		panic(failure{fmt.Errorf("%w: steps", ErrLimit)})
	}
	if r.left%1024 < n && r.ctx.Err() != nil {
		panic(failure{r.ctx.Err()})
	}
}

// deeper bounds recursion.
func (r *run) deeper() func() {
	if r.depth++; r.depth > 3*mostDepth {
		panic(failure{fmt.Errorf("%w: nesting", ErrLimit)})
	}
	return func() { r.depth-- }
}

// fail ends a rendering.
func fail(line int, format string, args ...any) {
	panic(failure{fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)})
}

// scope holds the variables of a template, a loop's turn or a macro's call.
type scope struct {
	values map[string]any
	outer  *scope
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[name]; ok {
			return v
		}
	}
	return undefined{name}
}

// inner returns a scope within s.
func (s *scope) inner() *scope { return &scope{values: map[string]any{}, outer: s} }

// statement writes to out. It returns "break" or "continue" where a loop is to be left or gone on with.
type statement interface {
	execute(r *run, s *scope, out *strings.Builder) jump
}

// jump is a statement that leaves the body of a loop.
type jump string

func (j jump) execute(*run, *scope, *strings.Builder) jump { return j }

func (r *run) statements(body []statement, s *scope, out *strings.Builder) jump {
	for _, b := range body {
		r.spend(1)
		if j := b.execute(r, s, out); j != "" {
			return j
		}
	}
	return ""
}

// write adds to the output.
func (r *run) write(out *strings.Builder, text string) {
	if out.Len()+len(text) > r.most {
		panic(failure{fmt.Errorf("%w: more than %d bytes of output", ErrLimit, r.most)})
	}
	r.spend(len(text))
	out.WriteString(text)
}

// text is what is outside of tags.
type text string

func (t text) execute(r *run, _ *scope, out *strings.Builder) jump {
	r.write(out, string(t))
	return ""
}

// output is {{ value }}.
type output struct{ value expression }

func (o output) execute(r *run, s *scope, out *strings.Builder) jump {
	r.write(out, r.text(o.value.evaluate(r, s)))
	return ""
}

// branch is {% if %}.
type branch struct {
	test            expression
	then, otherwise []statement
}

func (b *branch) execute(r *run, s *scope, out *strings.Builder) jump {
	if truth(b.test.evaluate(r, s)) {
		return r.statements(b.then, s, out)
	}
	return r.statements(b.otherwise, s, out)
}

// loop is {% for %}. Each turn has a scope of its own.
type loop struct {
	targets         []string
	items, filter   expression
	body, otherwise []statement
}

func (l *loop) execute(r *run, s *scope, out *strings.Builder) jump {
	items := r.elements(l.items.evaluate(r, s), "a for loop")
	if l.filter != nil {
		kept := []any{}
		for _, item := range items {
			inner := s.inner()
			r.assign(inner, l.targets, item)
			if truth(l.filter.evaluate(r, inner)) {
				kept = append(kept, item)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		return r.statements(l.otherwise, s, out)
	}
	for i, item := range items {
		r.spend(1)
		inner := s.inner()
		r.assign(inner, l.targets, item)
		inner.values["loop"] = turn{items, i}
		if r.statements(l.body, inner, out) == "break" {
			break
		}
	}
	return ""
}

// turn is the variable loop.
type turn struct {
	items []any
	index int
}

// attribute returns loop.NAME.
func (t turn) attribute(name string) any {
	neighbour := func(i int) any {
		if i < 0 || i >= len(t.items) {
			return undefined{"loop." + name}
		}
		return t.items[i]
	}
	switch name {
	case "index":
		return int64(t.index + 1)
	case "index0":
		return int64(t.index)
	case "revindex":
		return int64(len(t.items) - t.index)
	case "revindex0":
		return int64(len(t.items) - t.index - 1)
	case "first":
		return t.index == 0
	case "last":
		return t.index == len(t.items)-1
	case "length":
		return int64(len(t.items))
	case "previtem":
		return neighbour(t.index - 1)
	case "nextitem":
		return neighbour(t.index + 1)
	}
	return undefined{"loop." + name}
}

// assign gives a value to a name, or its elements to several.
func (r *run) assign(s *scope, names []string, value any) {
	if len(names) == 1 {
		s.values[names[0]] = value
		return
	}
	items := r.elements(value, "an assignment to several names")
	if len(items) != len(names) {
		panic(failure{fmt.Errorf("%d values for the names %s", len(items), strings.Join(names, ", "))})
	}
	for i, name := range names {
		s.values[name] = items[i]
	}
}

// assignment is {% set %}.
type assignment struct {
	names []string
	field string // of a namespace, or ""
	value expression
	block []statement
	line  int
}

func (a *assignment) execute(r *run, s *scope, out *strings.Builder) jump {
	var value any
	if a.value != nil {
		value = a.value.evaluate(r, s)
	} else {
		value = r.captured(a.block, s.inner())
	}
	if a.field == "" {
		r.assign(s, a.names, value)
		return ""
	}
	space, ok := s.get(a.names[0]).(*namespace)
	if !ok {
		fail(a.line, "%s is no namespace: set %s.%s needs one", a.names[0], a.names[0], a.field)
	}
	space.values[a.field] = value
	return ""
}

// captured returns what statements write.
func (r *run) captured(body []statement, s *scope) string {
	var b strings.Builder
	r.statements(body, s, &b)
	return b.String()
}

// macro is {% macro %}; executing it defines its name.
type macro struct {
	name       string
	parameters []string
	defaults   []expression // nil where a parameter has none
	body       []statement
}

func (m *macro) execute(_ *run, s *scope, _ *strings.Builder) jump {
	s.values[m.name] = function(func(r *run, line int, args []any, named map[string]any) any {
		defer r.deeper()()
		inner := s.inner()
		if len(args) > len(m.parameters) {
			fail(line, "macro %s takes %d arguments, it is given %d", m.name, len(m.parameters), len(args))
		}
		for i, name := range m.parameters {
			value, given := named[name]
			delete(named, name)
			switch {
			case i < len(args) && given:
				fail(line, "macro %s: the argument %s is given twice", m.name, name)
			case i < len(args):
				value = args[i]
			case !given && m.defaults[i] != nil:
				value = m.defaults[i].evaluate(r, inner)
			case !given:
				value = undefined{name}
			}
			inner.values[name] = value
		}
		for name := range named {
			fail(line, "macro %s has no parameter %s", m.name, name)
		}
		return r.captured(m.body, inner)
	})
	return ""
}
