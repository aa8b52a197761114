// Package report turns result rows (see package eval) into one self-contained
// HTML page, and into figures for papers. New works everything out; the page and
// the figures only draw what it found.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// Options say how to present rows. The zero value is ready to use.
type Options struct {
	Title string // default: "Length generalization by positional encoding"
	// Encodings lists the known encodings in their usual order, so that an encoding
	// has the same colour in every report. Those not listed follow in the order of
	// their names.
	Encodings []string
	Command   string // that made the report; shown with the sources
	Ranks     eval.Weighting
}

// Study is what a set of rows says.
type Study struct {
	Title     string     `json:"title"`
	Answer    []string   `json:"-"` // the finding in sentences
	Encodings []Encoding `json:"encodings"`
	Tasks     []*Task    `json:"tasks"`
	Ranks     []Rank     `json:"ranks"`     // best first
	Published []Compared `json:"published"` // by task, then in the order of Encodings
	Sources   Sources    `json:"-"`
	Notes     []string   `json:"-"` // what a reader must know about the data
	Weighting string     `json:"-"` // how ranks weigh lengths

	by eval.Weighting
}

// Encoding is an encoding and its looks.
type Encoding struct {
	Name  string `json:"name"`
	Light string `json:"light"` // colour on white
	Dark  string `json:"dark"`  // colour on black
	Shape Shape  `json:"-"`
	Path  string `json:"path"` // the shape as an SVG path
}

// Task is all that was measured on one task, version and split.
type Task struct {
	Name   string   `json:"name"`   // unique in the study
	Task   string   `json:"-"`      // without version and split
	Scored bool     `json:"scored"` // false for rows of speed alone, without a task
	Series []Series `json:"series"` // in the order of Study.Encodings
	Places []Place  `json:"places"`
	Chance []Number `json:"chance"` // accuracy of a guesser, by Lengths
	// Lengths are those that anything was measured at, ascending.
	Lengths []int    `json:"lengths"`
	Octaves bool     `json:"octaves"` // whether Lengths are so far apart that charts double them step by step
	Trained [2]int   `json:"trained"` // the widest range of the series; 0, 0 if never trained
	Seeds   []uint64 `json:"-"`       // training seeds
	Whole   []int    `json:"-"`       // lengths at which nothing is held out

	// AtChance says that no encoding is above chance beyond the trained lengths, so
	// that the task is not ranked.
	AtChance bool `json:"atChance"`

	key taskKey
}

// taskKey is what makes a task of its own.
type taskKey struct {
	task    string
	version int
	split   string
}

// New works out a study. Of rows that measure the same thing twice the answers to
// the most prompts count (eval.Pool) and the last times (eval.Latest); Notes says how
// many there are. No rows are an error.
func New(rows []eval.Row, opt Options) (*Study, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("report: there are no rows")
	}
	s := &Study{Title: cmp.Or(opt.Title, "Length generalization by positional encoding"), Weighting: opt.Ranks.String(), by: opt.Ranks}
	if _, replaced := eval.Latest(rows); replaced > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s measured again later; the answers to the most prompts count, and the last times.", count(replaced, "cell was", "cells were")))
	}
	s.Encodings = encodings(rows, opt.Encodings)
	s.tasks(rows)
	if err := s.rank(); err != nil {
		return nil, err
	}
	if err := s.compare(); err != nil {
		return nil, err
	}
	s.note()
	s.answer()
	s.Sources = sources(rows, opt.Command)
	return s, nil
}

func keyOf(r eval.Row) taskKey { return taskKey{r.Task, r.TaskVersion, r.Split} }

// encodings lists the encodings of rows with their looks.
func encodings(rows []eval.Row, order []string) []Encoding {
	names := slices.Clone(order)
	var others []string
	for _, r := range rows {
		if !slices.Contains(names, r.Encoding) && !slices.Contains(others, r.Encoding) {
			others = append(others, r.Encoding)
		}
	}
	slices.Sort(others)
	var out []Encoding
	for i, name := range append(names, others...) {
		if slices.ContainsFunc(rows, func(r eval.Row) bool { return r.Encoding == name }) {
			out = append(out, look(name, i))
		}
	}
	return out
}

// tasks groups rows, in order of first appearance; speed without a task comes last.
func (s *Study) tasks(rows []eval.Row) {
	var keys []taskKey
	groups := map[taskKey][]eval.Row{}
	for _, r := range rows {
		k := keyOf(r)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], r)
	}
	slices.SortStableFunc(keys, func(a, b taskKey) int {
		switch {
		case a.task == "" && b.task != "":
			return 1
		case a.task != "" && b.task == "":
			return -1
		}
		return 0
	})
	for _, k := range keys {
		s.Tasks = append(s.Tasks, s.newTask(k.label(keys), k, groups[k]))
	}
}

// label names a task by as little as tells it from the others.
func (k taskKey) label(all []taskKey) string {
	if k.task == "" {
		return "speed without a task"
	}
	var more []string
	differs := func(f func(taskKey) bool) bool {
		return slices.ContainsFunc(all, func(o taskKey) bool { return o.task == k.task && f(o) })
	}
	if differs(func(o taskKey) bool { return o.version != k.version }) {
		more = append(more, fmt.Sprintf("version %d", k.version))
	}
	if differs(func(o taskKey) bool { return o.split != k.split }) {
		more = append(more, k.split)
	}
	if len(more) == 0 {
		return k.task
	}
	return k.task + " (" + strings.Join(more, ", ") + ")"
}

func (s *Study) newTask(name string, key taskKey, rows []eval.Row) *Task {
	t := &Task{Name: name, Task: key.task, Scored: key.task != "", key: key}
	t.Lengths = distinct(rows, func(r eval.Row) int { return r.Length })
	t.Octaves = !t.Scored && t.Lengths[len(t.Lengths)-1] >= 8*t.Lengths[0]
	t.Seeds = distinct(rows, func(r eval.Row) uint64 { return r.TrainSeed })
	for _, length := range t.Lengths {
		chance := unknown
		for _, r := range rows {
			if r.Length != length || r.Score == nil {
				continue
			}
			chance = Number(r.Chance)
			if r.NotHeldOut() && !slices.Contains(t.Whole, length) {
				t.Whole = append(t.Whole, length)
			}
		}
		t.Chance = append(t.Chance, chance)
	}
	for _, r := range rows {
		if !t.Scored {
			break // lengths are tokens here, those of training are the task's
		}
		if r.TrainMax > 0 && (t.Trained[0] == 0 || r.TrainMin < t.Trained[0]) {
			t.Trained[0] = r.TrainMin
		}
		t.Trained[1] = max(t.Trained[1], r.TrainMax)
	}
	variants := s.variants(rows)
	for _, v := range variants {
		t.Series = append(t.Series, newSeries(v, t.Lengths))
	}
	t.Places = places(variants, t.Trained[1])
	return t
}

// distinct lists the different values of rows in ascending order.
func distinct[T cmp.Ordered](rows []eval.Row, value func(eval.Row) T) []T {
	var out []T
	for _, r := range rows {
		out = append(out, value(r))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// count writes a number with the word that fits it.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
