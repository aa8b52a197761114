package summary

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// Sections lay a task out: a table for each measure, then the heads of each model, on request also of steps on the way.
func (t *InsideTask) Sections(onTheWay bool) []Section {
	out := []Section{t.section()}
	for i := range t.Models {
		if m := &t.Models[i]; onTheWay || !m.OnTheWay {
			if s := t.headsSection(m); len(s.Tables) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

func (t *InsideTask) section() Section {
	all := []Table{t.rolesTable(eval.TaskTokens, "the task's sequences"), t.rolesTable(eval.RandomTokens, "random tokens"), t.lookBackTable()}
	for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
		all = append(all, t.byLength(t.Models, "positions read off hidden states of "+tokens+" tokens by ridge regression: R² (1 is exact, 0 or less "+
			"says nothing), after a slash at positions withheld from the fit, after a semicolon by a fit at several lengths, and in brackets % named by a classifier",
			eval.MeasureProbe, tokens, []string{"model", "layers", "fitted on"}, probeText))
	}
	all = slices.Concat(all, []Table{t.logitsTable()}, t.causalTables(), []Table{t.pairsTable()})
	s := Section{Task: t.Name, Title: t.Name + ": what heads attend to", Tables: withLines(all)}
	var reasons []string
	for _, m := range t.Models {
		for i, reason := range m.Reasons {
			if reason != "" {
				reasons = append(reasons, fmt.Sprintf("%s at %d: %s", m.Name, t.Lengths[i], reason))
			}
		}
	}
	if len(s.Tables) == 0 {
		s.Summary = strings.Join(reasons, ". ")
	} else {
		last := &s.Tables[len(s.Tables)-1]
		last.Notes = append(last.Notes, reasons...)
	}
	return s
}

// withLines are the tables that have lines.
func withLines(tables []Table) []Table {
	return slices.DeleteFunc(tables, func(t Table) bool { return len(t.Lines) == 0 })
}

// headsSection has the role and the distance of each head of a model by length.
func (t *InsideTask) headsSection(m *InsideModel) Section {
	s := Section{Task: t.Name, Title: fmt.Sprintf("%s: heads of %s", t.Name, m.Name)}
	if m.Trained[1] > 0 {
		s.Title += fmt.Sprintf(", trained on %d–%d", m.Trained[0], m.Trained[1])
	}
	table := func(title, tokens string, text func(*eval.Observation) string) Table {
		return t.byLength([]InsideModel{*m}, title, eval.MeasureAttention, tokens, []string{"head"}, text)
	}
	s.Tables = withLines([]Table{
		table("role, and its score in %", eval.TaskTokens, roleText),
		table("mean distance in tokens, and in brackets the entropy in % of that of even attention", eval.TaskTokens, func(o *eval.Observation) string {
			return fmt.Sprintf("%s (%s)", number(o, "distance").digits(1), rounded(Number(o.Values["entropy"]/o.Control["entropy"])))
		}),
		table("role on random tokens, and its score in %; in brackets % of the variance of weights that position alone explains", eval.RandomTokens,
			func(o *eval.Observation) string {
				return fmt.Sprintf("%s (%s)", roleText(o), rounded(number(o, "positional")))
			}),
	})
	return s
}

// number is one of an observation's numbers; unknown where it has none.
func number(o *eval.Observation, name string) Number {
	if o == nil {
		return Unknown
	}
	if v, there := o.Values[name]; there {
		return Number(v)
	}
	return Unknown
}

// byLength has a line for each place of a measure, and a column for each length with observations. head names the first
// columns.
func (t *InsideTask) byLength(models []InsideModel, title, measure, tokens string, head []string, text func(*eval.Observation) string) Table {
	table := Table{Title: title, Head: slices.Clone(head)}
	var shown []int // lengths
	for i, length := range t.Lengths {
		if slices.ContainsFunc(models, func(m InsideModel) bool { return m.observed(measure, tokens, i) }) {
			shown, table.Head = append(shown, i), append(table.Head, strconv.Itoa(length))
		}
	}
	for k := range models {
		places, _ := models[k].Seen(measure, tokens)
		for _, p := range places {
			first := p.At[slices.IndexFunc(p.At, func(o *eval.Observation) bool { return o != nil })]
			columns := map[string]string{"model": first.Model, "layers": strconv.Itoa(p.Layer), "head": fmt.Sprintf("%d.%d", p.Layer, p.Head),
				"fitted on": number(first, "fit_length").digits(0)}
			line := lists.Map(head, func(name string) string { return columns[name] })
			for _, i := range shown {
				cell := "–"
				if o := p.At[i]; o != nil {
					cell = text(o)
				}
				line = append(line, cell)
			}
			table.add(figures(line...)...)
		}
	}
	return table
}

// observed reports whether there is something at a length.
func (m *InsideModel) observed(measure, tokens string, length int) bool {
	return slices.ContainsFunc(m.Places, func(p insidePlace) bool { return p.Measure == measure && p.Tokens == tokens && p.At[length] != nil })
}

func probeText(o *eval.Observation) string {
	text := number(o, "r2").digits(2)
	if withheld := number(o, "r2_withheld"); withheld.Known() {
		text += "/" + withheld.digits(2)
	}
	if mixed := number(o, "r2_mixed"); mixed.Known() {
		text += "; " + mixed.digits(2)
	}
	return fmt.Sprintf("%s (%s)", text, rounded(number(o, "classified")))
}

// logitsTable has the fits of attention logits, as medians over the heads of each layer: in single heads R² and the attention differ.
func (t *InsideTask) logitsTable() Table {
	table := Table{Title: "attention logits fitted by the distance, by the key's place and by the two tokens, on random tokens: median R² over a layer's " +
		"heads, and in brackets the total variation distance between the attention that the fit gives and the head's; even: of even attention",
		Head: []string{"model", "layer", "length", "heads", "distance", "place", "both places", "content", "content, distance", "content, place", "even"}}
	for k := range t.Models {
		places, _ := t.Models[k].Seen(eval.MeasureLogits, eval.RandomTokens)
		layers := lists.Map(places, func(p insidePlace) int { return p.Layer })
		slices.Sort(layers)
		for _, layer := range slices.Compact(layers) {
			for i, length := range t.Lengths {
				numbers := map[string][]float64{}
				heads := 0
				for _, p := range places {
					if o := p.At[i]; o != nil && p.Layer == layer {
						heads++
						for name, v := range o.Values {
							numbers[name] = append(numbers[name], v)
						}
					}
				}
				if heads == 0 {
					continue
				}
				middle := func(name string) string { return median(numbers[name]).digits(2) }
				line := []string{t.Models[k].Name, strconv.Itoa(layer), strconv.Itoa(length), strconv.Itoa(heads)}
				for _, fit := range []string{"distance", "place", "positions", "content", "both", "content_place"} {
					line = append(line, fmt.Sprintf("%s (%s)", middle("r2_"+fit), middle("tv_"+fit)))
				}
				table.add(figures(append(line, middle("tv_even"))...)...)
			}
		}
	}
	return table
}

// rounded is a ratio in percent without a point, or a dash.
func rounded(n Number) string { return (100 * n).digits(0) }

// rolesTable counts heads by encoding and role, at the greatest trained length that each model was observed at.
func (t *InsideTask) rolesTable(tokens, on string) Table {
	type counts struct {
		encoding   string
		roles      map[string]int
		positional []float64
	}
	var all []counts
	used := map[string]bool{}
	for i := range t.Models {
		m := &t.Models[i]
		places, length := m.Seen(eval.MeasureAttention, tokens)
		for _, p := range places {
			o := p.At[length]
			if o == nil {
				continue
			}
			c := found(&all, func(c *counts) bool { return c.encoding == m.Encoding })
			if c.roles == nil {
				c.encoding, c.roles = m.Encoding, map[string]int{}
			}
			role := roleOf(o)
			c.roles[role]++
			used[role] = true
			c.positional = append(c.positional, float64(number(o, "positional")))
		}
	}
	names := slices.DeleteFunc(append(roles(), mixed), func(role string) bool { return !used[role] })
	table := Table{Title: "heads by role on " + on + ", at the greatest trained length; by place: % of the variance of " +
		"weights that position alone explains", Head: slices.Concat([]string{"encoding", "heads"}, names, []string{"by place"})}
	for _, c := range all {
		counted := lists.Map(names, func(role string) string { return strconv.Itoa(c.roles[role]) })
		table.add(figures(slices.Concat([]string{c.encoding, strconv.Itoa(len(c.positional))}, counted, []string{rounded(mean(c.positional))})...)...)
	}
	return table
}

// lookBackTable has the distance that each model looks back, and its share of right completions.
func (t *InsideTask) lookBackTable() Table {
	table := Table{Title: "mean distance that heads attend to, in tokens, and in brackets % of the completions right; at the " +
		"first mistakes of wrong ones after a slash", Head: append([]string{"encoding"}, lists.Map(t.Lengths, strconv.Itoa)...)}
	for k := range t.Models {
		m := &t.Models[k]
		places, _ := m.Seen(eval.MeasureAttention, eval.TaskTokens)
		if len(places) == 0 {
			continue
		}
		line := []string{m.Encoding}
		for i := range t.Lengths {
			known := func(name string) Number {
				values := lists.Map(places, func(p insidePlace) float64 { return float64(number(p.At[i], name)) })
				return mean(slices.DeleteFunc(values, math.IsNaN))
			}
			cell := known("distance").digits(1)
			if mistakes := known("mistake_distance"); mistakes.Known() {
				cell += "/" + mistakes.digits(1)
			}
			if known("distance").Known() {
				cell += " (" + rounded(m.Right[i]) + ")"
			}
			line = append(line, cell)
		}
		table.add(figures(line...)...)
	}
	return table
}

// causalTables have the completions when hidden states lose the position that probes read, and when they get another place.
func (t *InsideTask) causalTables() []Table {
	directions := Table{Title: "% of the completions' tokens right when hidden states lose the directions in which probes read the position: before, ablated, " +
		"as many random directions of the same variance, as many of probes of shuffled positions; left: the R² of a new probe after that, of the first before it",
		Head: []string{"model", "layers", "length", "directions", "before", "ablated", "random", "shuffled", "left"}}
	places := Table{Title: "% of queries that predict another symbol (or still theirs) when hidden states get another place's mean state: the next symbol where " +
		"the key of theirs and the next one change places (keys), by the step backwards, and where the query gets the next place; the symbol six places on where " +
		"that key changes places (far). Control: with the difference of two means of one place, as long. Place: % of the step's squared length that is not of tokens",
		Head: []string{"model", "layers", "length", "place", "keys", "control", "backwards", "far", "control", "query", "control"}}
	for i := range t.Models {
		seen, _ := t.Models[i].Seen(eval.MeasureCausal, eval.TaskTokens)
		for _, p := range seen {
			for _, o := range p.At {
				if o == nil {
					continue
				}
				share := func(numbers map[string]float64, name, among string) string {
					v, there := numbers[name]
					if !there || o.Values[among] == 0 {
						return "–"
					}
					return rounded(Number(v / o.Values[among]))
				}
				tokens := func(numbers map[string]float64, name string) string { return share(numbers, name+"_tokens", "tokens") }
				moved := func(numbers map[string]float64, name string) string {
					if o.Values[name+"_queries"] == 0 {
						return "–"
					}
					return fmt.Sprintf("%s (%s)", share(numbers, name+"_moved", name+"_queries"), share(numbers, name+"_kept", name+"_queries"))
				}
				at := []string{o.Model, strconv.Itoa(o.Layer), strconv.Itoa(o.Length)}
				directions.add(figures(append(at, number(o, "directions").digits(0), tokens(o.Values, "before"), tokens(o.Values, "ablated"),
					tokens(o.Control, "ablated"), tokens(o.Values, "shuffled"), number(o, "r2_after").digits(2)+" of "+number(o, "r2").digits(2))...)...)
				if o.Values["patched_queries"] > 0 {
					places.add(figures(append(at, share(o.Values, "place", "step"), moved(o.Values, "swapped"), moved(o.Control, "swapped"),
						moved(o.Values, "reversed"), moved(o.Values, "far"), moved(o.Control, "far"), moved(o.Values, "patched"), moved(o.Control, "patched"))...)...)
				}
			}
		}
	}
	return []Table{directions, places}
}

// pairsTable compares the attention of models.
func (t *InsideTask) pairsTable() Table {
	table := Table{Title: "Jensen-Shannon divergence of attention, in nats (at most 0.693): least over pairs of heads, " +
		"mean over layers, and each layer; shuffled: with the other model's weights in random order; published: " +
		"the number that the paper's code computes",
		Head: []string{"models", "length", "mean", "shuffled", "published", "by layer"}}
	for k := range t.Models {
		places, _ := t.Models[k].Seen(eval.MeasureDivergence, eval.TaskTokens)
		var others []string
		for _, p := range places {
			if !slices.Contains(others, p.With) {
				others = append(others, p.With)
			}
		}
		for _, with := range others {
			for i, length := range t.Lengths {
				var js, null, published []float64
				for _, p := range places {
					if o := p.At[i]; o != nil && p.With == with {
						js, null = append(js, o.Values["js"]), append(null, o.Control["js"])
						published = append(published, float64(number(o, "js_published")))
					}
				}
				if len(js) > 0 {
					layers := strings.Join(lists.Map(js, func(v float64) string { return Number(v).digits(2) }), " ")
					table.add(figures(t.Models[k].Encoding+with, strconv.Itoa(length), mean(js).digits(3), mean(null).digits(3), mean(published).digits(3), layers)...)
				}
			}
		}
	}
	return table
}

// labelExcess is the share of the possible score above control from which a role stands out.
const labelExcess = 0.3

// mixed is a head's role where none stands out.
const mixed = "mixed"

// roles are in the order in which equal ones are preferred.
func roles() []string {
	return []string{eval.RolePrevious, eval.RoleFirst, eval.RoleInduction, eval.RoleDuplicate, eval.RoleOffset, eval.RolePosition, eval.RoleEven}
}

// roleOf is the role of a head that stands out most.
func roleOf(o *eval.Observation) string {
	best, most := mixed, labelExcess
	for _, role := range roles() {
		score, control := o.Values[role], o.Control[role]
		if control >= 1-1e-9 {
			continue // nothing could be above it
		}
		if excess := (score - control) / (1 - control); excess > most+1e-9 || excess >= most && best == mixed {
			best, most = role, excess
		}
	}
	return best
}

// roleText names a head's role, with its distance or position, and its score.
func roleText(o *eval.Observation) string {
	role := roleOf(o)
	name := role
	switch role {
	case mixed:
		return name
	case eval.RoleOffset:
		name = number(o, "offset_at").digits(0) + " back"
	case eval.RolePosition:
		name = "at " + number(o, "position_at").digits(0)
	}
	return name + " " + rounded(number(o, role))
}
