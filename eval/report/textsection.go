package report

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

// textSection is bits per byte by length of the context, with a column for each encoding.
func textSection(t *summary.Text) Section {
	heads := summary.Each(t.Series, func(s summary.TextSeries) string { return s.Name })
	table := func(title string, write func(summary.TextPoint) string) block {
		b := block{title: title, lines: [][]string{append([]string{"length"}, heads...)}}
		for i, length := range t.Lengths {
			line := []string{length.Label()}
			for _, s := range t.Series {
				switch p := s.Points[i]; {
				case p.NA:
					line = append(line, "n/a")
				case !p.Bits.Median.Known():
					line = append(line, "-")
				default:
					line = append(line, write(p))
				}
			}
			b.lines = append(b.lines, line)
		}
		return b
	}
	sliding := table(fmt.Sprintf("bits per byte of the last %d tokens of each window (sliding), "+
		"median over runs ± standard error over windows", t.Stride), func(p summary.TextPoint) string {
		return bits(p.Sliding.Median) + " ± " + bits(p.SlidingSE)
	})
	all := table("bits per byte of every token of each window (nonoverlapping), median over runs",
		func(p summary.TextPoint) string { return bits(p.Bits.Median) })
	all.notes = []string{fmt.Sprintf("%s windows of each length, of %s documents; a length is tokens of context.",
		between(t.Windows), between(t.Documents))}
	s := Section{Task: t.Task, title: t.Name + ": " + trainedAt(t.Series), blocks: []block{sliding, all}, closing: t.Answer}
	if b, ok := positionBlock(t, heads); ok {
		s.blocks = append(s.blocks, b)
	}
	return s
}

// positionBlock is bits per byte by place, in the longest windows that were measured.
func positionBlock(t *summary.Text, heads []string) (b block, ok bool) {
	if t.Longest < 0 {
		return b, false
	}
	var places []summary.PositionPoint
	for _, s := range t.Series {
		if len(places) == 0 {
			places = s.Points[t.Longest].Positions
		}
	}
	b = block{title: fmt.Sprintf("bits per byte by the tokens before, in windows of %s, median over runs", t.Lengths[t.Longest].Label()),
		lines: [][]string{append([]string{"tokens before"}, heads...)}}
	for k, place := range places {
		label := fmt.Sprint(place.To)
		if place.From < place.To {
			label = fmt.Sprintf("%d–%d", place.From, place.To)
		}
		line := []string{label}
		for _, s := range t.Series {
			cell := "n/a"
			if of := s.Points[t.Longest].Positions; k < len(of) {
				cell = bits(of[k].Bits.Median)
			}
			line = append(line, cell)
		}
		b.lines = append(b.lines, line)
	}
	return b, true
}

func bits(n summary.Number) string {
	if !n.Known() {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n))
}

// between writes a range of numbers.
func between(r [2]int) string {
	if r[0] == r[1] {
		return fmt.Sprint(r[0])
	}
	return fmt.Sprintf("%d to %d", r[0], r[1])
}

// trainedAt says of which lengths and runs series are.
func trainedAt(all []summary.TextSeries) string {
	var lengths []string
	seeds := 0
	for _, s := range all {
		text := "not trained on text"
		if s.Trained[1] > 0 {
			text = fmt.Sprintf("trained at %s tokens", between(s.Trained))
		}
		if !strings.Contains(strings.Join(lengths, "; "), text) {
			lengths = append(lengths, text)
		}
		seeds = max(seeds, len(s.Seeds))
	}
	return strings.Join(lengths, " and ") + ", " + human.Plural(seeds, "run", "runs at most") + " of an encoding"
}

// TextView is what the page shows of a corpus.
type TextView struct {
	Title  string
	Charts []pageChart
	Tables []Table
	Notes  []string
}

// TextViews lays running text out for the page.
func (s *Report) TextViews() ([]TextView, error) {
	var out []TextView
	for _, t := range s.Texts {
		section := textSection(t)
		v := TextView{Title: section.title}
		for _, b := range section.blocks {
			v.Tables = append(v.Tables, Table{Caption: b.title, Head: b.lines[0], Lines: b.lines[1:]})
			v.Notes = append(v.Notes, b.notes...)
		}
		var err error
		if v.Charts, err = pageCharts(s.textFigures(t)); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
