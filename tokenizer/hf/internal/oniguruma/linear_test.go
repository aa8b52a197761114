package oniguruma

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// hard is expressions that take squares or powers of a text by trying alone, with a text to repeat and how it ends.
var hard = []struct{ expression, unit, end string }{
	{`a*b`, "a", ""}, // starts anew at each place
	{`a+b`, "a", ""},
	{`a{2,}b`, "a", ""},
	{`.*x`, "a", ""},
	{`.*?x`, "a", ""},
	{`(?:a|a)*b`, "a", ""},
	{`(?:a|aa)+$`, "a", "b"},
	{`(?:a*)*b`, "a", ""},
	{`(?:a*?)*?b`, "a", ""},
	{`(?:a|b|ab)*c`, "ab", ""},
	{`(?:a?){3}a*b`, "a", ""},
	{`(?:a{0,4}a{0,4})*b`, "a", ""},
	{`(?:a?|b?)*c`, "ab", ""},
	{`a++b`, "a", ""},
	{`é++b`, "é", ""},
	{`(?>a+)b`, "a", ""},
	{`(?>a*x|a)`, "a", ""},
	{`(?>(?:a|aa)*)b`, "a", ""},
	{`(?=.*b)a`, "a", ""},
	{`(?=.*b)a`, "a", "b"},
	{`(?:a(?=.*b))+c`, "a", "b"},
	{`a(?!a*b)`, "a", ""},
	{`a(?!a*b)`, "a", "b"},
	{`(?<=a*)[ab]c`, "a", ""},
	{`(?<!ca*)a`, "a", ""},
	{`(?<=b.*)c`, "ac", ""},
	{`(?<=c.*)c`, "ac", ""},
	{`(?=(\d{3})+(?!\d))`, "1", ""},
	{`\d{1,3}(?=(?:\d{3})*\b)`, "1", ""},
	{`\s+$`, " ", "x"},
	{`\s*[\r\n]+|\s+(?!\S)|\s+`, " ", "x"},
	{`\s+x`, " ", ""},
	{`(?:\s+\w+)+!`, " a", ""},
	{`(\w+\s?)+!`, "a", ""},
	{`(?:(?:a*)*)*b`, "a", ""},
	{`(?:(?:a|b*)*(?:b|a*)*)*c`, "ab", ""},
	{`(?i:(?:ss|ß)*)x`, "ß", ""},
	{`(?:漢*漢*)*字`, "漢", ""},
}

// All takes steps as the length of the text: 8 times the text, about 8 times the steps.
func TestLinear(t *testing.T) {
	for _, h := range hard {
		r, err := Compile(h.expression)
		if err != nil {
			t.Fatal(err)
		}
		steps := func(n int) int {
			m := machine{program: r.program, ctx: t.Context(), text: strings.Repeat(h.unit, n) + h.end, look: looked}
			if _, err := m.all(); err != nil {
				t.Errorf("%s in %d × %q: %v", h.expression, n, h.unit, err)
			}
			return m.steps
		}
		few, many := steps(1000), steps(8000)
		if few < 1000 || many > 10*few {
			t.Errorf("%s in %q and %q: %d steps, and for 8 times the text %d", h.expression, h.unit, h.end, few, many)
		}
	}
}

// A scan ends with its context, whose cause is the error, which names the expression.
func TestContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, end := context.WithCancelCause(t.Context())
	end(enough)
	r, err := Compile(`a*b`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.All(ctx, strings.Repeat("a", 10_000)); !errors.Is(err, enough) || !strings.Contains(err.Error(), "the regular expression a*b: ") {
		t.Errorf("error %v", err)
	}
	if m, err := r.All(ctx, "ab"); err != nil || len(m) != 1 {
		t.Errorf("a short text: %v, %v", m, err)
	}
}

// counted is a context that counts how often it is looked at.
type counted struct {
	context.Context
	looks int
}

func (c *counted) Err() error { c.looks++; return nil }

// The context is looked at every some thousand steps.
func TestLooks(t *testing.T) {
	r, err := Compile(`a`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := &counted{Context: t.Context()}
	m := machine{program: r.program, ctx: ctx, text: strings.Repeat("a", 1<<20), look: looked}
	if _, err := m.all(); err != nil || ctx.looks != m.steps/looked {
		t.Errorf("%d looks in %d steps, %v", ctx.looks, m.steps, err)
	}
}

// What is not linear is given up, after steps that are bounded by the text's length; so is what takes much memory.
func TestGivenUp(t *testing.T) {
	for expression, want := range map[string]string{
		`a{0,5000}b`:                           "it takes more than 21048576 steps on a text of 20000 bytes",
		strings.Repeat("(?:a|b)*", 2000) + "c": "it takes more than 128 MiB on a text of 20000 bytes",
	} {
		r, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.All(t.Context(), strings.Repeat("a", 20_000)); err == nil || !strings.HasSuffix(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "the regular expression "+expression[:10]) || len(err.Error()) > 300 {
			t.Errorf("%.20q: %v, want %s", expression, err, want)
		}
	}
	// as many steps on a longer text are no reason
	r, err := Compile(`a{0,500}b`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.All(t.Context(), strings.Repeat("a", 20_000)); err != nil {
		t.Error(err)
	}
}

// What fails at once needs no memory, and few steps for each character.
func TestOrdinary(t *testing.T) {
	const llama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	r, err := Compile(llama3)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and 1984 others.\n    It isn't 漢字 … ", 1000)
	m := machine{program: r.program, ctx: t.Context(), text: text, look: looked}
	matches, err := m.all()
	if err != nil || m.memory != nil || m.steps > 4*len(text) {
		t.Errorf("%d steps for %d bytes, memory %v, %v", m.steps, len(text), m.memory != nil, err)
	}
	at := 0
	for _, match := range matches {
		if match.From != at {
			t.Fatalf("byte %d is in no match", at)
		}
		at = match.To
	}
	if at != len(text) {
		t.Errorf("the matches end at %d of %d", at, len(text))
	}
}

func BenchmarkAll(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and 1984 others. ", 1000)
	for name, expression := range map[string]string{
		"gpt2":   `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
		"llama3": `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	} {
		b.Run(name, func(b *testing.B) {
			r, err := Compile(expression)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := r.All(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
