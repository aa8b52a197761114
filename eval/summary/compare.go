package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// comparison compares a series with a paper's models of its task and encoding. The setups differ, so a difference is one of setups.
type comparison struct {
	Task       string `json:"task"` // name of the study's task
	Name       string `json:"name"` // of the series
	Encoding   int    `json:"encoding"`
	Variant    int    `json:"variant"`
	Lengths    string `json:"lengths"` // compared: "51–100"; of several the mean, weighted as in the paper
	Ours       side   `json:"ours"`    // exact match
	Theirs     side   `json:"theirs"`
	Here       Number `json:"here"`       // as Published, the median over runs where the paper tells its runs,
	Published  Number `json:"published"`  // else the mean
	Difference Number `json:"difference"` // Here − Published
	All        Number `json:"-"`          // the paper's mean at all its longer lengths; unknown where it has none
	Setup      string `json:"setup"`      // both setups, or what else differs
}

// side is the runs of one side.
type side struct {
	Fit    fit    `json:"fit"`
	All    Spread `json:"all"`    // over all runs; unknown where the paper has means only
	Mean   Number `json:"mean"`   // over all runs
	Fitted Number `json:"fitted"` // mean over those known to have fitted; unknown for none
}

// sideOf puts the runs together that have all of some lengths, each by its mean weighted as in the paper.
func sideOf(runs []trainingRun, lengths []task.Span, name string) side {
	var out side
	var all, fitted []float64
	for _, run := range runs {
		if slices.ContainsFunc(lengths, func(n task.Span) bool { return run.cells[n].n == 0 }) {
			continue
		}
		value := weighted(lengths, name, func(n task.Span) float64 { return run.cells[n].accuracy })
		all = append(all, value)
		if out.Fit.count(run.fitted); run.fitted != nil && *run.fitted {
			fitted = append(fitted, value)
		}
	}
	out.All, out.Mean, out.Fitted = overRuns(all), mean(all), mean(fitted)
	return out
}

// compare compares the published numbers with the tasks and encodings that both have. Papers change no trained model.
func (s *Study) compare() {
	if s.Measure != Exact {
		return
	}
	for _, t := range s.Tasks {
		for i := range t.Series {
			here := &t.Series[i]
			for k := range s.published.models {
				m := &s.published.models[k]
				if t.Split == string(task.Test) && here.Rows[0].Intervention == "" &&
					m.task == t.paperName() && m.encoding == s.Encodings[here.Encoding] {
					s.Published = append(s.Published, here.compared(t, m)...)
				}
			}
		}
	}
}

// paperName is the task's name in a paper: without "+paper", which holds no prompts out.
func (t *Task) paperName() string { return strings.TrimSuffix(t.Task, "+paper") }

// compared compares a series with a paper's model at each bin, or over the longer single lengths that all runs were measured
// at.
func (s *Series) compared(t *Task, m *publishedModel) []comparison {
	all := m.lengths()
	parts := lists.Map(all, func(length task.Span) []task.Span { return []task.Span{length} })
	if !slices.ContainsFunc(all, task.Span.IsBin) {
		parts = [][]task.Span{slices.DeleteFunc(slices.Clone(all), func(n task.Span) bool { return !s.isBeyond(n) || !s.measuredBy(n) })}
	}
	var out []comparison
	for _, lengths := range parts {
		if !slices.ContainsFunc(lengths, s.measuredBy) {
			continue
		}
		c := comparison{Task: t.Name, Name: s.Name, Encoding: s.Encoding, Variant: s.Variant, All: m.beyond,
			Lengths: task.Span{Min: lengths[0].Min, Max: lengths[len(lengths)-1].Max}.Label(),
			Ours:    sideOf(s.runs, lengths, t.Task), Theirs: m.side(lengths)}
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
	lacks := func(run trainingRun) bool { return run.cells[length].n == 0 }
	return len(s.runs) > 0 && !slices.ContainsFunc(s.runs, lacks)
}

// weighted is a mean over lengths, weighted by their samples in the paper.
func weighted(lengths []task.Span, name string, value func(task.Span) float64) float64 {
	if len(lengths) == 1 {
		return value(lengths[0])
	}
	weight := weights(ByExamples, name)
	var sum, total float64
	for _, length := range lengths {
		w := weight(length)
		sum, total = sum+w*value(length), total+w
	}
	return sum / total
}

// setup lists the known differences of a series from a paper's models, or both setups.
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
	if len(s.runs) != m.fit.Runs {
		differs = append(differs, fmt.Sprintf("%s, not %d", human.Plural(len(s.runs), "run", "runs"), m.fit.Runs))
	}
	return strings.Join(differs, "; ")
}

// stepsText names the steps of the runs: "2,000–10,000 steps".
func (s *Series) stepsText() string {
	return strings.Join(slices.Compact(lists.Map(s.Steps[:], human.Thousands)), "–") + " steps"
}

// publishedTable sets our accuracies next to the published ones.
func (s *Study) publishedTable() Table {
	runs := slices.ContainsFunc(s.Published, func(c comparison) bool { return c.Theirs.All.Median.Known() })
	overall := slices.ContainsFunc(s.Published, func(c comparison) bool { return c.All.Known() })
	value := "mean"
	if runs {
		value = "median"
	}
	out := Table{Title: "exact match here and published: " + s.Source, Head: []string{"task", "encoding", "lengths", "runs here",
		"here, " + value + ", %", "mean of fitted, %", "runs published", "published, " + value + ", %", "mean of fitted, %",
		"difference, points"}}
	if overall {
		out.Head = append(out.Head, "published at all lengths, %")
	}
	out.Head = append(out.Head, "setup")
	for _, c := range s.Published {
		here, published := numberCell(c.Here, Number.percent), numberCell(c.Published, Number.percent)
		if runs {
			here, published = percentCell(c.Ours.All), percentCell(c.Theirs.All)
		}
		line := words(c.Task, c.Name, c.Lengths, c.Ours.Fit.String())
		line = append(line, here, numberCell(c.Ours.Fitted, Number.percent), words(c.Theirs.Fit.String())[0], published,
			numberCell(c.Theirs.Fitted, Number.percent), numberCell(c.Difference, Number.points))
		if overall {
			line = append(line, numberCell(c.All, Number.percent))
		}
		out.add(append(line, words(c.Setup)...)...)
	}
	return out
}

// publishedSection has a narrow table for each task: encoding, lengths, both sides and the difference.
func (s *Study) publishedSection() Section {
	out := Section{Title: "exact match in %, here and published: " + s.Source}
	columns := []int{1, 2, 4, 7, 9}
	for _, t := range s.Tasks {
		table := Table{Title: t.Name, Head: lists.Map(columns, func(i int) string { return s.PublishedTable.Head[i] })}
		for _, line := range s.PublishedTable.Lines {
			if line[0].Text == t.Name {
				table.add(lists.Map(columns, func(i int) Cell { return line[i] })...)
			}
		}
		if len(table.Lines) > 0 {
			out.Tables = append(out.Tables, table)
		}
	}
	return out
}
