package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// comparison is a series and a paper's models for its task and encoding. The setups
// differ, so that a difference is one of two setups.
type comparison struct {
	Task       string `json:"task"` // name of the study's task
	Name       string `json:"name"` // of the series
	Encoding   int    `json:"encoding"`
	Variant    int    `json:"variant"`
	Lengths    string `json:"lengths"` // compared: "51–100"; of several the mean, weighted as in the paper
	Ours       side   `json:"ours"`    // exact match
	Theirs     side   `json:"theirs"`
	Here       Number `json:"here"`       // and Published are medians over runs where the paper tells its runs,
	Published  Number `json:"published"`  // else means
	Difference Number `json:"difference"` // Here − Published
	All        Number `json:"-"`          // the paper's mean at all its longer lengths; unknown where it has none
	Setup      string `json:"setup"`      // both setups, or what else differs
}

// side is what the runs of one side say.
type side struct {
	Fit    fit    `json:"fit"`
	All    Spread `json:"all"`    // over all runs; unknown where the paper has means only
	Mean   Number `json:"mean"`   // over all runs
	Fitted Number `json:"fitted"` // mean over those known to have fitted; unknown for none
}

// summaryOf puts runs together; fitted tells of each whether it fitted, nil for not known.
func summaryOf(values []float64, fitted []*bool) side {
	s := side{All: overRuns(values), Mean: mean(values)}
	var of []float64
	for i, f := range fitted {
		if s.Fit.count(f); f != nil && *f {
			of = append(of, values[i])
		}
	}
	s.Fitted = mean(of)
	return s
}

// compare puts the published numbers next to the tasks and encodings that both
// have, which are of exact match. Scratchpads and other options make another task.
func (s *Study) compare() {
	if s.Measure != Exact {
		return
	}
	for _, t := range s.Tasks {
		if t.Split != string(task.Test) {
			continue
		}
		for i := range t.Series {
			of := &t.Series[i]
			if of.Rows[0].Intervention != "" {
				continue // papers change no trained model
			}
			for k := range s.published.models {
				if m := &s.published.models[k]; m.task == t.paperName() && m.encoding == s.Encodings[of.Encoding] {
					s.Published = append(s.Published, of.compared(t, m)...)
				}
			}
		}
	}
}

// paperName is what a paper calls a task: that without prompts held out is the same.
func (t *Task) paperName() string { return strings.TrimSuffix(t.Task, "+paper") }

// compared compares a series with a paper's model: at each bin, or, where the paper has
// single lengths, over its longer ones that all runs were measured at here:
// accuracy falls off so steeply that means over other lengths say nothing of each other.
func (s *Series) compared(t *Task, m *publishedModel) []comparison {
	all := m.lengths()
	var parts [][]task.Span
	if slices.ContainsFunc(all, task.Span.IsBin) {
		parts = each(all, func(length task.Span) []task.Span { return []task.Span{length} })
	} else {
		longer := slices.DeleteFunc(slices.Clone(all), func(n task.Span) bool { return !s.isBeyond(n) || !s.measuredBy(n) })
		parts = [][]task.Span{longer}
	}
	var out []comparison
	for _, lengths := range parts {
		if len(lengths) == 0 || !slices.ContainsFunc(lengths, s.measuredBy) {
			continue
		}
		c := comparison{Task: t.Name, Name: s.Name, Encoding: s.Encoding, Variant: s.Variant, All: m.beyond,
			Lengths: task.Span{Min: lengths[0].Min, Max: lengths[len(lengths)-1].Max}.Label(),
			Ours:    s.summaryAt(lengths, t.Task), Theirs: m.summaryAt(lengths, t.Task)}
		if c.Here, c.Published = c.Ours.All.Median, c.Theirs.All.Median; !c.Published.Known() {
			c.Here, c.Published = c.Ours.Mean, c.Theirs.Mean
		}
		c.Difference = c.Here - c.Published
		c.Setup = s.setup(t, m, len(lengths), len(all))
		out = append(out, c)
	}
	return out
}

// measuredBy reports whether all runs were measured at a length.
func (s *Series) measuredBy(length task.Span) bool {
	lacks := func(seed card.Seeds) bool { return s.seeds[seed][length].n == 0 }
	return len(s.Seeds) > 0 && !slices.ContainsFunc(s.Seeds, lacks)
}

// summaryAt is what our runs say at lengths, weighted as in the paper.
func (s *Series) summaryAt(lengths []task.Span, name string) side {
	values := each(s.Seeds, func(seed card.Seeds) float64 {
		return weighted(lengths, name, func(length task.Span) float64 { return s.seeds[seed][length].accuracy })
	})
	return summaryOf(values, each(s.Seeds, func(seed card.Seeds) *bool { return s.fitted[seed] }))
}

// summaryAt is what the paper's runs say there, or its means.
func (m *publishedModel) summaryAt(lengths []task.Span, name string) side {
	if m.runs == nil {
		of := weighted(lengths, name, func(length task.Span) float64 { return m.means[length] })
		return side{Fit: m.fit, All: unknownSpread, Mean: Number(of), Fitted: Unknown}
	}
	var values []float64
	var fitted []*bool
	for _, run := range m.runs {
		if slices.ContainsFunc(lengths, func(n task.Span) bool { _, ok := run.at[n]; return !ok }) {
			continue
		}
		values = append(values, weighted(lengths, name, func(length task.Span) float64 { return run.at[length] }))
		fitted = append(fitted, run.fitted)
	}
	return summaryOf(values, fitted)
}

// weighted is a mean over lengths, each with the share of its samples in the paper.
func weighted(lengths []task.Span, name string, of func(task.Span) float64) float64 {
	weight := weights(ByExamples, name)
	if len(lengths) == 1 {
		weight = weights(ByLengths, name) // a bin may have no share
	}
	var sum, total float64
	for _, length := range lengths {
		w := weight(length)
		sum, total = sum+w*of(length), total+w
	}
	return sum / total
}

// setup tells in what a series differs from a paper's models, as far as that is known, or what is known
// of both.
func (s *Series) setup(t *Task, m *publishedModel, lengths, all int) string {
	var differs []string
	if m.setup != "" {
		differs = append(differs, "published: "+m.setup, fmt.Sprintf("here: %s parameters, %s", human.Millions(s.Parameters), s.stepsText()))
	}
	if m.differs != nil {
		if known, err := task.Lookup(t.paperName()); err == nil { // else of another version of the program
			differs = append(differs, m.differs(s, known, lengths, all)...)
		}
	}
	if len(s.Seeds) != m.fit.Runs {
		differs = append(differs, fmt.Sprintf("%s, not %d", human.Plural(len(s.Seeds), "run", "runs"), m.fit.Runs))
	}
	return strings.Join(differs, "; ")
}

// stepsText says how many steps the runs have: "2,000–10,000 steps".
func (s *Series) stepsText() string {
	if s.Steps[0] == s.Steps[1] {
		return human.Thousands(s.Steps[0]) + " steps"
	}
	return human.Thousands(s.Steps[0]) + "–" + human.Thousands(s.Steps[1]) + " steps"
}
