package study

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// variant is the rows of one series.
type variant struct {
	name              string
	encoding, variant int
	rows              []eval.Row
}

// trait may tell models of one encoding apart. Those that need not do so only
// where one seed has models of several values: runs that stop early differ in
// their steps, and all seeds in the hash of their settings.
type trait struct {
	always bool
	name   func(eval.Row) string
}

var traits = []trait{
	{true, func(r eval.Row) string { return Millions(r.Parameters) + " parameters" }},
	{true, func(r eval.Row) string { return fmt.Sprintf("trained %d–%d", r.TrainMin, r.TrainMax) }},
	{false, func(r eval.Row) string { return fmt.Sprintf("%d steps", r.TrainSteps) }},
	{false, func(r eval.Row) string { return "settings " + r.ConfigHash[:min(6, len(r.ConfigHash))] }},
}

// variants splits the rows of a task into series, in the order of s.Encodings.
func (s *Study) variants(rows []eval.Row) []variant {
	var out []variant
	for i, name := range s.Encodings {
		var of []eval.Row
		for _, r := range rows {
			if r.Encoding == name {
				of = append(of, r)
			}
		}
		parts := split([]variant{{name: name, encoding: i, rows: of}}, traits)
		for j := range parts {
			parts[j].variant = j
			if len(of) > 0 {
				out = append(out, parts[j])
			}
		}
	}
	return out
}

// split splits each part by the first trait that tells its rows apart, and so on.
func split(parts []variant, by []trait) []variant {
	if len(by) == 0 {
		return parts
	}
	var out []variant
	for _, p := range parts {
		values := distinct(p.rows, by[0].name)
		if len(values) < 2 || !by[0].always && !conflicting(p.rows, by[0].name) {
			out = append(out, p)
			continue
		}
		for _, value := range values {
			q := variant{name: withTrait(p.name, value), encoding: p.encoding}
			for _, r := range p.rows {
				if by[0].name(r) == value {
					q.rows = append(q.rows, r)
				}
			}
			out = append(out, q)
		}
	}
	return split(out, by[1:])
}

// withTrait adds a trait to a name: "nope (2 M parameters, 400 steps)".
func withTrait(name, value string) string {
	if before, ok := strings.CutSuffix(name, ")"); ok {
		return before + ", " + value + ")"
	}
	return name + " (" + value + ")"
}

// conflicting reports whether one training seed has several values.
func conflicting(rows []eval.Row, value func(eval.Row) string) bool {
	of := map[uint64]string{}
	for _, r := range rows {
		if v, ok := of[r.TrainSeed]; ok && v != value(r) {
			return true
		}
		of[r.TrainSeed] = value(r)
	}
	return false
}
