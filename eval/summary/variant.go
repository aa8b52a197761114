package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// trait may tell models of one encoding apart: always, or only where one seed has several values, as steps of runs that stop
// early.
type trait struct {
	always bool
	name   func(eval.Row) string
}

var traits = []trait{
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
	return fileName(r)
}

// fileName is the name of a model's file, without what was changed in it and how it is stored.
func fileName(r eval.Row) string {
	name := strings.TrimSuffix(r.Model, " ("+r.Intervention+")")
	return strings.TrimSuffix(strings.TrimSuffix(name, "."+r.DType), "."+r.Profile)
}

// setting returns the trait of a training run's name: what it has besides task, encoding and seeds, such as a sweep's part. Words
// that the names of all rows begin with are left out.
func setting(rows []eval.Row) trait {
	names := map[string]string{} // by the hash of the configuration: one run has one name, whatever its files are called
	for _, r := range rows {
		if r.ConfigHash == "" {
			continue
		}
		name := strings.TrimSuffix(fileName(r), "-s"+trainSeedsOf(r).String())
		encoding := card.Card{Architecture: r.Architecture, Encoding: r.Encoding}.Name()
		if _, rest, ok := strings.Cut(name, "-"+encoding+"-"); ok {
			name = rest
		}
		if first, ok := names[r.ConfigHash]; !ok || name < first {
			names[r.ConfigHash] = name
		}
	}
	shared := ""
	if sorted := slices.Sorted(maps.Values(names)); len(sorted) > 0 {
		first, last := sorted[0], sorted[len(sorted)-1]
		shared = first[:strings.LastIndexByte(first[:lists.CommonPrefix(first, last)], '-')+1]
	}
	return trait{false, func(r eval.Row) string { return strings.TrimPrefix(names[r.ConfigHash], shared) }}
}

// variants splits the rows of a task into series, in the order of s.Encodings.
func (s *Study) variants(rows []eval.Row) []Series {
	var out []Series
	run := setting(rows)
	by := append([]trait{{false, pretrained}, run}, traits...)
	for i, name := range s.Encodings {
		own := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return r.Encoding != name })
		var parts []Series
		for _, changed := range groupsBy(own, func(r eval.Row) string { return r.Intervention }) {
			for _, stored := range groupsBy(changed.rows, func(r eval.Row) string { return r.DType }) {
				name := withTrait(withTrait(name, changed.key), stored.key)
				parts = append(parts, split([]Series{{Name: name, Encoding: i, Rows: stored.rows}}, by)...)
			}
		}
		for j := range parts {
			parts[j].Variant = j
			if names := distinct(parts[j].Rows, run.name); len(names) == 1 {
				parts[j].Setting = names[0]
			}
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
