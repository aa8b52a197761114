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

// part is a part of a step, and whether it is chosen.
type part struct {
	letter byte
	name   string
	marker string
	chosen *bool
	text   *string
}

func (f *Flags) parts(s *Step) []part {
	return []part{
		{'i', "input", "in", &f.Input, &s.Input},
		{'c', "computation", "comp", &f.Computation, &s.Computation},
		{'o', "output", "out", &f.Output, &s.Output},
		{'v', "variables", "[", &f.Variables, &s.Variables},
		{'r', "remaining", "re", &f.Remaining, &s.Remaining},
	}
}

// enabled returns the parts of a step that f chooses, in order.
func (f Flags) enabled(s *Step) []part {
	return slices.DeleteFunc(f.parts(s), func(p part) bool { return !*p.chosen })
}

// String returns the flags as ParseFlags reads them, such as "i1c1o1v1r0".
func (f Flags) String() string {
	var b strings.Builder
	for _, p := range f.parts(new(Step)) {
		b.WriteByte(p.letter)
		if *p.chosen {
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
	parts := f.parts(new(Step))
	rest := strings.ReplaceAll(s, "_", "")
	if len(rest) != 2*len(parts) {
		return f, fmt.Errorf("scratchpad %q: %s", shorten(s), form)
	}
	for i, p := range parts {
		if rest[2*i] != p.letter || rest[2*i+1] != '0' && rest[2*i+1] != '1' {
			return f, fmt.Errorf("scratchpad %q: %s", shorten(s), form)
		}
		*p.chosen = rest[2*i+1] == '1'
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
		for _, p := range f.enabled(&s) {
			b.WriteString(" " + p.marker + " " + *p.text)
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
	enabled := f.enabled(&s)
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
		*p.text = strings.Join(content, " ")
		fields = fields[end:]
	}
	return s, nil
}

// compare returns the share of steps whose part is right, by part.
func (f Flags) compare(target, generated string) map[string]float64 {
	out := map[string]float64{}
	for _, p := range f.enabled(new(Step)) {
		out[p.name] = 0
	}
	want, _, errWant := f.Parse(target)
	got, _, errGot := f.Parse(generated)
	if errWant != nil || errGot != nil || len(want) != len(got) {
		return out
	}
	for i := range want {
		answers := f.enabled(&got[i])
		for k, p := range f.enabled(&want[i]) {
			if *p.text == *answers[k].text {
				out[p.name]++
			}
		}
	}
	for name := range out {
		out[name] /= float64(len(want))
	}
	return out
}
