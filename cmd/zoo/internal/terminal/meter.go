package terminal

import (
	"fmt"
	"io"
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
	screen *Screen // of the bar; nil in a log file
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
		screen: s.Screen()}
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
	text := m.label + "  " + note()
	if left := m.eta(); left != "" {
		text += "  " + left + " left"
	}
	m.last, m.shown = time.Now(), done
	if m.IsBar() {
		m.draw(text)
		return
	}
	share := ""
	if m.Total > 0 {
		share = fmt.Sprintf("%3d %%  ", 100*done/m.Total)
	}
	fmt.Fprintf(m.w, "%s%s\n", share, text)
}

// draw shows the share done, as a bar and a number, before a text.
func (m *Meter) draw(text string) {
	if m.Total > 0 {
		const cells = 10
		done := min(m.Done, m.Total)
		full := int(cells * done / m.Total)
		text = fmt.Sprintf("%3d %% %s%s  %s", 100*done/m.Total, strings.Repeat("█", full), strings.Repeat("░", cells-full), text)
	}
	width, _ := m.screen.Size()
	m.screen.Draw([]string{text}, width)
}

// eta estimates the time left from the pace so far.
func (m *Meter) eta() string {
	if m.Total < 1 || m.Done <= m.first {
		return ""
	}
	pace := time.Since(m.Begun).Seconds() / float64(m.Done-m.first)
	return human.Seconds(pace * float64(m.Total-m.Done))
}

// Close takes the bar away; the next Update shows it again.
func (m *Meter) Close() {
	if m.IsBar() {
		m.screen.Erase()
	}
}
