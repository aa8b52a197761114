// Package summary puts result rows (see package eval) together: means, effective lengths, ranks, costs, tables, and a sentence
// for each task.
package summary

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Options say how to put rows together. The zero value is ready to use.
type Options struct {
	// Encodings lists encodings in their usual order; others follow by name. Costs are relative to the first.
	Encodings []string
	Ranks     string // how ranks weigh lengths: ByLengths or ByExamples
	// OnlyFitted leaves out runs that are not known to have fitted, as some papers do. Series.Fit still counts all.
	OnlyFitted bool
	Published  *publishedNumbers // the numbers to compare with; nil for the numbers of Kazemnejad
}

// Study is the summary of a set of rows.
type Study struct {
	Measure   string       `json:"-"`
	Summary   string       `json:"-"` // a sentence or two on ranks over several tasks; "" for fewer
	Tokens    *Study       `json:"-"` // the same rows by tokens right; nil in that study
	Baseline  string       `json:"-"` // the encoding that costs are relative to; "" for none
	Encodings []string     `json:"-"` // of the rows, in order
	Tasks     []*Task      `json:"tasks"`
	Scored    []*Task      `json:"-"`         // those that have accuracies
	Texts     []*Text      `json:"-"`         // of running text, which has bits per byte instead of accuracies
	First     int          `json:"first"`     // task to begin with: one that is not at chance
	Ranks     []rank       `json:"ranks"`     // best first
	Published []comparison `json:"published"` // by task, then in the order of Encodings
	Source    string       `json:"-"`         // of the published numbers
	Caveats   []string     `json:"-"`         // of the comparison, in sentences
	Notes     []string     `json:"-"`         // what a reader must know about the data
	Weighting string       `json:"-"`         // how ranks weigh lengths

	OnlyFitted bool     `json:"-"` // see Options
	Metrics    []metric `json:"-"` // kinds of cost

	RankTable, HeatMap, AgreementTable, PublishedTable Table `json:"-"`

	Setups []string `json:"-"` // machines, engines, threads and versions
	Models Table    `json:"-"` // the model files that were measured

	published *publishedNumbers
	exact     *Study // the study by exact match, if this is not the one
}

// Task is all that was measured on one task, version and split.
type Task struct {
	Summary string `json:"-"`    // one sentence; "" for speed alone
	Name    string `json:"name"` // unique in the study
	Task    string `json:"-"`    // without version and split; "" for speed alone
	Version int    `json:"-"`
	Split   string `json:"-"`
	Scored  bool   `json:"scored"` // false for rows of speed alone, without a task

	Series []Series `json:"series"` // one for each encoding and size, in the order of Study.Encodings
	Places []Place  `json:"places"` // what the series cost, where

	Chance []Number `json:"chance"` // accuracy of a guesser, by Lengths
	// Lengths are the measured lengths and bins, ascending; X their places on a chart's axis, and Axis its name.
	Lengths []task.Span `json:"lengths"`
	X       []float64   `json:"x"`
	Axis    string      `json:"axis"`
	Octaves bool        `json:"octaves"` // whether Lengths are so far apart that charts double them step by step
	Trained [2]int      `json:"trained"` // the widest range of the series; 0, 0 if never trained
	Whole   []task.Span `json:"-"`       // lengths at which nothing is held out, and bins that hold such

	// AtChance: no encoding is above chance beyond the trained lengths. The task is not ranked.
	AtChance bool `json:"atChance"`

	Parts []part `json:"-"` // of a sweep that has several

	Accuracy Table   `json:"-"` // by length and series
	EveryRun Table   `json:"-"` // the same of each run of series that have several
	Depths   []Table `json:"-"` // by depth and length, for each series that was measured at depths
	// Differences are between the parts of a sweep, and between the seeds of weights and of data where all of them met.
	Differences []Table `json:"-"`
	Headlines   []Table `json:"-"` // a line for each series; one for each place, or one where costs are unknown
	Tradeoffs   []Table `json:"-"` // for each place
}

// taskKey tells tasks apart.
type taskKey struct {
	task    string
	version int
	split   string
	window  int // the longest of windows of running text that end at the same places; 0 for other tasks
}

func taskKeyOf(r eval.Row) taskKey { return taskKey{r.Task, r.TaskVersion, r.Split, r.LongestWindow} }

// New works out a study by exact match, and in Tokens by tokens right. Of repeated measurements the completions of the most prompts
// and the last times count. No rows are an error.
func New(rows []eval.Row, opt Options) (*Study, error) {
	if len(rows) == 0 {
		return nil, errors.New("summary: there are no rows")
	}
	s := &Study{Measure: Exact, Encodings: encodings(rows, opt.Encodings), Weighting: opt.Ranks,
		OnlyFitted: opt.OnlyFitted, Metrics: metrics(), Setups: setups(rows), Models: modelsTable(rows), published: opt.Published}
	if s.published == nil {
		var err error
		if s.published, err = kazemnejad(); err != nil {
			return nil, err
		}
	}
	s.Source, s.Caveats = s.published.Source, s.published.Caveats
	if _, replaced := latest(rows); replaced > 0 {
		s.Notes = []string{human.Plural(replaced, "cell was", "cells were") +
			" measured again later; the completions of the most prompts count, and the last times."}
	}
	if len(opt.Encodings) > 0 {
		s.Baseline = opt.Encodings[0]
	}
	s.tasks(s.takeTexts(rows))
	tokens := s.byTokens()
	s.conclude()
	tokens.conclude()
	s.Tokens = tokens
	return s, nil
}

// byTokens is a study with its tasks by tokens right, and no conclusions yet.
func (s *Study) byTokens() *Study {
	out := *s
	out.Measure, out.exact, out.Notes = Tokens, s, slices.Clone(s.Notes)
	out.Tasks = lists.Map(s.Tasks, func(t *Task) *Task {
		u := *t
		u.Series = lists.Map(t.Series, Series.byTokens)
		return &u
	})
	return &out
}

// conclude adds ranks, comparisons, notes and tables.
func (s *Study) conclude() {
	s.Scored = slices.DeleteFunc(slices.Clone(s.Tasks), func(t *Task) bool { return !t.Scored })
	s.rank()
	s.compare()
	s.note()
	for _, t := range s.Scored {
		t.Summary = t.summarize(s.Measure)
	}
	aboveChance := slices.DeleteFunc(s.ranked(), func(t *Task) bool { return t.AtChance })
	if shown := append(aboveChance, s.ranked()...); len(shown) > 0 {
		s.First = slices.Index(s.Tasks, shown[0])
	}
	s.Summary = s.lead()
	s.tabulate()
}

// namesOf lists the series of some encodings, in their order.
func (s *Study) namesOf(encodings []string) []string {
	var out []string
	for _, encoding := range encodings {
		for _, t := range s.Tasks {
			for _, series := range t.Series {
				if s.Encodings[series.Encoding] == encoding && !slices.Contains(out, series.Name) {
					out = append(out, series.Name)
				}
			}
		}
	}
	return out
}

// encodings lists the encodings of rows: the names in order in its order, others by name.
func encodings(rows []eval.Row, order []string) []string {
	out := distinct(rows, func(r eval.Row) string { return r.Encoding })
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(placeIn(order, a), placeIn(order, b)) })
	return out
}

// placeIn is where a name stands in an order; those that do not come after all others.
func placeIn(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// tasks groups rows, in order of first appearance; speed without a task comes last.
func (s *Study) tasks(rows []eval.Row) {
	groups := groupBy(rows, taskKeyOf)
	for _, scored := range []bool{true, false} {
		for _, g := range groups {
			if scored == (g.key.task != "") {
				s.Tasks = append(s.Tasks, s.newTask(g.key.label(groups), g.key, g.rows))
			}
		}
	}
}

// label names a task by as little as tells it from the others.
func (k taskKey) label(all []group[taskKey]) string {
	if k.task == "" {
		return "speed without a task"
	}
	var more []string
	differs := func(f func(taskKey) bool) bool {
		return slices.ContainsFunc(all, func(o group[taskKey]) bool { return o.key.task == k.task && f(o.key) })
	}
	if differs(func(o taskKey) bool { return o.version != k.version }) {
		more = append(more, fmt.Sprintf("version %d", k.version))
	}
	if differs(func(o taskKey) bool { return o.split != k.split }) {
		more = append(more, k.split)
	}
	if differs(func(o taskKey) bool { return o.window != k.window }) && k.window > 0 {
		more = append(more, fmt.Sprintf("windows of up to %d tokens", k.window))
	}
	name := k.task
	if short := corpusHash.ReplaceAllString(name, "$1"); !slices.ContainsFunc(all, func(o group[taskKey]) bool {
		return o.key.task != k.task && corpusHash.ReplaceAllString(o.key.task, "$1") == short
	}) {
		name = short
	}
	if len(more) == 0 {
		return name
	}
	return name + " (" + strings.Join(more, ", ") + ")"
}

// corpusHash ends the name of a corpus' task; people need it only where two corpora have one name.
var corpusHash = regexp.MustCompile(`^(text-.+)-[0-9a-f]{12}$`)

func (s *Study) newTask(name string, key taskKey, rows []eval.Row) *Task {
	t := &Task{Name: name, Task: key.task, Version: key.version, Split: key.split, Scored: key.task != ""}
	t.Lengths = lengthsOf(rows)
	t.X, t.Axis = lists.Map(t.Lengths, task.Span.Middle), axisName(t.Lengths, t.Scored)
	t.Octaves = !t.Scored && t.Lengths[len(t.Lengths)-1].Max >= 8*t.Lengths[0].Max
	t.Chance = slices.Repeat([]Number{Unknown}, len(t.Lengths))
	for _, r := range rows {
		if t.Scored && r.TrainMax > 0 { // else lengths are tokens, and training's are the task's
			widen(&t.Trained, r.TrainMin)
			widen(&t.Trained, r.TrainMax)
		}
		if r.N == 0 {
			continue
		}
		if t.Chance[slices.Index(t.Lengths, r.Span())] = Number(r.Chance); r.NotHeldOut() {
			t.Whole = append(t.Whole, r.Span())
		}
	}
	t.Whole = task.SortSpans(t.Whole)
	t.Series = lists.Map(s.variants(rows), func(series Series) Series { return series.measuredAt(t.Lengths, s.OnlyFitted) })
	t.Places = places(t.Series, t.Trained[1])
	for i := range t.Places {
		t.Places[i].Tables = newCostTables(t, t.Places[i]).byMetric()
	}
	return t
}

// axisName names an axis of lengths.
func axisName(lengths []task.Span, scored bool) string {
	switch {
	case !scored:
		return "length, tokens"
	case slices.ContainsFunc(lengths, task.Span.IsBin):
		return "length (a bin stands at its middle)"
	}
	return "length"
}
