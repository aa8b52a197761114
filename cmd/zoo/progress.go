package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/nopezoo/zoo/internal/human"
)

// meter shows how far a long piece of work is: a bar in a terminal, and a line
// now and then in a log file.
type meter struct {
	w           io.Writer
	label       string
	total       int64
	first       int64 // done before this program started
	done        int64
	begun, last time.Time
	shown       int64 // done at the last line
	bar         *progressbar.ProgressBar
}

// A line is due at every twentieth of the work, and at the latest after a while;
// quick work is not worth a line for each twentieth.
const (
	lineShare   = 20
	lineSoonest = time.Second
	lineLatest  = 10 * time.Second
)

// newMeter starts measuring work of total units, of which done are done. A total
// below 1 is unknown.
func (a *app) newMeter(label string, done, total int64) *meter {
	now := time.Now()
	m := &meter{w: a.stderr, label: label, total: total, first: done, done: done, begun: now, last: now, shown: done}
	if isTerminal(a.stderr) {
		m.bar = progressbar.NewOptions64(max(total, -1),
			progressbar.OptionSetWriter(rawWriter(a.stderr)),
			progressbar.OptionSetDescription(label),
			progressbar.OptionSetWidth(10),
			progressbar.OptionThrottle(100*time.Millisecond),
			// the note carries an estimate that knows what was done before
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionShowDescriptionAtLineEnd(),
			progressbar.OptionClearOnFinish(),
		)
		_ = m.bar.Set64(done)
	}
	return m
}

// due reports whether update would show something now; preparing a note for
// every call could cost more than the work.
func (m *meter) due() bool {
	since := time.Since(m.last)
	if m.bar != nil {
		return since >= 100*time.Millisecond
	}
	return since >= lineLatest || since >= lineSoonest && m.total > 0 && m.done-m.shown >= m.total/lineShare
}

// update tells what is done by now, and notes what else there is to say.
func (m *meter) update(done int64, note func() string) {
	m.done = done
	if !m.due() {
		return
	}
	text := m.label
	if note != nil {
		text += "  " + note()
	}
	if left := m.eta(); left != "" {
		text += "  " + left + " left"
	}
	m.last, m.shown = time.Now(), done
	if m.bar != nil {
		line, _ := visible([]byte(text))
		m.bar.Describe(string(line))
		_ = m.bar.Set64(done)
		return
	}
	share := ""
	if m.total > 0 {
		share = fmt.Sprintf("%3d %%  ", 100*done/m.total)
	}
	fmt.Fprintf(m.w, "%s%s\n", share, text)
}

// eta estimates the time left from the pace so far.
func (m *meter) eta() string {
	if m.total < 1 || m.done <= m.first {
		return ""
	}
	pace := time.Since(m.begun).Seconds() / float64(m.done-m.first)
	return duration(time.Duration(pace * float64(m.total-m.done) * float64(time.Second)))
}

// close takes the bar away.
func (m *meter) close() {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
}

// isTerminal reports whether a person is at the other end of a stream.
func isTerminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = rawWriter(w)
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Times, counts and sizes as people read them.
var (
	duration  = human.Duration
	short     = human.Count
	bytesText = human.Bytes
)
