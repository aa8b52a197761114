package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// InsideSections lays findings out for people: for each task the roles of heads by encoding, how
// far models look back, and how far their attention is apart; then each model's heads.
func InsideSections(findings []eval.Finding, encodings []string) []Section {
	return insideSections(summary.Inside(findings, encodings), func(t summary.InsideTask) []summary.InsideModel { return t.Models })
}

// insideSections have the heads of the models that headsOf chooses.
func insideSections(tasks []summary.InsideTask, headsOf func(summary.InsideTask) []summary.InsideModel) []Section {
	var out []Section
	for _, t := range tasks {
		out = append(out, insideSection(t))
		for _, m := range headsOf(t) {
			if len(m.Heads) > 0 {
				out = append(out, headsSection(t, m))
			}
		}
	}
	return out
}

// tables are the section's blocks for a page.
func (s Section) tables() []Table {
	return summary.Each(s.blocks, func(b block) Table {
		return Table{Caption: strings.Join(append([]string{b.title}, b.notes...), ". "), Head: b.lines[0], Lines: b.lines[1:]}
	})
}

func insideSection(t summary.InsideTask) Section {
	s := Section{Task: t.Name, title: t.Name + ": what heads attend to"}
	for _, kind := range []struct {
		name string
		of   func(summary.InsideHead) []*eval.Attention
	}{{"the task's sequences", summary.OnTask}, {"random tokens", summary.OnRandom}} {
		if counts := t.Roles(kind.of); len(counts) > 0 {
			s.blocks = append(s.blocks, rolesBlock(counts, kind.name))
		}
	}
	if b, ok := lookBackBlock(t); ok {
		s.blocks = append(s.blocks, b)
	}
	for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
		if b := probesBlock(t, tokens); len(b.lines) > 1 {
			s.blocks = append(s.blocks, b)
		}
	}
	for _, b := range []block{logitsBlock(t), causalBlock(t)} {
		if len(b.lines) > 1 {
			s.blocks = append(s.blocks, b)
		}
	}
	if len(t.Pairs) > 0 {
		s.blocks = append(s.blocks, pairsBlock(t.Pairs))
	}
	for _, m := range t.Models {
		for i, reason := range m.Reasons {
			if reason != "" && len(s.blocks) > 0 {
				last := &s.blocks[len(s.blocks)-1]
				last.notes = append(last.notes, fmt.Sprintf("%s at %d: %s", m.Name, t.Lengths[i], reason))
			} else if reason != "" {
				s.closing += fmt.Sprintf("%s at %d: %s. ", m.Name, t.Lengths[i], reason)
			}
		}
	}
	return s
}

// rolesBlock counts heads by role.
func rolesBlock(counts []summary.RoleCount, on string) block {
	names := append(eval.Roles(), eval.RoleMixed)
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(counts, func(c summary.RoleCount) bool { return c.Roles[name] > 0 })
	})
	b := block{title: "heads by role on " + on + ", at the greatest trained length; by place: % of the variance of " +
		"weights that position alone explains", lines: [][]string{slices.Concat([]string{"encoding", "heads"}, names, []string{"by place"})}}
	for _, c := range counts {
		line := []string{c.Encoding, strconv.Itoa(c.Heads)}
		for _, name := range names {
			line = append(line, strconv.Itoa(c.Roles[name]))
		}
		b.lines = append(b.lines, append(line, whole(c.Positional)))
	}
	return b
}

// whole is a ratio in percent without a point, or a dash.
func whole(n summary.Number) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(100*float64(n), 'f', 0, 64)
}

// lookBackBlock has how far each model looks back, and what it has right.
func lookBackBlock(t summary.InsideTask) (block, bool) {
	b := block{title: "mean distance that heads attend to, in tokens, and in brackets % of the answers right; at the " +
		"first mistakes of wrong ones after a slash", lines: [][]string{append([]string{"encoding"}, lengthHeads(t.Lengths)...)}}
	any := false
	for _, m := range t.Models {
		if len(m.Heads) == 0 && len(m.Probes) > 0 { // its probes alone were asked for
			continue
		}
		line := []string{m.Encoding}
		for i := range t.Lengths {
			var all, mistakes []summary.Number
			for _, h := range m.Heads {
				if a := h.Task[i]; a != nil {
					all = append(all, summary.Number(a.Mean))
					if a.AtMistake != nil {
						mistakes = append(mistakes, summary.Number(a.AtMistake.Mean))
					}
				}
			}
			cell := "–"
			if len(all) > 0 {
				any = true
				cell = oneDigit(summary.Mean(all))
				if len(mistakes) > 0 {
					cell += "/" + oneDigit(summary.Mean(mistakes))
				}
				cell += " (" + whole(m.Right[i]) + ")"
			}
			line = append(line, cell)
		}
		b.lines = append(b.lines, line)
	}
	return b, any
}

func oneDigit(n summary.Number) string { return strconv.FormatFloat(float64(n), 'f', 1, 64) }

func lengthHeads(lengths []int) []string { return summary.Each(lengths, strconv.Itoa) }

// probesBlock has how well positions are read off hidden states.
func probesBlock(t summary.InsideTask, tokens string) block {
	b := block{title: "positions read off hidden states of " + tokens + " tokens by ridge regression: R² (1 is exact, 0 or less " +
		"says nothing), after a slash at positions withheld from the fit, and in brackets % named by a classifier",
		lines: [][]string{append([]string{"model", "layers", "fitted on"}, lengthHeads(t.Lengths)...)}}
	for _, m := range t.Models {
		for _, p := range m.Probes {
			if p.Tokens != tokens {
				continue
			}
			line := []string{m.Name, strconv.Itoa(p.Layers), "–"}
			for _, at := range p.At {
				cell := "–"
				if at != nil {
					line[2] = strconv.Itoa(at.FitLength)
					cell = twoDigits(at.R2)
					if at.Withheld != nil {
						cell += "/" + twoDigits(*at.Withheld)
					}
					cell += " (" + whole(summary.Number(at.Classified)) + ")"
				}
				line = append(line, cell)
			}
			b.lines = append(b.lines, line)
		}
	}
	return b
}

func twoDigits(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// pairsBlock compares the attention of models.
func pairsBlock(pairs []summary.Pair) block {
	b := block{title: "Jensen-Shannon divergence of attention, in nats (at most 0.693): least over pairs of heads, " +
		"mean over layers, and each layer; shuffled: with the other model's weights in random order; published: " +
		"the number that the paper's code computes",
		lines: [][]string{{"models", "length", "mean", "shuffled", "published", "by layer"}}}
	for _, p := range pairs {
		var layers []string
		for _, js := range p.JensenShannon {
			layers = append(layers, twoDigits(float64(js)))
		}
		b.lines = append(b.lines, []string{p.Model + " – " + p.Other, strconv.Itoa(p.Length), three(summary.Mean(p.JensenShannon)),
			three(summary.Mean(p.Null)), three(summary.Mean(p.Published)), strings.Join(layers, " ")})
	}
	return b
}

func three(n summary.Number) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 3, 64)
}

// headsSection has the role and the distance of each head of a model by length.
func headsSection(t summary.InsideTask, m summary.InsideModel) Section {
	title := fmt.Sprintf("%s: heads of %s", t.Name, m.Name)
	if m.Trained[1] > 0 {
		title += fmt.Sprintf(", trained on %d–%d", m.Trained[0], m.Trained[1])
	}
	s := Section{Task: t.Name, title: title}
	random := m.Longest(t.Lengths, summary.OnRandom)
	head := []string{"head"}
	if random >= 0 {
		head = append(head, "random tokens", "by place")
	}
	looked := slices.DeleteFunc(indices(t.Lengths), func(i int) bool { return m.Heads[0].Task[i] == nil })
	for _, i := range looked {
		head = append(head, strconv.Itoa(t.Lengths[i]))
	}
	roles := block{title: "role, and its score in %; by place: % of the variance of weights that position alone explains",
		lines: [][]string{head}}
	distances := block{title: "mean distance in tokens, and in brackets the entropy in % of that of even attention",
		lines: [][]string{append([]string{"head"}, head[len(head)-len(looked):]...)}}
	for _, h := range m.Heads {
		name := fmt.Sprintf("%d.%d", h.Layer, h.Head)
		role, distance := []string{name}, []string{name}
		if random >= 0 {
			a := h.Random[random]
			share := summary.Unknown
			if a.Positional != nil {
				share = summary.Number(*a.Positional)
			}
			role = append(role, roleText(a), whole(share))
		}
		for _, i := range looked {
			a := h.Task[i]
			role = append(role, roleText(a))
			distance = append(distance, fmt.Sprintf("%s (%s)", oneDigit(summary.Number(a.Mean)),
				whole(summary.Number(a.Entropy/a.EvenEntropy))))
		}
		roles.lines, distances.lines = append(roles.lines, role), append(distances.lines, distance)
	}
	s.blocks = []block{roles}
	if len(looked) > 0 {
		s.blocks = append(s.blocks, distances)
	}
	return s
}

func indices(lengths []int) []int {
	out := make([]int, len(lengths))
	for i := range out {
		out[i] = i
	}
	return out
}

// roleText names a head's role, with the distance or position that it is about, and its score.
func roleText(a *eval.Attention) string {
	role, name := a.Roles[a.Label], a.Label
	switch a.Label {
	case eval.RoleMixed:
		return name
	case eval.RoleOffset:
		name = fmt.Sprintf("%d back", role.At)
	case eval.RolePosition:
		name = fmt.Sprintf("at %d", role.At)
	}
	return name + " " + whole(summary.Number(role.Score))
}

// InsideView is what the page shows of findings: tables, and charts as SVG.
type InsideView struct {
	Sections []InsideTables
	Charts   []pageChart
}

// InsideTables are those of a section.
type InsideTables struct {
	Title  string
	Tables []Table
}

// View lays the findings out for the page. Of steps along training it has no tables of heads.
func (s *Report) View() (InsideView, error) {
	var v InsideView
	for _, section := range insideSections(s.Inside, func(t summary.InsideTask) []summary.InsideModel { return t.Ends() }) {
		v.Sections = append(v.Sections, InsideTables{section.title, section.tables()})
	}
	var err error
	v.Charts, err = pageCharts(s.insideFigures())
	return v, err
}
