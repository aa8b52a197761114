package oniguruma

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/nopezoo/zoo/internal/lists"
)

// manyFold is the characters whose case folding is several: those with status F in CaseFolding.txt of
// the Unicode Character Database.
const manyFold = "" +
	"ß=ss İ=i\u0307 ŉ=\u02bcn ǰ=j\u030c \u0390=\u03b9\u0308\u0301 \u03b0=\u03c5\u0308\u0301 \u0587=\u0565\u0582 " +
	"\u1e96=h\u0331 \u1e97=t\u0308 \u1e98=w\u030a \u1e99=y\u030a \u1e9a=a\u02be \u1e9e=ss \u1f50=\u03c5\u0313 " +
	"\u1f52=\u03c5\u0313\u0300 \u1f54=\u03c5\u0313\u0301 \u1f56=\u03c5\u0313\u0342 \u1f80=\u1f00\u03b9 " +
	"\u1f81=\u1f01\u03b9 \u1f82=\u1f02\u03b9 \u1f83=\u1f03\u03b9 \u1f84=\u1f04\u03b9 \u1f85=\u1f05\u03b9 " +
	"\u1f86=\u1f06\u03b9 \u1f87=\u1f07\u03b9 \u1f88=\u1f00\u03b9 \u1f89=\u1f01\u03b9 \u1f8a=\u1f02\u03b9 " +
	"\u1f8b=\u1f03\u03b9 \u1f8c=\u1f04\u03b9 \u1f8d=\u1f05\u03b9 \u1f8e=\u1f06\u03b9 \u1f8f=\u1f07\u03b9 " +
	"\u1f90=\u1f20\u03b9 \u1f91=\u1f21\u03b9 \u1f92=\u1f22\u03b9 \u1f93=\u1f23\u03b9 \u1f94=\u1f24\u03b9 " +
	"\u1f95=\u1f25\u03b9 \u1f96=\u1f26\u03b9 \u1f97=\u1f27\u03b9 \u1f98=\u1f20\u03b9 \u1f99=\u1f21\u03b9 " +
	"\u1f9a=\u1f22\u03b9 \u1f9b=\u1f23\u03b9 \u1f9c=\u1f24\u03b9 \u1f9d=\u1f25\u03b9 \u1f9e=\u1f26\u03b9 " +
	"\u1f9f=\u1f27\u03b9 \u1fa0=\u1f60\u03b9 \u1fa1=\u1f61\u03b9 \u1fa2=\u1f62\u03b9 \u1fa3=\u1f63\u03b9 " +
	"\u1fa4=\u1f64\u03b9 \u1fa5=\u1f65\u03b9 \u1fa6=\u1f66\u03b9 \u1fa7=\u1f67\u03b9 \u1fa8=\u1f60\u03b9 " +
	"\u1fa9=\u1f61\u03b9 \u1faa=\u1f62\u03b9 \u1fab=\u1f63\u03b9 \u1fac=\u1f64\u03b9 \u1fad=\u1f65\u03b9 " +
	"\u1fae=\u1f66\u03b9 \u1faf=\u1f67\u03b9 \u1fb2=\u1f70\u03b9 \u1fb3=\u03b1\u03b9 \u1fb4=\u03ac\u03b9 " +
	"\u1fb6=\u03b1\u0342 \u1fb7=\u03b1\u0342\u03b9 \u1fbc=\u03b1\u03b9 \u1fc2=\u1f74\u03b9 \u1fc3=\u03b7\u03b9 " +
	"\u1fc4=\u03ae\u03b9 \u1fc6=\u03b7\u0342 \u1fc7=\u03b7\u0342\u03b9 \u1fcc=\u03b7\u03b9 " +
	"\u1fd2=\u03b9\u0308\u0300 \u1fd3=\u03b9\u0308\u0301 \u1fd6=\u03b9\u0342 \u1fd7=\u03b9\u0308\u0342 " +
	"\u1fe2=\u03c5\u0308\u0300 \u1fe3=\u03c5\u0308\u0301 \u1fe4=\u03c1\u0313 \u1fe6=\u03c5\u0342 " +
	"\u1fe7=\u03c5\u0308\u0342 \u1ff2=\u1f7c\u03b9 \u1ff3=\u03c9\u03b9 \u1ff4=\u03ce\u03b9 \u1ff6=\u03c9\u0342 " +
	"\u1ff7=\u03c9\u0342\u03b9 \u1ffc=\u03c9\u03b9 \ufb00=ff \ufb01=fi \ufb02=fl \ufb03=ffi \ufb04=ffl \ufb05=st " +
	"\ufb06=st \ufb13=\u0574\u0576 \ufb14=\u0574\u0565 \ufb15=\u0574\u056b \ufb16=\u057e\u0576 \ufb17=\u0574\u056d "

// foldings is manyFold, by what is folded to several characters.
var foldings = sync.OnceValue(func() map[rune]string {
	out := map[rune]string{}
	for _, entry := range strings.Fields(manyFold) {
		from, to, _ := strings.Cut(entry, "=")
		out[[]rune(from)[0]] = to
	}
	return out
})

// cased is the characters that fold to another one, or that another one folds to.
var cased = sync.OnceValue(func() (out []rune) {
	for c := range rune(unicode.CaseRanges[len(unicode.CaseRanges)-1].Hi + 1) {
		if unicode.SimpleFold(c) != c {
			out = append(out, c)
		}
	}
	return out
})

// alike returns the characters that differ from c in case alone, c included.
func alike(c rune) ranges {
	spans := []span{{c, c}}
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		spans = append(spans, span{other, other})
	}
	return normal(spans)
}

// folded is the set with all that differs from its characters in case alone.
func (r ranges) folded() ranges {
	all := []ranges{r}
	for _, c := range cased() {
		if r.has(c) {
			all = append(all, alike(c))
		}
	}
	return union(all...)
}

// foldedClass returns what a class of characters matches without regard to case: one of them, or what
// one is folded to.
func foldedClass(r ranges) *node {
	choices := []*node{setNode(r.folded())}
	for _, c := range r.folding() {
		choices = append(choices, spelled(foldings()[c]))
	}
	return alternation(choices)
}

// folding returns the characters of the set that fold to several, in their order.
func (r ranges) folding() (out []rune) {
	for c := range foldings() {
		if r.has(c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// spelled matches characters one by one, without regard to case.
func spelled(text string) *node {
	return sequence(lists.Map([]rune(text), func(c rune) *node { return setNode(alike(c)) }))
}

// foldedText returns what a text matches without regard to case: "ss" is ß, too, and ß is "ss". Of the
// texts that fold to one character the first counts, and the longest there: the last two of "sss" are no ß.
func foldedText(text []rune) *node {
	var parts []*node
	for i := 0; i < len(text); {
		if to, ok := foldings()[text[i]]; ok {
			single := union(foldingTo([]rune(to)), alike(text[i]))
			parts = append(parts, alternation([]*node{setNode(single), spelled(to)}))
			i++
			continue
		}
		n := min(longestFolding, len(text)-i)
		for n > 1 && len(foldingTo(text[i:i+n])) == 0 {
			n--
		}
		part := spelled(string(text[i : i+n]))
		if n > 1 {
			part = alternation([]*node{setNode(foldingTo(text[i : i+n])), part})
		}
		parts = append(parts, part)
		i += n
	}
	return sequence(parts)
}

const longestFolding = 3 // characters

// foldingTo returns the characters that fold to a text.
func foldingTo(text []rune) ranges { return foldedTo()[lowest(text)] }

var foldedTo = sync.OnceValue(func() map[string]ranges {
	out := map[string]ranges{}
	for c, to := range foldings() {
		key := lowest([]rune(to))
		out[key] = union(out[key], one(c))
	}
	return out
})

// lowest has each character as the first of those that differ from it in case alone.
func lowest(text []rune) string {
	out := slices.Clone(text)
	for i, c := range text {
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			out[i] = min(out[i], other)
		}
	}
	return string(out)
}
