package oniguruma

import (
	"fmt"
	"strings"
)

// Regexp is a compiled expression. It is safe for concurrent use.
type Regexp struct {
	expression string
	program    *program
}

// Match is a part of a text, by its first byte and the one behind it.
type Match struct{ From, To int }

// Compile reads an expression. What is not supported, or makes no sense, is an error that names it.
func Compile(expression string) (*Regexp, error) {
	n, err := parse(expression)
	var p *program
	if err == nil {
		p, err = compile(n)
	}
	if err != nil {
		return nil, naming(expression, err)
	}
	return &Regexp{expression, p}, nil
}

// All returns the matches in a text from left to right. Each begins where the one before ends, or
// behind; one that is empty is not right behind another. It tells look how many steps it has made,
// every some thousand and at the end, and ends with its error. A text that takes too much memory is an error.
func (r *Regexp) All(text string, look func(steps int) error) ([]Match, error) {
	m := machine{program: r.program, text: text, look: look}
	out, err := m.all()
	if err != nil {
		return nil, naming(r.expression, err)
	}
	return out, nil
}

// shown is how many bytes of an expression an error has.
const shown = 200

func naming(expression string, err error) error {
	if len(expression) > shown {
		expression = expression[:shown] + "…"
	}
	return fmt.Errorf("the regular expression %s: %w", strings.ToValidUTF8(expression, "\ufffd"), err)
}
