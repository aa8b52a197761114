package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// Dim is the length of an axis: an integer, or a polynomial with integer
// coefficients over names ("batch", "past+seq", "batch*seq"). Two Dims are
// equal (==) exactly when their canonical forms are. The zero value is 0.
type Dim struct {
	expr string // canonical text; "" is 0
}

// N returns a literal length.
func N(n int) Dim { return poly{{coef: n}}.dim() }

// Sym returns a named length. A name is a letter or underscore followed by
// letters, digits, underscores or dots; anything else panics, being a bug of
// the caller (names from files go through ParseDim).
func Sym(name string) Dim {
	if !validName(name) {
		panic(fmt.Sprintf("graph: %q is not an axis name", name))
	}
	return poly{{coef: 1, names: []string{name}}}.dim()
}

// ParseDim reads the form that String prints, spaces between its parts aside.
func ParseDim(s string) (Dim, error) {
	if s == "" {
		return Dim{}, fmt.Errorf("empty axis expression")
	}
	p, err := parse(s)
	return p.dim(), err
}

// String returns the canonical form, for example "2*batch*seq+past".
func (d Dim) String() string {
	if d.expr == "" {
		return "0"
	}
	return d.expr
}

// Int returns the literal length, if it is one.
func (d Dim) Int() (int, bool) {
	if d.expr == "" {
		return 0, true
	}
	n, err := strconv.Atoi(d.expr)
	return n, err == nil
}

// is reports whether d is the literal n.
func (d Dim) is(n int) bool { v, ok := d.Int(); return ok && v == n }

// Add returns d + e.
func (d Dim) Add(e Dim) Dim { return append(d.poly(), e.poly()...).dim() }

// sub returns d − e.
func (d Dim) sub(e Dim) Dim { return d.Add(e.Mul(N(-1))) }

// Mul returns d · e.
func (d Dim) Mul(e Dim) Dim {
	var p poly
	for _, x := range d.poly() {
		for _, y := range e.poly() {
			p = append(p, monomial{x.coef * y.coef, slices.Concat(x.names, y.names)})
		}
	}
	return p.dim()
}

// div returns d / e when e is a single term that divides every term of d, or
// equals d; otherwise ok is false.
func (d Dim) div(e Dim) (q Dim, ok bool) {
	if d == e && !e.is(0) {
		return N(1), true
	}
	den := e.poly()
	if len(den) != 1 {
		return Dim{}, false
	}
	var p poly
	for _, m := range d.poly() {
		if m.coef%den[0].coef != 0 {
			return Dim{}, false
		}
		names := slices.Clone(m.names)
		for _, f := range den[0].names {
			i := slices.Index(names, f)
			if i < 0 {
				return Dim{}, false
			}
			names = slices.Delete(names, i, i+1)
		}
		p = append(p, monomial{m.coef / den[0].coef, names})
	}
	return p.dim(), true
}

// Eval returns the length for given values of the names.
func (d Dim) Eval(values map[string]int) (int, error) {
	sum := 0
	for _, m := range d.poly() {
		v := m.coef
		for _, name := range m.names {
			x, ok := values[name]
			if !ok {
				return 0, fmt.Errorf("axis %s: no value for %q", d, name)
			}
			v *= x
		}
		sum += v
	}
	return sum, nil
}

// Evaluator returns Eval for values in the order of names, without allocations. Every name
// in d must be among them.
func (d Dim) Evaluator(names []string) (func(values []int) int, error) {
	type term struct {
		coef int
		at   []int // in names
	}
	var terms []term
	for _, m := range d.poly() {
		t := term{coef: m.coef}
		for _, name := range m.names {
			i := slices.Index(names, name)
			if i < 0 {
				return nil, fmt.Errorf("axis %s: no value for %q", d, name)
			}
			t.at = append(t.at, i)
		}
		terms = append(terms, t)
	}
	return func(values []int) int {
		sum := 0
		for _, t := range terms {
			v := t.coef
			for _, i := range t.at {
				v *= values[i]
			}
			sum += v
		}
		return sum
	}, nil
}

// Names returns the names that occur in d, sorted.
func (d Dim) Names() []string {
	var names []string
	for _, m := range d.poly() {
		names = append(names, m.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AxisStrings prints the axes of a shape.
func AxisStrings(shape []Dim) []string {
	return lists.Map(shape, Dim.String)
}

// product returns the product of the axes of a shape.
func product(shape []Dim) Dim {
	p := N(1)
	for _, d := range shape {
		p = p.Mul(d)
	}
	return p
}

// divideShapes returns Π num / Π den, cancelling equal axes first so that sums
// such as past+seq divide too.
func divideShapes(num, den []Dim) (Dim, bool) {
	num = slices.Clone(num)
	rest := N(1)
	for _, d := range den {
		if i := slices.Index(num, d); i >= 0 && !d.is(0) {
			num = slices.Delete(num, i, i+1)
		} else {
			rest = rest.Mul(d)
		}
	}
	return product(num).div(rest)
}

// monomial is coef · Π names.
type monomial struct {
	coef  int
	names []string
}

type poly []monomial

func (d Dim) poly() poly {
	if d.expr == "" {
		return nil
	}
	p, _ := parse(d.expr) // which is canonical, and so without errors
	return p
}

// parse reads a sum of products.
func parse(s string) (poly, error) {
	var p poly
	for term := range strings.SplitSeq(s, "+") {
		m := monomial{coef: 1}
		for f := range strings.SplitSeq(term, "*") {
			f = strings.TrimSpace(f)
			if validName(f) {
				m.names = append(m.names, f)
			} else if n, err := strconv.Atoi(f); err == nil {
				m.coef *= n
			} else {
				return nil, fmt.Errorf("axis %q: %q is neither an integer nor a name", s, f)
			}
		}
		p = append(p, m)
	}
	return p, nil
}

// dim brings p into canonical form: names sorted within a term, equal terms
// merged, terms sorted with the constant last.
func (p poly) dim() Dim {
	coef := map[string]int{}
	var keys []string
	for _, m := range p {
		names := slices.Sorted(slices.Values(m.names))
		k := strings.Join(names, "*")
		if _, seen := coef[k]; !seen {
			keys = append(keys, k)
		}
		coef[k] += m.coef
	}
	slices.SortFunc(keys, func(a, b string) int {
		if (a == "") != (b == "") {
			return strings.Compare(b, a)
		}
		return strings.Compare(a, b)
	})
	var terms []string
	for _, k := range keys {
		switch c := coef[k]; {
		case c == 0:
		case k == "":
			terms = append(terms, strconv.Itoa(c))
		case c == 1:
			terms = append(terms, k)
		default:
			terms = append(terms, strconv.Itoa(c)+"*"+k)
		}
	}
	return Dim{strings.Join(terms, "+")}
}

func validName(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		case i > 0 && (r == '.' || r >= '0' && r <= '9'):
		default:
			return false
		}
	}
	return s != ""
}
