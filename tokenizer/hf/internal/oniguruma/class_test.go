package oniguruma

import (
	"testing"
	"unicode"
)

// TestCharacters: of the characters of most scripts, and of some others, an expression matches those that it should.
func TestCharacters(t *testing.T) {
	some := []rune{0xfb04, 0x1e920, 0x1e921, 0x1e942, 0x1e943, 0xfffe, 0xffff, 0x10fffd, 0x10fffe, unicode.MaxRune}
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if c < 0x3400 || c%61 == 0 && (c < 0xd800 || c >= 0xe000) {
			some = append(some, c)
		}
	}
	in := func(list ...rune) func(rune) bool {
		return func(c rune) bool {
			for _, l := range list {
				if l == c {
					return true
				}
			}
			return false
		}
	}
	for expression, is := range map[string]func(rune) bool{
		`\R`:                               in('\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029),
		`\N`:                               func(c rune) bool { return c != '\n' },
		`\O`:                               func(rune) bool { return true },
		`.`:                                func(c rune) bool { return c != '\n' },
		`(?m:.)`:                           func(rune) bool { return true },
		`\h`:                               in([]rune("0123456789abcdefABCDEF")...),
		`\s`:                               unicode.IsSpace,
		`\S`:                               func(c rune) bool { return !unicode.IsSpace(c) },
		`\d`:                               unicode.IsDigit,
		`\D`:                               func(c rune) bool { return !unicode.IsDigit(c) },
		`[\d\s]`:                           func(c rune) bool { return unicode.IsDigit(c) || unicode.IsSpace(c) },
		`[\D&&\S]`:                         func(c rune) bool { return !unicode.IsDigit(c) && !unicode.IsSpace(c) },
		`\p{L}`:                            unicode.IsLetter,
		`[^\p{L}]`:                         func(c rune) bool { return !unicode.IsLetter(c) },
		`\p{N}`:                            unicode.IsNumber,
		`\p{Greek}`:                        func(c rune) bool { return unicode.Is(unicode.Greek, c) },
		`\p{Old_Italic}`:                   func(c rune) bool { return unicode.Is(unicode.Old_Italic, c) },
		`\p{Ideographic}`:                  func(c rune) bool { return unicode.Is(unicode.Ideographic, c) },
		`\P{Any}|[\P{Any}]|[a&&b]|[^\s\S]`: func(rune) bool { return false },
		`\p{ASCII}`:                        func(c rune) bool { return c < 0x80 },
		`\p{upper}`:                        func(c rune) bool { return unicode.In(c, unicode.Lu, unicode.Other_Uppercase) },
		`[[:blank:]]`:                      func(c rune) bool { return c == '\t' || unicode.Is(unicode.Zs, c) },
		`\x7f`:                             in(0x7f),
		`\x{0}`:                            in(0),
		`\x{10ffff}`:                       in(unicode.MaxRune),
		`\x{00000041}`:                     in('A'),
		`\uffFF`:                           in(0xffff),
		`[\x{10FFFE}-\x{10ffff}\x01\x00]`:  in(0, 1, 0x10fffe, 0x10ffff),
		`\t|\n|\v|\f|\r|\a|\e`:             in(9, 10, 11, 12, 13, 7, 27),
		`[\t\n\v\f\r\a\e\b]`:               in(9, 10, 11, 12, 13, 7, 27, 8),
		`\077|\06`:                         in(0o77, 6),
		`(?i:k)`:                           in('k', 'K', 0x212a),
		`(?i:[i-l])`:                       in([]rune("ijklIJKL\u212a")...),
		`(?i:[^i-l])`:                      func(c rune) bool { return !in([]rune("ijklIJKL\u212a")...)(c) },
		`(?i:[\x{1e942}\x{1e943}])`:        in(0x1e920, 0x1e921, 0x1e942, 0x1e943), // the last ones with two cases
		`(?i:ß)`:                           in('ß', 'ẞ'),
		`(?i:ΐ)`:                           in(0x390, 0x1fd3),
		`(?i:ffl)`:                         in('ﬄ'),
		`(?i:\p{Lt})`:                      func(c rune) bool { return unicode.Is(unicode.Lt, c) },
	} {
		r, err := Compile(`\A(?:` + expression + `)\z`)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range some {
			matches, err := r.All(string(c), free)
			if err != nil || (len(matches) == 1) != is(c) {
				t.Errorf("%s: %U: %v, %v, want %v", expression, c, matches, err, is(c))
				break
			}
		}
	}
}
