package oniguruma

import (
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
			m := machine{program: r.program, text: strings.Repeat(h.unit, n) + h.end}
			m.look = func(int) error {
				if m.steps > 100*n*len(h.unit)+100_000 {
					return errors.New("many more steps than bytes")
				}
				return nil
			}
			if _, err := m.all(); err != nil {
				t.Errorf("%s in %d × %q: %v", h.expression, n, h.unit, err)
			}
			return m.steps
		}
		few, many := steps(1000), steps(8000)
		if few < 1000 || many > 10*few || many > 8000*len(h.unit)*100 {
			t.Errorf("%s in %q and %q: %d steps, and for 8 times the text %d", h.expression, h.unit, h.end, few, many)
		}
	}
}

// free lets a search make any number of steps.
func free(int) error { return nil }

// A search ends with the error of look, which names the expression, and which is told of every step.
func TestLook(t *testing.T) {
	enough := errors.New("enough")
	for expression, text := range map[string]string{`a*b`: strings.Repeat("a", 10_000), `a`: strings.Repeat("a", 20_000), `(?=a*b)`: "ab", `b`: "a"} {
		r, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		m := machine{program: r.program, text: text}
		calls, told := 0, 0
		m.look = func(steps int) error {
			if expression == `a` && told != 4096*calls {
				t.Errorf("call %d is after %d steps", calls, told)
			}
			if calls, told = calls+1, told+steps; steps > 4100+len(text) {
				t.Errorf("%s: %d steps at once", expression, steps)
			}
			return nil
		}
		if _, err := m.all(); err != nil || told != m.steps || calls > m.steps/4096+1 || expression == `a` && calls != m.steps/4096+1 {
			t.Errorf("%s: look is told of %d of %d steps in %d calls, %v", expression, told, m.steps, calls, err)
		}
		for at := range calls {
			n := 0
			matches, err := r.All(text, func(int) error {
				if n++; n > at {
					return enough
				}
				return nil
			})
			if !errors.Is(err, enough) || !strings.HasPrefix(err.Error(), "the regular expression "+expression+": ") || matches != nil || n != at+1 {
				t.Errorf("%s ended at call %d: %v after %d", expression, at, err, n)
			}
		}
	}
}

// What takes much memory is given up, wherever it is asked for. A place of an instruction takes a cell.
func TestGivenUp(t *testing.T) {
	for _, expression := range []string{"(?:a|b)*c", "a*c", "(?=a++)a", "(?:a|)*c", "(?:a?|b)*?c", "(?>(?:a|b)*)"} {
		r, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("a", 1000)
		m := machine{program: r.program, text: text, look: free, memory: newMemory(len(r.program.code), len(text))}
		if _, err := m.all(); err != nil || m.memory.cells < 1001 {
			t.Fatalf("%s: %d cells, %v", expression, m.memory.cells, err)
		}
		takes := m.memory.cells
		for _, spare := range []int{takes, takes - 1, takes / 2, 0} {
			m := machine{program: r.program, text: text, look: free, memory: newMemory(len(r.program.code), len(text))}
			m.memory.cells = mostCells - spare
			if _, err := m.all(); (err == nil) != (spare == takes) || err != nil && err.Error() != "it takes more than 128 MiB on a text of 1000 bytes" {
				t.Errorf("%s with %d of %d cells: %v", expression, spare, takes, err)
			}
		}
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
	m := machine{program: r.program, text: text, look: free}
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

// Where a match cannot begin none is tried.
func TestBeginnings(t *testing.T) {
	for expression, want := range map[string]int{`b`: 0, `[b-d]|é`: 0, `c+`: 0, `(?:b|c)*d`: 0, `b|a`: 3 * 1000, `a`: 2 * 1000} {
		r, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		m := machine{program: r.program, text: strings.Repeat("a", 1000), look: free}
		if _, err := m.all(); err != nil || m.steps != want {
			t.Errorf("%s: %d steps, %v, want %d", expression, m.steps, err, want)
		}
	}
}

// A step is an instruction, a character of a run that is taken or given back, and a way that is tried again.
func TestSteps(t *testing.T) {
	for _, tc := range []struct {
		expression, text string
		want             int
	}{
		{`a*`, "aaa", (1 + 3 + 1) + (1 + 1)},
		{`a*b`, "aaa", (1 + 3 + 1 + 1 + 3) + (1 + 2 + 1 + 1 + 2) + (1 + 1 + 1 + 1 + 1)},
		{`a*b`, "é", 0},
		{`é*b`, "éé", (1 + 4 + 1 + 1 + 2) + (1 + 2 + 1 + 1 + 1)},
		{`a++b`, "aa", (1 + 1 + 1 + 1) + (1 + 1 + 1)},
		{`(?>a)b`, "ab", 1 + 2 + 1 + 1},
		{`a|b`, "b", 1 + 1 + 1},
		{`ac|ab`, "ab", 1 + 1 + 1 + 1 + 1 + 1 + 1},
	} {
		r, err := Compile(tc.expression)
		if err != nil {
			t.Fatal(err)
		}
		m := machine{program: r.program, text: tc.text, look: free}
		if _, err := m.all(); err != nil || m.steps != tc.want {
			t.Errorf("%s in %q: %d steps, %v, want %d", tc.expression, tc.text, m.steps, err, tc.want)
		}
	}
}

// TestMemory: what is kept is found at its place alone, and takes a cell for each place of its instruction, or 16 by itself.
func TestMemory(t *testing.T) {
	m := newMemory(2, 9)
	for i, tc := range []struct {
		at, pos    int
		empty      uint64
		end, cells int
	}{{0, 3, 0, 5, 10}, {0, 4, 0, failed, 10}, {0, 9, 0, 0, 10}, {1, 3, 2, 7, 26}, {1, 3, 1, failed, 42}, {1, 0, 0, 9, 52}} {
		if end := m.endOf(tc.at, tc.pos, tc.empty); end != unknown {
			t.Errorf("%d: %d before it is kept", i, end)
		}
		if err := m.keep(tc.at, tc.pos, tc.empty, tc.end); err != nil || m.cells != tc.cells || m.endOf(tc.at, tc.pos, tc.empty) != tc.end {
			t.Errorf("%d: %v, %d in %d cells", i, err, m.endOf(tc.at, tc.pos, tc.empty), m.cells)
		}
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
				if _, err := r.All(text, free); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
