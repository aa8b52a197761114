package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/sweep"
)

// reportSweep writes what happens in a sweep, in lines.
func (a *app) reportSweep(e sweep.Event) {
	switch {
	case e.Err != nil:
		a.note("%v", withRemedy(e.Err))
	case e.Text != "":
		a.note("%s", e.Text)
	default:
		for _, s := range e.Runs {
			if s.State == sweep.Running && s.Step > 0 {
				a.note("%s", s)
			}
		}
	}
}

// drawSweep draws the table of a sweep again as time passes, below what is wrong.
func (a *app) drawSweep(live *screen, e sweep.Event, saving bool) {
	if e.Text != "" {
		return // the next drawing has it
	}
	if e.Err != nil {
		live.erase()
		a.note("%v", withRemedy(e.Err))
	}
	width, height := live.size()
	live.draw(sweepTable(e.Runs, saving, width-1, height-2), width)
}

// sweepTable lays runs out in at most so many columns and lines. Where they do not fit,
// only the foremost are shown, names go without what all of them say, and then lines
// are cut.
func sweepTable(all []sweep.Status, saving bool, width, height int) []string {
	shown := sweep.Foremost(all, height-1)
	lines := sweepLines(shown)
	for i, s := range shown {
		if s.Error == "" && utf8.RuneCountInString(lines[i]) > width {
			lines = sweepLines(sweep.Foremost(sweep.ShortNames(all), height-1))
			break
		}
	}
	sum := sweep.Count(all)
	if n := len(all) - len(shown); n > 0 {
		sum += fmt.Sprintf("; %d not shown", n)
	}
	if saving {
		sum = "saving; " + sum
	}
	return each(append(lines, sum), func(line string) string { return cut(line, width) })
}

func sweepLines(all []sweep.Status) []string {
	return strings.FieldsFunc(aligned(each(all, sweep.Status.Cells)), func(r rune) bool { return r == '\n' })
}

// cut makes a line printable and at most n characters long.
func cut(line string, n int) string {
	text, _ := visible([]byte(line))
	r := []rune(string(text))
	if len(r) > n {
		r = append(r[:max(n-1, 0)], '…')
	}
	return string(r)
}
