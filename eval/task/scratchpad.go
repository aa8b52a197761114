package task

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// step is one step of a scratchpad. Without a part its string is empty.
type step struct {
	Input       string // what the step looks at
	Computation string
	Output      string
	Variables   string // what is carried to the next step, and how it changes
	Remaining   string // the input not yet looked at
}

const (
	thinking = "Thinking step by step:"
	thus     = ". Thus,"
)

// part is a part of a step, which stands after a marker.
type part struct {
	letter, name, marker string
	field                func(s *step) *string
}

// stepParts are the parts of a step in their order (Kazemnejad et al. 2023, section 6). Variables end with "]".
var stepParts = []part{
	{"i", "input", "in", func(s *step) *string { return &s.Input }},
	{"c", "computation", "comp", func(s *step) *string { return &s.Computation }},
	{"o", "output", "out", func(s *step) *string { return &s.Output }},
	{"v", "variables", "[", func(s *step) *string { return &s.Variables }},
	{"r", "remaining", "re", func(s *step) *string { return &s.Remaining }},
}

// parts are the letters of the parts that a scratchpad has, in their order.
type parts string

const (
	allParts     parts = "icovr"
	minimalParts parts = "co"
)

func (p parts) list() []part {
	return slices.DeleteFunc(slices.Clone(stepParts), func(x part) bool { return !strings.Contains(string(p), x.letter) })
}

// String returns the parts as parseParts reads them, such as "i1c1o1v1r0".
func (p parts) String() string {
	var b strings.Builder
	for _, x := range stepParts {
		fmt.Fprintf(&b, "%s%d", x.letter, strings.Count(string(p), x.letter))
	}
	return b.String()
}

var partFlags = regexp.MustCompile("^i([01])c([01])o([01])v([01])r([01])$")

// parseParts reads parts such as "i1c1o1v1r0", with or without underscores
// between them; "full" has all parts and "minimal" computation and output.
func parseParts(s string) (parts, error) {
	switch s {
	case "full":
		return allParts, nil
	case "minimal":
		return minimalParts, nil
	}
	flags := partFlags.FindStringSubmatch(strings.ReplaceAll(s, "_", ""))
	if flags == nil {
		return "", fmt.Errorf(`scratchpad %q: expected "full", "minimal" or flags such as "i1c1o1v1r0"`, shorten(s))
	}
	var p parts
	for i, x := range stepParts {
		if flags[i+1] == "1" {
			p += parts(x.letter)
		}
	}
	if p == "" {
		return "", fmt.Errorf("scratchpad %q has no parts; leave it out", s)
	}
	return p, nil
}

// withScratchpad returns t with a scratchpad before its answer. As in the paper a space stands before the
// closing ". Thus,".
func (t Task) withScratchpad(given options) (Task, error) {
	option := given[optionScratchpad]
	if option == "" {
		return t, nil
	}
	f, err := parseParts(option)
	if err != nil {
		return t, err
	}
	if t.scratch == nil {
		return t, errors.New("has no scratchpad; the mathematical tasks have one")
	}
	full := allParts
	if !t.scratch.variables {
		full = "icor"
	}
	if option == "full" {
		f = full
	}
	if strings.Contains(string(f), "v") && !t.scratch.variables {
		return t, fmt.Errorf("scratchpad %q: the steps of this task have no variables (v must be 0)", option)
	}
	switch f {
	case full:
		t.Name += "+full"
	case minimalParts:
		t.Name += "+minimal"
	default:
		t.Name += "+" + f.String()
	}
	draw, correct, format := t.scratch.draw, t.Correct, f.format
	if given[optionPaper] != "" {
		format = func(s []step) string { return oneSpace(strings.TrimSuffix(f.format(s), thus) + " " + thus) }
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
		t.Texts = append(t.Texts, " "+format([]step{t.scratch.pieces, last}))
	}
	t.Correct = func(target, generated string) bool {
		_, want, _ := strings.Cut(target, thus)
		_, got, ok := strings.Cut(generated, thus)
		return ok && correct(want, got)
	}
	t.Parts = func(target, generated string) map[string]float64 { return f.compare(target, generated) }
	return t, nil
}

// format writes the scratchpad of steps, up to and including "Thus,".
func (f parts) format(steps []step) string {
	var b strings.Builder
	b.WriteString(thinking)
	for i, s := range steps {
		if i > 0 {
			b.WriteString(" #")
		}
		for _, p := range f.list() {
			b.WriteString(" " + p.marker + " " + *p.field(&s))
			if p.letter == "v" {
				b.WriteString(" ]")
			}
		}
	}
	b.WriteString(thus)
	return oneSpace(b.String())
}

// oneSpace makes every run of spaces one space.
func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// parse reads the steps of a scratchpad, and what follows "Thus,". Spaces count
// as in format. A text without the frame, or with a step that lacks the marker of
// a chosen part, is an error.
func (f parts) parse(text string) (steps []step, rest string, err error) {
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

func (f parts) parseStep(fields []string) (step, error) {
	var s step
	list := f.list()
	for i, p := range list {
		if len(fields) == 0 || fields[0] != p.marker {
			return s, fmt.Errorf("no %q where the %s should be", p.marker, p.name)
		}
		end := 1
		for end < len(fields) && (i+1 == len(list) || fields[end] != list[i+1].marker) {
			end++
		}
		content := fields[1:end]
		if p.letter == "v" {
			if len(content) == 0 || content[len(content)-1] != "]" {
				return s, errors.New(`no "]" after the variables`)
			}
			content = content[:len(content)-1]
		}
		*p.field(&s) = strings.Join(content, " ")
		fields = fields[end:]
	}
	return s, nil
}

// compare returns the share of steps whose part is right, by part.
func (f parts) compare(target, generated string) map[string]float64 {
	out := map[string]float64{}
	for _, p := range f.list() {
		out[p.name] = 0
	}
	want, _, errWant := f.parse(target)
	got, _, errGot := f.parse(generated)
	if errWant != nil || errGot != nil || len(want) != len(got) {
		return out
	}
	for i := range want {
		for _, p := range f.list() {
			if *p.field(&want[i]) == *p.field(&got[i]) {
				out[p.name]++
			}
		}
	}
	for name := range out {
		out[name] /= float64(len(want))
	}
	return out
}
