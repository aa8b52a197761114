package oniguruma

import (
	"slices"
	"testing"
)

// texts returns all texts of letters, of up to so many.
func texts(letters string, most int) []string {
	all := []string{""}
	for from := 0; most > 0; most-- {
		to := len(all)
		for _, text := range all[from:to] {
			for _, c := range letters {
				all = append(all, text+string(c))
			}
		}
		from = to
	}
	return all
}

// TestLoops: repetitions that may be empty, within one another and next to others, find in all short texts what trying
// everything finds, whether or not what is found out is kept from the start.
func TestLoops(t *testing.T) {
	short := texts("abc", 5)
	for _, expression := range []string{`(?:a*|b)*c`, `(?:a*b?)*c`, `(?:a*?|b)*c`, `(?:b|a*)*?c`, `(?:(?:a*)*|b)*c`, `(?:(?:a*|b)*c*)*b`, `(?:a*+|b)*c`, `(?:a|(?=b)|b)*c`,
		`(?:a*){2,}b`, `(?:a{0,2}|b)*c`, `(?:a{1,2}?|b*)+c`, `(?:(?>a*)|b)*c`, `(?:(?:ab)?|a*)*c`, `(?:a*b*)*?c`, `(?:(?:a*b)*|c)*a`, `(?:a*(?:b*c)*)*b`,
		`(?<=(?:a*|b)*)c`, `(?<!(?:a?b?)*)c|b`, `(?:(?<=a*)b|a)*c`, `(?<=c(?:a?|b)*)a`, `(?<=c(?:a*|b)*)b`, `(?<!c(?:a|b?)*?)a`, `(?:a*\b)*b`} {
		n, err := parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(n)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, text := range short {
			want, ok := (&twin{text: []rune(text)}).all(n)
			if !ok {
				continue
			}
			compared++
			for _, kept := range []bool{false, true} {
				m := machine{program: p, text: text, look: free}
				if kept {
					m.memory = newMemory(len(p.code), len(text))
				}
				if got, err := m.all(); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s in %q, kept %v: %v, %v, want %v", expression, text, kept, got, err, want)
				}
			}
		}
		if compared < len(short)*9/10 {
			t.Errorf("%s: %d of %d texts are compared", expression, compared, len(short))
		}
	}
}

// TestSizes: a program has an instruction for each character and choice; a part that is repeated stands in it once more for
// each time that it must be there, except the last one.
func TestSizes(t *testing.T) {
	for expression, want := range map[string]int{
		`a`: 1, `ab`: 2, `a|b`: 3, `a*`: 1, `a+`: 2, `a{3}`: 3, `a{3,}`: 4, `a{2,5}`: 3, `a?`: 1, `a*?`: 2, `a+?`: 2, `a{2,}?`: 3, `a{1,3}?`: 5,
		`(?:ab)*`: 3, `(?:ab)+`: 3, `(?:ab){2}`: 4, `(?:ab){2,}`: 5, `(?:ab){3,}`: 7, `(?:ab)?`: 3, `(?:ab){1,2}`: 5, `(?:a|)*`: 5, `(?:a|)+`: 7, `a*+`: 1, `a++`: 2,
		`a?+`: 1, `(?:ab)*+`: 4, `(?>a)`: 2, `(?=a)`: 2, `\b`: 1, ``: 0, `a{0}`: 0,
		`(?i:a)`: 1, `(?i:ab)`: 2, `(?i:ss)`: 4,
	} {
		r, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.program.code) - 1; got != want {
			t.Errorf("%s: %d instructions, want %d", expression, got, want)
		}
	}
}

// TestMemoryBegins: what is found out is kept where more steps were made than 16 for each byte and 16,384.
func TestMemoryBegins(t *testing.T) {
	for n, text := range []string{"", "a", "aa", "aaa"} {
		m := machine{program: &program{}, text: text, look: free, steps: 16*n + 16384}
		if err := m.count(); err != nil || m.memory != nil || m.reported != m.steps {
			t.Errorf("%d bytes: %v, memory %v", n, err, m.memory != nil)
		}
		m.steps++
		if err := m.count(); err != errAgain || m.memory == nil || m.reported != m.steps {
			t.Errorf("%d bytes and a step: %v, memory %v", n, err, m.memory != nil)
		}
		if err := m.count(); err != nil {
			t.Errorf("%d bytes with a memory: %v", n, err)
		}
	}
}
