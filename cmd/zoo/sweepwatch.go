package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/nopezoo/zoo/train"
)

// States of a run in a sweep.
const (
	sweepWaiting  = "waiting"
	sweepRunning  = "running"
	sweepFinished = "finished"
	sweepSkipped  = "finished before"
	sweepStopped  = "stopped"
	sweepFailed   = "failed"
)

// sweepState is how far a run of a sweep is.
type sweepState struct {
	Name  string   `json:"name"`
	Dir   string   `json:"dir"`
	State string   `json:"state"`
	Step  int      `json:"step"`
	Steps int      `json:"steps"`
	Loss  *float64 `json:"loss"`
	Pace  float64  `json:"tokens_per_second"` // of the last steps; 0 unless it runs
	Left  float64  `json:"seconds_left"`      // the same
	Error string   `json:"error"`
	Slurm string   `json:"slurm,omitempty"` // its task's state there
}

// look reads the state's numbers from the run's metrics.
func (s *sweepState) look() {
	tail, err := train.TailMetrics(s.Dir)
	if err != nil || len(tail) == 0 {
		return
	}
	last := tail[len(tail)-1]
	s.Step, s.Loss, s.Pace, s.Left = last.Step, &last.Loss, 0, 0
	if s.State != sweepRunning {
		return
	}
	tokens, seconds := 0, 0.0
	for _, t := range tail {
		tokens, seconds = tokens+t.Tokens, seconds+t.Seconds
	}
	if seconds > 0 {
		s.Pace = float64(tokens) / seconds
		s.Left = seconds / float64(len(tail)) * float64(s.Steps-s.Step)
	}
}

// cells are the state's line in a table.
func (s sweepState) cells() []string {
	out := []string{s.Name, s.State, fmt.Sprintf("%d/%d", s.Step, s.Steps), "", "", ""}
	if s.Loss != nil {
		out[3] = fmt.Sprintf("loss %.4g", *s.Loss)
	}
	if s.Pace > 0 {
		out[4] = short(s.Pace) + " tokens/s"
		out[5] = duration(time.Duration(s.Left*float64(time.Second))) + " left"
	}
	if s.Error != "" {
		out[3] = s.Error
	}
	if s.Slurm != "" {
		out[1] += ", " + s.Slurm
	}
	return out
}

// sweepWatch follows a sweep: a table that is drawn again and again in a
// terminal, lines elsewhere, and lines in the sweep's log.
type sweepWatch struct {
	mu    sync.Mutex
	a     *app
	log   io.Writer
	order []string
	by    map[string]*sweepState
	live  bool
	drawn int // lines of the table on the screen
}

func newSweepWatch(a *app, log io.Writer, runs []train.SweepRun) *sweepWatch {
	w := &sweepWatch{a: a, log: log, by: map[string]*sweepState{}, live: isTerminal(a.stderr)}
	for _, r := range runs {
		s := &sweepState{Name: r.Name, Dir: filepath.ToSlash(r.Dir), State: sweepWaiting, Steps: r.Config.Train.Steps}
		s.look()
		w.order, w.by[r.Name] = append(w.order, r.Name), s
	}
	return w
}

// tell writes a line to the log, and to the user unless the table is there.
func (w *sweepWatch) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(w.log, "%s  %s\n", time.Now().Format(time.RFC3339), line)
	if !w.live {
		w.a.note("%s", line)
	}
}

func (w *sweepWatch) began(r train.SweepRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.by[r.Name].State = sweepRunning
	w.tell("%s: begins", r.Name)
}

// ended notes how a run is from now on.
func (w *sweepWatch) ended(r train.SweepRun, state, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.by[r.Name]
	s.State, s.Error = state, problem
	s.look()
	w.tell("%s", strings.Join(strings.Fields(strings.Join(s.cells(), " ")), " "))
}

// done takes a run's end from the pool.
func (w *sweepWatch) done(r train.SweepRun, err error, bound int64) {
	switch {
	case err == nil:
		w.ended(r, sweepFinished, "")
	case errors.Is(err, train.ErrMemory):
		w.ended(r, sweepFailed, fmt.Sprintf("%v: about %s of %s; lower train.micro_tokens, or say with --memory how much there is", err, bytesText(r.Cost.Memory), bytesText(bound)))
	case errors.Is(err, train.ErrInterrupted):
		w.ended(r, sweepStopped, "")
	default:
		w.ended(r, sweepFailed, err.Error())
	}
}

// watch shows the progress until stop is called.
func (w *sweepWatch) watch() (stop func()) {
	every := 30 * time.Second
	if w.live {
		every = 500 * time.Millisecond
	}
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			w.show()
			select {
			case <-tick.C:
			case <-end:
				w.erase()
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// show draws the table again, or writes a line for each run in progress.
func (w *sweepWatch) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.order {
		s := w.by[name]
		if s.State != sweepRunning {
			continue
		}
		s.look()
		if !w.live && s.Step > 0 {
			w.tell("%s", strings.Join(strings.Fields(strings.Join(s.cells(), " ")), " "))
		}
	}
	if w.live {
		w.draw()
	}
}

// draw writes the table over the one before.
func (w *sweepWatch) draw() {
	width, height := 80, 24
	if f, ok := w.a.stderr.(*os.File); ok {
		if x, y, err := term.GetSize(int(f.Fd())); err == nil && x > 0 && y > 0 {
			width, height = x, y
		}
	}
	text := sweepTable(w.list(), width-1, height-2)
	fmt.Fprintf(w.a.stderr, "%s%s", clearLines(w.drawn), text)
	w.drawn = strings.Count(text, "\n")
}

func (w *sweepWatch) erase() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn > 0 {
		fmt.Fprint(w.a.stderr, clearLines(w.drawn))
		w.drawn = 0
	}
}

// clearLines moves up n lines and clears the screen from there (ECMA-48).
func clearLines(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", n)
}

// sweepTable lays states out in at most so many columns and lines. Where they do
// not fit, runs that are in progress or failed come before those that wait, and
// finished ones last.
func sweepTable(states []sweepState, width, height int) string {
	shown := map[string]bool{}
	for _, group := range [][]string{{sweepRunning}, {sweepFailed, sweepStopped}, {sweepWaiting}, {sweepFinished, sweepSkipped}} {
		for _, s := range states {
			for _, state := range group {
				if s.State == state && len(shown) < height-1 {
					shown[s.Name] = true
				}
			}
		}
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range states {
		if shown[s.Name] {
			fmt.Fprintln(t, strings.Join(s.cells(), "\t"))
		}
	}
	t.Flush() // to memory
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		line = strings.TrimRight(line, " \n")
		if r := []rune(line); len(r) > width {
			line = string(r[:width])
		}
		out.WriteString(line + "\n")
	}
	rest := ""
	if n := len(states) - len(shown); n > 0 {
		rest = fmt.Sprintf("; %d not shown", n)
	}
	fmt.Fprintf(&out, "%s%s\n", countStates(states), rest)
	return out.String()
}

func (w *sweepWatch) list() []sweepState {
	var out []sweepState
	for _, name := range w.order {
		out = append(out, *w.by[name])
	}
	return out
}

// states returns how all runs are.
func (w *sweepWatch) states() []sweepState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list()
}

func (w *sweepWatch) failures() []sweepState {
	var out []sweepState
	for _, s := range w.states() {
		if s.State == sweepFailed {
			out = append(out, s)
		}
	}
	return out
}

func (w *sweepWatch) count() string { return countStates(w.states()) }

// countStates sums up: "3 finished, 1 failed".
func countStates(states []sweepState) string {
	var parts []string
	for _, state := range []string{sweepFinished, sweepSkipped, sweepRunning, sweepStopped, sweepWaiting, sweepFailed} {
		n := 0
		for _, s := range states {
			if s.State == state {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}

// sweepResults writes how every run is.
func (a *app) sweepResults(states []sweepState, asJSON bool) error {
	if asJSON {
		return a.json(states)
	}
	var lines [][]string
	for _, s := range states {
		lines = append(lines, s.cells())
	}
	return a.table(lines)
}
