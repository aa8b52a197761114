package oniguruma

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// twin matches an expression as it is read, by trying everything in order, with nothing kept.
type twin struct {
	text  []rune
	steps int
}

const twinSteps = 20_000 // some expressions take years

// match returns the end of n and of what follows it, −1 for none. Backward it goes from the end to the start.
func (w *twin) match(n *node, at int, backward bool, then func(int) int) int {
	if w.steps++; w.steps > twinSteps {
		return -1
	}
	switch n.kind {
	case kindSet:
		switch {
		case backward && at > 0 && n.set.rest.has(w.text[at-1]):
			return then(at - 1)
		case !backward && at < len(w.text) && n.set.rest.has(w.text[at]):
			return then(at + 1)
		}
		return -1
	case kindSequence:
		parts := slices.Clone(n.parts)
		if backward {
			slices.Reverse(parts)
		}
		var from func(i, at int) int
		from = func(i, at int) int {
			if i == len(parts) {
				return then(at)
			}
			return w.match(parts[i], at, backward, func(at int) int { return from(i+1, at) })
		}
		return from(0, at)
	case kindChoice:
		for _, p := range n.parts {
			if end := w.match(p, at, backward, then); end >= 0 {
				return end
			}
		}
		return -1
	case kindRepeat:
		if n.possessive {
			greedy := *n
			greedy.possessive = false
			if at = w.match(&greedy, at, backward, func(end int) int { return end }); at < 0 {
				return -1
			}
			return then(at)
		}
		return w.repeat(n, 0, at, backward, then)
	case kindAtomic:
		if at = w.match(n.parts[0], at, backward, func(end int) int { return end }); at < 0 {
			return -1
		}
		return then(at)
	case kindLook:
		if w.match(n.parts[0], at, n.behind, func(end int) int { return end }) >= 0 == n.negative {
			return -1
		}
		return then(at)
	}
	if !w.place(n.anchor, at) {
		return -1
	}
	return then(at)
}

func (w *twin) repeat(n *node, times, at int, backward bool, then func(int) int) int {
	again := func() int {
		if times == n.most {
			return -1
		}
		return w.match(n.parts[0], at, backward, func(end int) int {
			if end == at && times >= n.least && n.most < 0 {
				return then(end) // an empty one is the last
			}
			return w.repeat(n, times+1, end, backward, then)
		})
	}
	if times < n.least {
		return again()
	}
	ways := []func() int{again, func() int { return then(at) }}
	if n.lazy {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if end := way(); end >= 0 {
			return end
		}
	}
	return -1
}

func (w *twin) place(a anchor, at int) bool {
	last := len(w.text)
	is := func(i int) bool { return i >= 0 && i < last && words().rest.has(w.text[i]) }
	switch a {
	case textStart:
		return at == 0
	case textEnd:
		return at == last
	case lastEnd:
		return at == last || at == last-1 && w.text[at] == '\n'
	case lineStart:
		return at == 0 || w.text[at-1] == '\n' && at != last
	case lineEnd:
		return at == last || w.text[at] == '\n'
	case boundary:
		return is(at-1) != is(at)
	}
	return is(at-1) == is(at)
}

// all returns all matches in bytes; ok is false where that takes too long.
func (w *twin) all(n *node) (out []Match, ok bool) {
	last := -1
	for at := 0; at <= len(w.text); at++ {
		w.steps = 0
		end := w.match(n, at, false, func(end int) int { return end })
		switch {
		case w.steps > twinSteps:
			return nil, false
		case end < 0 || end == at && end == last:
			continue
		}
		out = append(out, Match{len(string(w.text[:at])), len(string(w.text[:end]))})
		last = end
		if end > at {
			at = end - 1
		}
	}
	return out, true
}

var (
	twinLetters = []string{"a", "b", "ab", "c", " ", "é", "漢", `\n`, ".", `\s`, `\S`, `\w`, `\d`, `\p{L}`, "[ab]", "[^ab]", "[^a漢]", "[a-c&&[^b]]",
		`\b`, `\B`, "^", "$", `\A`, `\z`, `\Z`, `\R`, "(?i:ss)", "ß"}
	twinOpen   = []string{"(?:", "(?:", "(?:", "(", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?m:"}
	twinTimes  = []string{"?", "*", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,2}", "{2,}", "{0,2}?", "{2,}?", "{1,3}", "{3,1}", "{2,3}?"}
	twinSpaces = []rune("aaabbc  é漢\nsSß1")
)

// randomExpression writes one; within a lookbehind nothing is atomic.
func randomExpression(rng *rand.Rand, depth int, behind bool) string {
	var b strings.Builder
	for i := range 1 + rng.IntN(3) {
		if i > 0 && rng.IntN(3) == 0 {
			b.WriteString("|")
		}
		repeats := true
		if depth > 0 && rng.IntN(3) == 0 {
			open := twinOpen[rng.IntN(len(twinOpen))]
			if behind && open == "(?>" {
				open = "("
			}
			inside := behind && open != "(?=" && open != "(?!" || strings.HasPrefix(open, "(?<")
			b.WriteString(open + randomExpression(rng, depth-1, inside) + ")")
			repeats = !strings.ContainsAny(open, "=!")
		} else {
			letter := twinLetters[rng.IntN(len(twinLetters))]
			if behind && letter == `\R` {
				letter = "a"
			}
			b.WriteString(letter)
			repeats = !strings.Contains(`^$\b\B\A\z\Z`, letter)
		}
		if times := twinTimes[rng.IntN(len(twinTimes))]; repeats && rng.IntN(5) < 2 && (!behind || !strings.HasSuffix(times[1:], "+") && times != "{3,1}") {
			b.WriteString(times)
		}
	}
	return b.String()
}

// TestTwin: random expressions find in random texts what trying everything finds, whether or not what is
// found out is kept from the start.
func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	compared, found := 0, 0
	for range 2500 {
		expression := randomExpression(rng, 3, false)
		n, err := parse(expression)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		p, err := compile(n)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		for range 6 {
			text := make([]rune, rng.IntN(14))
			for i := range text {
				text[i] = twinSpaces[rng.IntN(len(twinSpaces))]
			}
			want, ok := (&twin{text: text}).all(n)
			if !ok {
				continue
			}
			for _, kept := range []bool{false, true} {
				m := machine{program: p, text: string(text), look: free}
				if kept {
					m.memory = newMemory(len(p.code), len(m.text))
				}
				got, err := m.all()
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s in %q, kept %v: %v, %v, want %v", expression, string(text), kept, got, err, want)
				}
				if len(m.stack) != 0 {
					t.Fatalf("%s in %q: %d ways are left", expression, string(text), len(m.stack))
				}
			}
			compared, found = compared+1, found+len(want)
		}
	}
	if compared < 12_000 || found < 12_000 {
		t.Errorf("%d texts with %d matches were compared", compared, found)
	}
}

func FuzzAll(f *testing.F) {
	for _, e := range []string{`\p{N}{1,3}+|\s++$`, `(?i:[sdmt]|ll|ß)`, `(?:(?=a*b)|(?<!c+)d)*?[a-z&&[^b]]`, `(?>a|\R){2,}`} {
		f.Add(e, "ab 123\nSS")
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		n, err := parse(expression)
		if err != nil {
			return
		}
		p, err := compile(n)
		if err != nil {
			return
		}
		text = text[:min(len(text), 200)]
		m := machine{program: p, text: text, look: free}
		plain, err := m.all()
		kept := machine{program: p, text: text, look: free, memory: newMemory(len(p.code), len(text))}
		again, other := kept.all()
		if err == nil && other == nil && !slices.Equal(plain, again) {
			t.Errorf("%s in %q: %v, and %v with a memory", expression, text, plain, again)
		}
		last := 0
		for _, match := range plain {
			if match.From < last || match.To < match.From || match.To > len(text) {
				t.Fatalf("%s in %q: matches %v", expression, text, plain)
			}
			last = match.To
		}
	})
}
