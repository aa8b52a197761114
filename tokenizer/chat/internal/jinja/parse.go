package jinja

import (
	"fmt"
	"slices"
	"strconv"
)

// mostDepth is how deep statements and expressions may nest, and macros call each other.
const mostDepth = 100

// mostSource is how many bytes a template may have.
const mostSource = 1 << 20

// Template is a parsed template. It may be rendered by several goroutines at a time.
type Template struct {
	body []statement
}

// Parse reads a template.
func Parse(source string) (_ *Template, err error) {
	if len(source) > mostSource {
		return nil, fmt.Errorf("the template has %d bytes, at most %d are read", len(source), mostSource)
	}
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	p := &parser{tokens: tokens}
	body := p.statements()
	if p.now().kind != kindEnd {
		p.failf("%q without its beginning", p.now().text)
	}
	return &Template{body}, nil
}

// failure is an error on its way to Parse or Render.
type failure struct{ err error }

// recovered makes the error of a panic with a failure.
func recovered(err *error) {
	if p := recover(); p != nil {
		f, ours := p.(failure)
		if !ours {
			panic(p)
		}
		*err = f.err
	}
}

// parser reads tokens by recursive descent, with Jinja's precedence.
type parser struct {
	tokens []token
	next   int
	depth  int
	loops  int // for loops that enclose the place
}

func (p *parser) now() token { return p.tokens[p.next] }

func (p *parser) failf(format string, args ...any) {
	panic(failure{fmt.Errorf("line %d: "+format, append([]any{p.now().line}, args...)...)})
}

// deeper bounds the recursion; the function that it returns leaves the level.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > mostDepth {
		p.failf("more than %d levels of nesting", mostDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) is(k kind, text string) bool { return p.now().kind == k && p.now().text == text }

// sign takes a sign, if it is next.
func (p *parser) sign(text string) bool { return p.accept(kindSign, text) }

// word takes a name, if it is next.
func (p *parser) word(text string) bool { return p.accept(kindName, text) }

func (p *parser) accept(k kind, text string) bool {
	if !p.is(k, text) {
		return false
	}
	p.next++
	return true
}

func (p *parser) want(k kind, text string) {
	if !p.accept(k, text) {
		p.failf("%q where %q is wanted", p.now().text, text)
	}
}

func (p *parser) name() string {
	t := p.now()
	if t.kind != kindName {
		p.failf("%q where a name is wanted", t.text)
	}
	p.next++
	return t.text
}

// statements reads to the end of the template, or to a tag that begins with one of the words, which it
// leaves behind the word.
func (p *parser) statements(ends ...string) (body []statement) {
	defer p.deeper()()
	for {
		switch t := p.now(); {
		case t.kind == kindText:
			p.next++
			body = append(body, text(t.text))
		case t.kind == kindEnd:
			if len(ends) > 0 {
				p.failf("the template ends where %q is wanted", ends[len(ends)-1])
			}
			return body
		case t.text == "{{":
			p.next++
			body = append(body, output{p.tuple()})
			p.want(kindClose, "}}")
		default:
			p.next++
			if t := p.now(); t.kind == kindName && slices.Contains(ends, t.text) {
				return body
			}
			body = append(body, p.statement()...)
		}
	}
}

// end takes a word and the end of its tag.
func (p *parser) end(word string) {
	p.want(kindName, word)
	p.want(kindClose, "%}")
}

func (p *parser) statement() []statement {
	switch word := p.name(); word {
	case "if":
		return []statement{p.condition()}
	case "for":
		return []statement{p.loop()}
	case "set":
		return []statement{p.set()}
	case "macro":
		return []statement{p.macro()}
	case "break", "continue":
		if p.loops == 0 {
			p.failf("%s outside a for loop", word)
		}
		p.want(kindClose, "%}")
		return []statement{jump(word)}
	case "generation": // marks what training learns; a rendering passes it through
		p.want(kindClose, "%}")
		body := p.statements("endgeneration")
		p.end("endgeneration")
		return body
	default:
		p.failf("the statement %q is not supported", word)
		return nil
	}
}

func (p *parser) condition() statement {
	c := &branch{test: p.tuple()}
	p.want(kindClose, "%}")
	c.then = p.statements("elif", "else", "endif")
	switch {
	case p.word("elif"):
		defer p.deeper()()
		c.otherwise = []statement{p.condition()}
		return c
	case p.word("else"):
		p.want(kindClose, "%}")
		c.otherwise = p.statements("endif")
	}
	p.end("endif")
	return c
}

func (p *parser) loop() statement {
	l := &loop{targets: p.targets()}
	p.want(kindName, "in")
	l.items = p.alternative() // no condition: "if" filters
	if p.sign(",") {
		p.failf("a for loop over a tuple without brackets is not supported")
	}
	if p.word("if") {
		l.filter = p.expression()
	}
	if p.word("recursive") {
		p.failf("a recursive for loop is not supported")
	}
	p.want(kindClose, "%}")
	p.loops++
	l.body = p.statements("else", "endfor")
	p.loops--
	if p.word("else") {
		p.want(kindClose, "%}")
		l.otherwise = p.statements("endfor")
	}
	p.end("endfor")
	return l
}

// targets reads one name, or several with commas.
func (p *parser) targets() []string {
	bracket := p.sign("(")
	names := []string{p.name()}
	for p.sign(",") {
		if p.now().kind != kindName || p.is(kindName, "in") {
			break
		}
		names = append(names, p.name())
	}
	if bracket {
		p.want(kindSign, ")")
	}
	return names
}

func (p *parser) set() statement {
	s := &assignment{line: p.now().line, names: p.targets()}
	if p.sign(".") {
		s.field = p.name()
	}
	if p.sign("=") {
		s.value = p.tuple()
		p.want(kindClose, "%}")
		return s
	}
	if p.is(kindSign, "|") {
		p.failf("set with a filter and a block is not supported")
	}
	p.want(kindClose, "%}")
	s.block = p.statements("endset")
	p.end("endset")
	return s
}

func (p *parser) macro() statement {
	m := &macro{name: p.name()}
	p.want(kindSign, "(")
	for !p.sign(")") {
		m.parameters = append(m.parameters, p.name())
		var usual expression
		if p.sign("=") {
			usual = p.expression()
		} else if n := len(m.defaults); n > 0 && m.defaults[n-1] != nil {
			p.failf("macro %s: a parameter without a default follows one that has one", m.name)
		}
		m.defaults = append(m.defaults, usual)
		if !p.is(kindSign, ")") {
			p.want(kindSign, ",")
		}
	}
	p.want(kindClose, "%}")
	loops := p.loops
	p.loops = 0
	m.body = p.statements("endmacro")
	p.loops = loops
	p.end("endmacro")
	return m
}

// tuple reads an expression, or several with commas.
func (p *parser) tuple() expression {
	first := p.expression()
	if !p.is(kindSign, ",") {
		return first
	}
	items := list{first}
	for p.sign(",") {
		if p.now().kind == kindClose || p.is(kindSign, ")") {
			break
		}
		items = append(items, p.expression())
	}
	return tupled{items}
}

// expression is a condition (a if b else c), or what binds tighter.
func (p *parser) expression() expression {
	defer p.deeper()()
	value := p.alternative()
	for p.word("if") {
		c := &conditional{test: p.alternative(), then: value}
		if p.word("else") {
			c.otherwise = p.expression()
		}
		value = c
	}
	return value
}

func (p *parser) alternative() expression {
	left := p.conjunction()
	for p.word("or") {
		left = &logical{left, p.conjunction(), true}
	}
	return left
}

func (p *parser) conjunction() expression {
	left := p.negation()
	for p.word("and") {
		left = &logical{left, p.negation(), false}
	}
	return left
}

func (p *parser) negation() expression {
	if p.word("not") {
		defer p.deeper()()
		return &not{p.negation()}
	}
	return p.comparison()
}

func (p *parser) comparison() expression {
	c := &comparison{first: p.sum()}
	for {
		t := p.now()
		switch {
		case t.kind == kindSign && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text):
			p.next++
			c.add(t, t.text, p.sum())
		case p.word("in"):
			c.add(t, "in", p.sum())
		case t.kind == kindName && t.text == "not" && p.tokens[p.next+1].text == "in":
			p.next += 2
			c.add(t, "not in", p.sum())
		case len(c.signs) == 0:
			return c.first
		default:
			return c
		}
	}
}

// sum, joined, product and power read operators from left to right.
func (p *parser) sum() expression { return p.operators(p.joined, "+", "-") }

func (p *parser) joined() expression { return p.operators(p.product, "~") }

func (p *parser) product() expression { return p.operators(p.power, "*", "/", "//", "%") }

func (p *parser) power() expression {
	return p.operators(func() expression { return p.unary(true) }, "**")
}

func (p *parser) operators(operand func() expression, signs ...string) expression {
	left := operand()
	for p.now().kind == kindSign && slices.Contains(signs, p.now().text) {
		t := p.now()
		p.next++
		left = &binary{t.text, left, operand(), t.line}
	}
	return left
}

func (p *parser) unary(filtered bool) (value expression) {
	line := p.now().line
	switch {
	case p.sign("-"):
		defer p.deeper()()
		value = &binary{"-", literal{int64(0)}, p.unary(false), line}
	case p.sign("+"):
		defer p.deeper()()
		value = p.unary(false)
	default:
		value = p.postfix(p.primary())
	}
	for filtered {
		switch line := p.now().line; {
		case p.sign("|"):
			name := p.name()
			f := &applied{value: value, function: filters[name], line: line}
			if f.function == nil {
				p.failf("the filter %q is not supported", name)
			}
			if p.sign("(") {
				f.arguments = p.arguments()
			}
			value = f
		case p.word("is"):
			value = p.test(value, line)
		case p.is(kindSign, "("):
			value = p.postfix(value)
		default:
			return value
		}
	}
	return value
}

func (p *parser) test(value expression, line int) expression {
	negated := p.word("not")
	name := p.name()
	t := &applied{value: value, function: tests[name], line: line}
	if t.function == nil {
		p.failf("the test %q is not supported", name)
	}
	switch now := p.now(); {
	case p.sign("("):
		t.arguments = p.arguments()
	case now.kind == kindName && !slices.Contains([]string{"else", "or", "and", "is", "if", "not", "in"}, now.text),
		now.kind == kindString, now.kind == kindInt, now.kind == kindFloat, now.kind == kindSign && (now.text == "[" || now.text == "{"):
		t.arguments.positional = []expression{p.postfix(p.primary())}
	}
	if negated {
		return &not{t}
	}
	return t
}

func (p *parser) primary() expression {
	t := p.now()
	p.next++
	switch t.kind {
	case kindName:
		switch t.text {
		case "true", "True":
			return literal{true}
		case "false", "False":
			return literal{false}
		case "none", "None":
			return literal{nil}
		}
		return &variable{t.text, t.line}
	case kindString:
		joined := t.text
		for p.now().kind == kindString { // strings side by side are one
			joined += p.now().text
			p.next++
		}
		return literal{joined}
	case kindInt:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			p.failf("the number %s has more than 64 bits", t.text)
		}
		return literal{n}
	case kindFloat:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.failf("the number %s is out of range", t.text)
		}
		return literal{f}
	case kindSign:
		switch t.text {
		case "(":
			if p.sign(")") {
				return tupled{}
			}
			value := p.tuple()
			p.want(kindSign, ")")
			return value
		case "[":
			items := list{}
			for !p.sign("]") {
				items = append(items, p.expression())
				if !p.is(kindSign, "]") {
					p.want(kindSign, ",")
				}
			}
			return items
		case "{":
			return p.dictionary()
		}
	}
	p.next--
	p.failf("%q where an expression is wanted", t.text)
	return nil
}

func (p *parser) dictionary() expression {
	d := &dictionary{line: p.now().line}
	for !p.sign("}") {
		d.keys = append(d.keys, p.expression())
		p.want(kindSign, ":")
		d.values = append(d.values, p.expression())
		if !p.is(kindSign, "}") {
			p.want(kindSign, ",")
		}
	}
	return d
}

func (p *parser) postfix(value expression) expression {
	for {
		switch line := p.now().line; {
		case p.sign("."):
			if t := p.now(); t.kind == kindInt {
				p.failf("an index behind a point is not supported; write [%s]", t.text)
			}
			value = &attribute{value, p.name(), line}
		case p.sign("["):
			value = p.subscript(value, line)
		case p.sign("("):
			value = &call{value, p.arguments(), line}
		default:
			return value
		}
	}
}

func (p *parser) subscript(value expression, line int) expression {
	bounds := []expression{nil}
	for !p.sign("]") {
		if p.sign(":") {
			bounds = append(bounds, nil)
			continue
		}
		if bounds[len(bounds)-1] != nil {
			p.failf("%q where \"]\" is wanted", p.now().text)
		}
		bounds[len(bounds)-1] = p.expression()
	}
	switch {
	case len(bounds) > 3:
		p.failf("a slice has more than start, stop and step")
	case len(bounds) > 1:
		return &slice{value, append(bounds, nil)[:3], line}
	case bounds[0] == nil:
		p.failf("an index is missing in []")
	}
	return &item{value, bounds[0], line}
}

// arguments reads the arguments of a call behind its bracket.
func (p *parser) arguments() (a arguments) {
	for !p.sign(")") {
		if p.is(kindSign, "*") || p.is(kindSign, "**") {
			p.failf("arguments with * are not supported")
		}
		if p.now().kind == kindName && p.tokens[p.next+1].kind == kindSign && p.tokens[p.next+1].text == "=" {
			a.names = append(a.names, p.name())
			p.next++
			a.named = append(a.named, p.expression())
		} else {
			if len(a.names) > 0 {
				p.failf("an argument without a name follows one with a name")
			}
			a.positional = append(a.positional, p.expression())
		}
		if !p.is(kindSign, ")") {
			p.want(kindSign, ",")
		}
	}
	return a
}
