package summary

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// lead says how the series rank over several tasks, and how far their order is the published one on each; "" of fewer tasks.
func (s *Study) lead() string {
	tasks := len(s.rankedTasks())
	if tasks == 0 || len(s.Ranks) < 2 {
		return ""
	}
	placed := lists.Map(s.Ranks, func(r rank) string { return fmt.Sprintf("%s %s", r.Name, r.MRR.digits(2)) })
	text := fmt.Sprintf("Ranked over %s by the mean beyond the trained lengths, %s comes first (mean reciprocal ranks: %s).", human.Plural(tasks, "task", "tasks"),
		s.Ranks[0].Name, join(placed[:min(len(placed), mostRanked)]))
	var agreed []string
	for _, line := range s.AgreementTable.Lines {
		if line[0].Text != allTasks {
			agreed = append(agreed, fmt.Sprintf("%s on %s", line[3].Text, line[0].Text))
		}
	}
	if len(agreed) > 0 {
		text += fmt.Sprintf(" Spearman's correlation with the published order is %s.", join(agreed))
	}
	return text
}

// mostRanked is how many ranks a sentence has.
const mostRanked = 5

// lead says how many heads have a role at the longest trained length, and where a probe reads positions best; "" where
// nobody looked for either.
func (t *InsideTask) lead() string {
	heads, roles := 0, map[string]int{}
	var probed *eval.Observation
	for i := range t.Models {
		m := &t.Models[i]
		if m.OnTheWay || m.Changed != "" || m.Trained[1] == 0 {
			continue
		}
		places, length := m.Seen(eval.MeasureAttention, eval.TaskTokens)
		for _, p := range places {
			if o := p.At[length]; o != nil {
				heads++
				roles[roleOf(o)]++
			}
		}
		places, length = m.Seen(eval.MeasureProbe, eval.TaskTokens)
		for _, p := range places {
			if o := p.At[length]; o != nil && (probed == nil || number(o, "r2") > number(probed, "r2")) {
				probed = o
			}
		}
	}
	var parts []string
	if heads > 0 {
		named := heads - roles[mixed]
		part := fmt.Sprintf("%d of %s a role", named, human.Plural(heads, "head has", "heads have"))
		if counts := roleCounts(roles); counts != "" {
			part += " (" + counts + ")"
		}
		parts = append(parts, part)
	}
	if probed != nil {
		parts = append(parts, fmt.Sprintf("of all hidden states a probe reads positions best after %s of %s (R² %s)",
			human.Plural(probed.Layer, "layer", "layers"), probed.Model, number(probed, "r2").digits(2)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("On %s, at the longest trained length, %s.", t.Name, strings.Join(parts, "; "))
}

// roleCounts lists how many heads have each role.
func roleCounts(counts map[string]int) string {
	var out []string
	for _, role := range roles() {
		if n := counts[role]; n > 0 {
			out = append(out, fmt.Sprintf("%s %d", role, n))
		}
	}
	return strings.Join(out, ", ")
}
