package summary

import (
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// Table is numbers for people and programs, which Write and pages write as they are.
type Table struct {
	Title string
	Head  []string
	Lines [][]Cell // a cell for each head; an empty line parts the lines above it from those below
	Notes []string // below it
}

// Cell is one entry of a table.
type Cell struct {
	Text  string  // as people read it
	Mark  string  // behind the text: "*" for a length seen in training, "†" for a model that did not fit
	Value *Spread // the number, its interval or quartiles and each run's; nil for words
	N     int     // different prompts behind the number, or measurements; 0 for not counted
	Words bool    // flush left
	Shape int     // 1 + the index of the encoding whose shape stands before the text; 0 for none
}

// Section is a part of the results: a heading, tables and their summary.
type Section struct {
	Task    string // that it is about, "" for several or none
	Title   string
	Tables  []Table
	Summary string // a sentence, or ""
}

// add adds a line.
func (t *Table) add(cells ...Cell) { t.Lines = append(t.Lines, cells) }

// grid has a line for each name and a column for each head.
func grid(title, corner string, names, heads []string, cell func(line, column int) Cell) Table {
	out := Table{Title: title, Head: append([]string{corner}, heads...)}
	for i, name := range names {
		line := words(name)
		for k := range heads {
			line = append(line, cell(i, k))
		}
		out.add(line...)
	}
	return out
}

// words are cells of text; the first names its line.
func words(texts ...string) []Cell {
	return lists.Map(texts, func(text string) Cell { return Cell{Text: text, Words: true} })
}

// figures are cells of numbers that are written already.
func figures(texts ...string) []Cell {
	return lists.Map(texts, func(text string) Cell { return Cell{Text: text} })
}

// percentCell, shortCell and bitsCell hold a ratio, a cost, and bits per byte.
func percentCell(s Spread) Cell { return Cell{Text: s.text(Number.percent), Value: &s} }
func shortCell(s Spread) Cell   { return Cell{Text: s.text(Number.short), Value: &s} }
func bitsCell(s Spread) Cell    { return Cell{Text: s.Median.rank(), Value: &s} }

// numberCell is a number without an interval.
func numberCell(n Number, write func(Number) string) Cell {
	return Cell{Text: write(n), Value: new(single(n))}
}

// texts are the head and the lines with their marks; pad stands where a cell lacks the mark that others of its column have.
func (t Table) texts(pad string) [][]string {
	marked := make([]bool, len(t.Head))
	for _, line := range t.Lines {
		for i, c := range line {
			marked[i] = marked[i] || c.Mark != ""
		}
	}
	return lists.Map(append([][]Cell{figures(t.Head...)}, t.Lines...), func(line []Cell) []string {
		texts := make([]string, len(t.Head))
		for i, c := range line {
			if texts[i] = c.Text + c.Mark; marked[i] && c.Mark == "" && strings.TrimSpace(c.Text) != "" {
				texts[i] += pad
			}
		}
		return texts
	})
}
