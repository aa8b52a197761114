package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nopezoo/zoo/internal/human"
)

// Meter shows the progress of long work: a bar in a terminal, a line now and then in a
// log file.
type Meter struct {
	Total, Done int64     // below 1 a total is unknown
	Begun       time.Time // of the meter, not of earlier work

	w      io.Writer
	label  string
	first  int64 // done before this program started
	last   time.Time
	shown  int64   // done at the last line
	marks  []mark  // of the beginning and of earlier updates, for the pace
	screen *Screen // of the bar; nil in a log file
}

// mark is what was done at a time.
type mark struct {
	at   time.Time
	done int64
}

// A line is due at every twentieth of the work, and at the latest after a while;
// quick work is not worth a line for each twentieth.
const (
	lineShare   = 20
	lineSoonest = time.Second
	lineLatest  = 10 * time.Second
	barSoonest  = 100 * time.Millisecond
)

// Meter starts measuring work of total units, some of them done. A total below 1 is
// unknown.
func (s Streams) Meter(label string, done, total int64) *Meter {
	now := time.Now()
	m := &Meter{w: s.Err, label: label, Total: total, first: done, Done: done, Begun: now, last: now, shown: done,
		marks: []mark{{now, done}}, screen: s.Screen()}
	if m.IsBar() {
		m.draw(label)
	}
	return m
}

// IsBar reports whether a bar is shown: it has less room than a line, and shows the share done.
func (m *Meter) IsBar() bool { return m.screen != nil }

// due reports whether Update shows anything now: a note for every call could cost more than
// the work.
func (m *Meter) due() bool {
	since := time.Since(m.last)
	if m.IsBar() {
		return since >= barSoonest
	}
	return since >= lineLatest || since >= lineSoonest && m.Total > 0 && m.Done-m.shown >= m.Total/lineShare
}

// Update sets the units done, and shows a note.
func (m *Meter) Update(done int64, note func() string) {
	m.Done = done
	if !m.due() {
		return
	}
	m.last, m.shown = time.Now(), done
	left := m.left(m.last)
	if m.IsBar() {
		m.draw(m.label, left, note()) // what is cut is the note's end
		return
	}
	text := joined(m.label, note(), left)
	share := ""
	if m.Total > 0 {
		share = fmt.Sprintf("%3d %%  ", 100*done/m.Total)
	}
	fmt.Fprintf(m.w, "%s%s\n", share, text)
}

// joined puts gaps between texts, of which some may be empty.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "  ")
}

// draw shows the share done, as a bar and a number, before texts.
func (m *Meter) draw(texts ...string) {
	bar := ""
	if m.Total > 0 {
		const cells = 10
		done := min(m.Done, m.Total)
		full := int(cells * done / m.Total)
		bar = fmt.Sprintf("%3d %% %s%s", 100*done/m.Total, strings.Repeat("█", full), strings.Repeat("░", cells-full))
	}
	width, _ := m.screen.Size()
	m.screen.Draw([]string{joined(append([]string{bar}, texts...)...)}, width)
}

// The time left is not told before there is a pace to tell it by.
const (
	paceShare   = 200 // of the work: one part of so many
	paceSoonest = 2 * time.Second
)

// left estimates the time left, from the pace since about half of the time until now: a slow start is forgotten.
func (m *Meter) left(now time.Time) string {
	if m.Total < 1 {
		return ""
	}
	elapsed := now.Sub(m.Begun)
	if n := len(m.marks); now.Sub(m.marks[n-1].at) > elapsed/50 { // a bounded number of marks
		m.marks = append(m.marks, mark{now, m.Done})
	}
	for len(m.marks) > 1 && now.Sub(m.marks[1].at) >= elapsed/2 {
		m.marks = m.marks[1:]
	}
	from := m.marks[0]
	if elapsed < paceSoonest || (m.Done-m.first)*paceShare < m.Total || m.Done <= from.done {
		return ""
	}
	pace := now.Sub(from.at).Seconds() / float64(m.Done-from.done)
	return human.Seconds(pace*float64(max(m.Total-m.Done, 0))) + " left"
}

// Close takes the bar away; the next Update shows it again.
func (m *Meter) Close() {
	if m.IsBar() {
		m.screen.Erase()
	}
}
