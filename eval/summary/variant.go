package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
)

// trait may tell models of one encoding apart: always, or only where one seed has several values, as steps of runs that stop
// early.
type trait struct {
	always bool
	name   func(eval.Row) string
}

var traits = []trait{
	{false, pretrained},
	{true, func(r eval.Row) string { return human.Millions(r.Parameters) + " parameters" }},
	{true, func(r eval.Row) string { return fmt.Sprintf("trained %d–%d", r.TrainMin, r.TrainMax) }},
	{false, func(r eval.Row) string { return human.Plural(r.TrainSteps, "step", "steps") }},
	{false, func(r eval.Row) string { return "settings " + r.ConfigHash[:min(6, len(r.ConfigHash))] }},
}

// pretrained is the name of a model that others trained, "" for one of zoo's: its encoding and size tell it from no other one.
// What was changed, and what else the name of a file says, has a place elsewhere.
func pretrained(r eval.Row) string {
	if r.ConfigHash != "" || r.TrainSteps > 0 {
		return ""
	}
	name := strings.TrimSuffix(r.Model, " ("+r.Intervention+")")
	return strings.TrimSuffix(strings.TrimSuffix(name, "."+r.DType), "."+r.Profile)
}

// variants splits the rows of a task into series, in the order of s.Encodings.
func (s *Study) variants(rows []eval.Row) []Series {
	var out []Series
	for i, name := range s.Encodings {
		own := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return r.Encoding != name })
		var parts []Series
		for _, changed := range groupsBy(own, func(r eval.Row) string { return r.Intervention }) {
			for _, stored := range groupsBy(changed.rows, func(r eval.Row) string { return r.DType }) {
				name := withTrait(withTrait(name, changed.key), stored.key)
				parts = append(parts, split([]Series{{Name: name, Encoding: i, Rows: stored.rows}}, traits)...)
			}
		}
		for j := range parts {
			parts[j].Variant = j
		}
		out = append(out, parts...)
	}
	return out
}

// groupsBy groups rows by intervention or precision: models as they were trained, in float32, come first.
func groupsBy(rows []eval.Row, trait func(eval.Row) string) []group[string] {
	groups := groupBy(rows, trait)
	slices.SortFunc(groups, func(x, y group[string]) int { return strings.Compare(x.key, y.key) })
	return groups
}

// split splits each part by the first trait that tells its rows apart, and so on.
func split(parts []Series, by []trait) []Series {
	for _, t := range by {
		var out []Series
		for _, p := range parts {
			values := distinct(p.Rows, t.name)
			if len(values) < 2 || !t.always && !slices.ContainsFunc(groupBy(p.Rows, trainSeedsOf), func(g group[card.Seeds]) bool {
				return len(distinct(g.rows, t.name)) > 1
			}) {
				out = append(out, p)
				continue
			}
			for _, value := range values {
				rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r eval.Row) bool { return t.name(r) != value })
				out = append(out, Series{Name: withTrait(p.Name, value), Encoding: p.Encoding, Rows: rows})
			}
		}
		parts = out
	}
	return parts
}

// withTrait adds a trait to a name, if there is one: "nope (2 M parameters, 400 steps)".
func withTrait(name, value string) string {
	if value == "" {
		return name
	}
	if before, ok := strings.CutSuffix(name, ")"); ok {
		return before + ", " + value + ")"
	}
	return name + " (" + value + ")"
}
