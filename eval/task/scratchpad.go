package task

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Step is one step of a scratchpad. Without a part its string is empty.
type Step struct {
	Input       string // what the step looks at
	Computation string
	Output      string
	Variables   string // what is carried to the next step, and how it changes
	Remaining   string // the input not yet looked at
}

// Flags choose the parts that the steps of a scratchpad have (Kazemnejad et al.
// 2023, section 6). A step prints its parts in this order, each after its marker:
//
//	i  input        in …
//	c  computation  comp …
//	o  output       out …
//	v  variables    [ … ]
//	r  remaining    re …
type Flags struct {
	Input, Computation, Output, Variables, Remaining bool
}

const (
	thinking = "Thinking step by step:"
	thus     = ". Thus,"
)

// part binds a flag to its letter, name and marker and to the text in a step.
type part struct {
	letter byte
	name   string
	marker string
	flag   func(*Flags) *bool
	text   func(*Step) *string
}

func parts() []part {
	return []part{
		{'i', "input", "in", func(f *Flags) *bool { return &f.Input }, func(s *Step) *string { return &s.Input }},
		{'c', "computation", "comp", func(f *Flags) *bool { return &f.Computation }, func(s *Step) *string { return &s.Computation }},
		{'o', "output", "out", func(f *Flags) *bool { return &f.Output }, func(s *Step) *string { return &s.Output }},
		{'v', "variables", "[", func(f *Flags) *bool { return &f.Variables }, func(s *Step) *string { return &s.Variables }},
		{'r', "remaining", "re", func(f *Flags) *bool { return &f.Remaining }, func(s *Step) *string { return &s.Remaining }},
	}
}

// enabled returns the parts that f chooses, in order.
func (f Flags) enabled() []part {
	var out []part
	for _, p := range parts() {
		if *p.flag(&f) {
			out = append(out, p)
		}
	}
	return out
}

// String returns the flags as ParseFlags reads them, such as "i1c1o1v1r0".
func (f Flags) String() string {
	var b strings.Builder
	for _, p := range parts() {
		b.WriteByte(p.letter)
		if *p.flag(&f) {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

// ParseFlags reads flags such as "i1c1o1v1r0", with or without underscores
// between them; "full" has all parts and "minimal" computation and output.
func ParseFlags(s string) (Flags, error) {
	switch s {
	case "full":
		return Flags{true, true, true, true, true}, nil
	case "minimal":
		return Flags{Computation: true, Output: true}, nil
	}
	const form = `expected "full", "minimal" or flags such as "i1c1o1v1r0"`
	var f Flags
	rest := strings.ReplaceAll(s, "_", "")
	if len(rest) != 2*len(parts()) {
		return f, fmt.Errorf("scratchpad %q: %s", shorten(s), form)
	}
	for i, p := range parts() {
		if rest[2*i] != p.letter || rest[2*i+1] != '0' && rest[2*i+1] != '1' {
			return f, fmt.Errorf("scratchpad %q: %s", shorten(s), form)
		}
		*p.flag(&f) = rest[2*i+1] == '1'
	}
	if f == (Flags{}) {
		return f, fmt.Errorf("scratchpad %q has no parts; leave it out", s)
	}
	return f, nil
}

// withScratchpad returns t with a scratchpad before its answer, and the option's
// canonical name. As in the paper a space stands before the closing ". Thus,".
func (t Task) withScratchpad(option string, paper bool) (Task, string, error) {
	f, err := ParseFlags(option)
	if err != nil {
		return t, "", err
	}
	if t.scratch == nil {
		return t, "", errors.New("has no scratchpad; the mathematical tasks have one")
	}
	full := Flags{true, true, true, t.scratch.variables, true}
	if option == "full" {
		f = full
	}
	if f.Variables && !t.scratch.variables {
		return t, "", fmt.Errorf("scratchpad %q: the steps of this task have no variables (v must be 0)", option)
	}
	name := f.String()
	if f == full {
		name = "full"
	} else if f == (Flags{Computation: true, Output: true}) {
		name = "minimal"
	}
	draw, correct, format := t.scratch.draw, t.Correct, f.Format
	if paper {
		format = func(s []Step) string { return oneSpace(strings.TrimSuffix(f.Format(s), thus) + " " + thus) }
		t.Version++ // without the space it was 1
	}
	t.Generate = func(rng *rand.Rand, length int) Sample {
		p := draw(rng, length)
		return Sample{Prompt: p.prompt(), Target: format(p.steps()) + " " + p.answer(), Length: length}
	}
	t.Texts = slices.Clone(t.Texts)
	for _, end := range t.scratch.ends {
		last := t.scratch.pieces
		last.Remaining = end
		t.Texts = append(t.Texts, " "+format([]Step{t.scratch.pieces, last}))
	}
	t.Correct = func(target, generated string) bool {
		_, want, _ := strings.Cut(target, thus)
		_, got, ok := strings.Cut(generated, thus)
		return ok && correct(want, got)
	}
	t.Parts = func(target, generated string) map[string]float64 { return f.compare(target, generated) }
	return t, name, nil
}

// Format writes the scratchpad of steps, up to and including "Thus,".
func (f Flags) Format(steps []Step) string {
	var b strings.Builder
	b.WriteString(thinking)
	for i, s := range steps {
		if i > 0 {
			b.WriteString(" #")
		}
		for _, p := range f.enabled() {
			b.WriteString(" " + p.marker + " " + *p.text(&s))
			if p.letter == 'v' {
				b.WriteString(" ]")
			}
		}
	}
	b.WriteString(thus)
	return oneSpace(b.String())
}

// oneSpace makes every run of spaces one space.
func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// Parse reads the steps of a scratchpad, and what follows "Thus,". Spaces count
// as in Format. A text without the frame, or with a step that lacks the marker of
// a chosen part, is an error.
func (f Flags) Parse(text string) (steps []Step, rest string, err error) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), thinking)
	if !ok {
		return nil, "", fmt.Errorf("a scratchpad begins with %q", thinking)
	}
	body, rest, ok = strings.Cut(body, thus)
	if !ok {
		return nil, "", fmt.Errorf("a scratchpad ends with %q", thus)
	}
	for i, piece := range strings.Split(body, "#") {
		s, err := f.parseStep(strings.Fields(piece))
		if err != nil {
			return nil, "", fmt.Errorf("step %d: %w", i+1, err)
		}
		steps = append(steps, s)
	}
	return steps, strings.TrimSpace(rest), nil
}

func (f Flags) parseStep(fields []string) (Step, error) {
	var s Step
	enabled := f.enabled()
	for i, p := range enabled {
		if len(fields) == 0 || fields[0] != p.marker {
			return s, fmt.Errorf("no %q where the %s should be", p.marker, p.name)
		}
		end := 1
		for end < len(fields) && (i+1 == len(enabled) || fields[end] != enabled[i+1].marker) {
			end++
		}
		content := fields[1:end]
		if p.letter == 'v' {
			if len(content) == 0 || content[len(content)-1] != "]" {
				return s, errors.New(`no "]" after the variables`)
			}
			content = content[:len(content)-1]
		}
		*p.text(&s) = strings.Join(content, " ")
		fields = fields[end:]
	}
	return s, nil
}

// compare returns the share of steps whose part is right, by part.
func (f Flags) compare(target, generated string) map[string]float64 {
	out := map[string]float64{}
	for _, p := range f.enabled() {
		out[p.name] = 0
	}
	want, _, errWant := f.Parse(target)
	got, _, errGot := f.Parse(generated)
	if errWant != nil || errGot != nil || len(want) != len(got) {
		return out
	}
	for _, p := range f.enabled() {
		right := 0
		for i := range want {
			if *p.text(&want[i]) == *p.text(&got[i]) {
				right++
			}
		}
		out[p.name] = float64(right) / float64(len(want))
	}
	return out
}
