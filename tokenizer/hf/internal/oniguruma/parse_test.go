package oniguruma

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestRefused: what is not supported, or makes no sense, is named, with its place.
func TestRefused(t *testing.T) {
	for expression, want := range map[string]string{
		`(a`:                          "byte 0: a group is not closed",
		`b(?:a`:                       "byte 1: a group is not closed",
		`b(?`:                         "byte 1: a group is not closed",
		`b(?i`:                        "byte 1: a group is not closed",
		`a)`:                          "a ) closes no group",
		`b(?#a`:                       "byte 1: a comment is not closed",
		`b(?<a`:                       "byte 1: a group's name has no end",
		`b(?<>a)`:                     "byte 1: a group's name has no end",
		`b(?<a-b>a)`:                  "byte 1: a group's name has no end",
		`b(?ix:a)`:                    "byte 1: the group (?ix is not supported",
		`b(?<-a>c)`:                   "byte 1: a group's name has no end",
		`(?P<n>a)`:                    "byte 0: the group (?P is not supported",
		`(?~a)`:                       "byte 0: the group (?~ is not supported",
		`(?(1)a)`:                     "byte 0: the group (?( is not supported",
		`a|*b`:                        "byte 2: * repeats nothing",
		`+`:                           "byte 0: + repeats nothing",
		`(?:?)`:                       "byte 3: ? repeats nothing",
		`^*`:                          "byte 2: a quantifier is behind what matches a place",
		`(?=a){2}`:                    "byte 8: a quantifier is behind what matches a place",
		`a{100001}`:                   "byte 1: more than 100000 repetitions",
		`a{1,100001}`:                 "byte 1: more than 100000 repetitions",
		`a{9999999999}`:               "byte 1: more than 100000 repetitions",
		`a{100000}`:                   "it takes more than 8192 instructions; its repetitions multiply",
		`(?:a{90}){92}`:               "it takes more than 8192 instructions; its repetitions multiply",
		`a\`:                          `a \ ends it`,
		`[a\`:                         `a \ ends it`,
		`(a)\1`:                       `byte 3: \1 is not supported there`,
		`\9`:                          `byte 0: \9 is not supported there`,
		`\k<a>`:                       `byte 0: \k is not supported there`,
		`a\G`:                         `byte 1: \G is not supported there`,
		`\X`:                          `byte 0: \X is not supported there`,
		`[a\R]`:                       `byte 2: \R is not supported there`,
		`[\1]`:                        `byte 1: \1 is not supported there`,
		`\p{Foo}`:                     `the property \p{Foo} is not supported`,
		`[\P{^Foo}]`:                  `the property \p{Foo} is not supported`,
		`a\p{L`:                       `byte 1: a \p{ is not closed`,
		`a\u12g`:                      `byte 1: \u12 is no character`,
		`\x{110000}`:                  `byte 0: \x{110000} is no character`,
		`\x{d800}`:                    `byte 0: \x{d800} is no character`,
		`\x{}`:                        `byte 0: \x{ is no character`,
		`\x{41`:                       `byte 0: \x{41 is no character`,
		`\x{123456789}`:               `byte 0: \x{12345678 is no character`,
		`\x80`:                        `byte 0: \x80 is a part of a character; write \x{...}`,
		`a[b`:                         "byte 1: a class is not closed",
		`[`:                           "byte 0: a class is not closed",
		`[]`:                          "byte 0: a class is empty",
		`[^]`:                         "byte 0: a class is empty",
		`[a[b]`:                       "byte 0: a class is not closed",
		`[a-`:                         "byte 2: a range has no end",
		`[z-a]`:                       "byte 2: the range z-a is empty",
		`[a-\d]`:                      "byte 2: a range ends with a class",
		`[a-[b]]`:                     "byte 2: a range ends with a class",
		`[]-\d]`:                      "byte 2: a range ends with a class",
		`[a-\1]`:                      `byte 3: \1 is not supported there`,
		`[\p{Foo}]`:                   `the property \p{Foo} is not supported`,
		`[a[:b]`:                      "byte 0: a class is not closed",
		`[[:ab`:                       "byte 1: a class is not closed",
		`ab{100001}c*+?`:              "byte 2: more than 100000 repetitions",
		`a*{100001}`:                  "byte 2: more than 100000 repetitions",
		`[\d-a]`:                      "byte 1: a range begins with a class",
		`[a[:foo:]]`:                  "byte 4: the class [:foo:] is not known",
		`(?<=(?>a))b`:                 "an atomic group or possessive quantifier within a lookbehind is not supported",
		`(?<!a++)b`:                   "an atomic group or possessive quantifier within a lookbehind is not supported",
		strings.Repeat(`\p{L}`, 1000): "its classes have more than 524288 ranges",
		`[` + strings.Repeat(`\p{L}&&`, 400) + "a]":                              "its classes have more than 524288 ranges",
		strings.Repeat(`[[:alpha:]]`, 1000):                                      "its classes have more than 524288 ranges",
		strings.Repeat(`[ab]`, 128) + `(?i:` + strings.Repeat(`[ab]`, 128) + ")": "its classes have more than 524288 ranges",
		"\xff": "it is not valid UTF-8",
		strings.Repeat("()", 100) + strings.Repeat("(", 61):         "its brackets are more than 60 deep",
		strings.Repeat("[a]", 100) + strings.Repeat("[a", 61):       "its brackets are more than 60 deep",
		strings.Repeat("(", 61) + strings.Repeat(")", 61):           "its brackets are more than 60 deep",
		strings.Repeat("[a", 61) + strings.Repeat("]", 61):          "its brackets are more than 60 deep",
		strings.Repeat("(?:", 60) + "[a]" + strings.Repeat(")", 60): "its brackets are more than 60 deep",
		strings.Repeat("a", 1<<15+1):                                "it has 32769 bytes, and the most are 32768",
	} {
		_, err := Compile(expression)
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || !strings.HasPrefix(err.Error(), "the regular expression ") {
			t.Errorf("%.50q: %v, want %s", expression, err, want)
		}
	}
}

// TestTaken: what is at a bound, or looks like what is refused, is taken.
func TestTaken(t *testing.T) {
	for _, expression := range []string{
		strings.Repeat("(", 60) + strings.Repeat(")", 60), strings.Repeat("()", 100), strings.Repeat("[a]", 100),
		strings.Repeat("(?:", 59) + "[a]" + strings.Repeat(")", 59), strings.Repeat("(?:", 60) + "a" + strings.Repeat("|)*", 60),
		`a{8191}`, `(?:(?=a)|b)*a`, `(?:^|a)+`, `a{0,100000}`,
		strings.Repeat(`[ab]`, 1000) + `(?i:` + strings.Repeat(`[ab]`, 127) + ")", strings.Repeat(`\p{L}`, 400),
		`[[a&&b]]`, `[a[:b]c:]`, `[a-a]`, `[[:a\:]]`,
	} {
		if _, err := Compile(expression); err != nil {
			t.Errorf("%.50q: %v", expression, err)
		}
	}
	if _, err := Compile(`a{8192}`); err == nil {
		t.Error("no bound of a{8192}")
	}
	if n, err := parse(strings.Repeat("a", 1<<15)); err != nil || len(n.parts) != 1<<15 {
		t.Error(err)
	}
}

// The classes of an expression have as many ranges as they may, which is where those that are folded count for more.
func TestWeigh(t *testing.T) {
	two := ranges{{1, 1}, {3, 3}}
	for fold, takes := range map[bool]int{false: 2, true: 2 + 4096} {
		p := &parser{fold: fold, spans: 1<<19 - takes}
		if err := p.weigh(two); err != nil || p.spans != 1<<19 {
			t.Errorf("folded %v: %d, %v", fold, p.spans, err)
		}
		if err := p.weigh(one('a')); err == nil {
			t.Errorf("folded %v: no error beyond", fold)
		}
	}
}

// A program is as long as it may be, or an error, wherever the bound is met.
func TestInstructions(t *testing.T) {
	for _, part := range []string{`a|b|c`, `(?>ab)`, `(?=ab)`, `(?<!ab)`, `\b`, `a*`, `a++`, `a*?`, `(?:ab)*?`, `(?:ab)+`, `(?:a|)*`, `(?:ab){0,3}?`, `(?:ab){1,3}`, `(?:(?:a*)*)*`} {
		alone, err := Compile(part)
		if err != nil {
			t.Fatal(err)
		}
		takes := len(alone.program.code) - 1
		for n := 8191 - takes - 3; n < 8192; n++ {
			r, err := Compile(fmt.Sprintf("(?:%s)a{%d}", part, n))
			if fits := n+takes <= 8191; (err == nil) != fits {
				t.Errorf("%s and %d more: %v", part, n, err)
			} else if fits && len(r.program.code) != 1+n+takes {
				t.Errorf("%s and %d more are %d", part, n, len(r.program.code))
			}
		}
	}
}

// The error shows the beginning of a long expression.
func TestLongError(t *testing.T) {
	_, err := Compile(strings.Repeat("é", 150) + "(")
	if want := "the regular expression " + strings.Repeat("é", 100) + "…: byte 300: a group is not closed"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Compile(strings.Repeat("a", 199) + "é(")
	if want := "the regular expression " + strings.Repeat("a", 199) + "\ufffd…: byte 201: a group is not closed"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Compile(strings.Repeat("a", 199) + "(")
	if want := "the regular expression " + strings.Repeat("a", 199) + "(: byte 199: a group is not closed"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Sets of ranges are as sets of characters.
func TestRanges(t *testing.T) {
	lists := []ranges{nil, {{0, 5}}, {{3, 3}, {5, 8}}, {{0, 0}, {2, 9}}, {{7, unicode.MaxRune}}, {{0, unicode.MaxRune}}, {{4, 6}, {unicode.MaxRune, unicode.MaxRune}}}
	characters := []rune{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000, unicode.MaxRune - 1, unicode.MaxRune}
	proper := func(r ranges) {
		t.Helper()
		for i, s := range r {
			if s.lo > s.hi || i > 0 && s.lo <= r[i-1].hi+1 || s.hi > unicode.MaxRune || s.lo < 0 {
				t.Errorf("ranges %v", r)
			}
		}
	}
	for _, a := range lists {
		proper(a.complement())
		for _, b := range lists {
			u, both := union(a, b), intersection(a, b)
			proper(u)
			proper(both)
			for _, c := range characters {
				if u.has(c) != (a.has(c) || b.has(c)) || both.has(c) != (a.has(c) && b.has(c)) || a.complement().has(c) == a.has(c) {
					t.Errorf("%v and %v: %d", a, b, c)
				}
			}
		}
	}
	if got := normal([]span{{5, 6}, {1, 9}, {12, 13}, {10, 10}}); !slices.Equal(got, ranges{{1, 10}, {12, 13}}) {
		t.Errorf("%v", got)
	}
}

// Tables have in a set what they have.
func TestTables(t *testing.T) {
	for name, table := range map[string]*unicode.RangeTable{"L": unicode.L, "Lu": unicode.Lu, "Nd": unicode.Nd, "Cn": unicode.Cn, "Latin": unicode.Latin, "Mn": unicode.Mn} {
		r, err := property(name)
		if err != nil {
			t.Fatal(err)
		}
		s, first := newSet(r), newSet(r).firstBytes()
		for c := rune(0); c <= unicode.MaxRune; c += 1 + c>>15 {
			in := unicode.Is(table, c)
			if s.has(c) != in {
				t.Fatalf("%s: %U is in: %v", name, c, !in)
			}
			if in && !(c >= 0xd800 && c < 0xe000) && !first.has(string(c)[0]) {
				t.Fatalf("%s: %U does not begin as it does", name, c)
			}
		}
	}
	if first := newSet(ranges{{'b', 'c'}, {'x', 0x7f}}).firstBytes(); first.has('a') || !first.has('b') || !first.has(0x7f) || first.has(0x80) || first.has(0xff) {
		t.Errorf("ASCII begins with %x", first)
	}
	if s := newSet(ranges{{0x7f, 0x80}}); !s.has(0x7f) || !s.has(0x80) || s.has(0x7e) || s.has(0x81) {
		t.Errorf("the set of U+007F and U+0080 is %v", s)
	}
	if first := newSet(one(0x80)).firstBytes(); !first.has(0x80) || !first.has(0xbf) || !first.has(0xc2) || !first.has(0xff) || first.has('a') || first.has(0x7f) {
		t.Errorf("U+0080 begins with %x", first)
	}
}
