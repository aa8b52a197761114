package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

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

// sweepWatch follows a sweep: a table that is drawn again and again in a
// terminal, lines elsewhere, and lines in the sweep's log.
type sweepWatch struct {
	mu    sync.Mutex
	a     *app
	log   io.Writer
	order []string
	by    map[string]*sweepState
	live  *screen // nil outside a terminal

	logFailed bool // and that was said
}

func newSweepWatch(a *app, log io.Writer, runs []train.SweepRun) *sweepWatch {
	w := &sweepWatch{a: a, log: log, by: map[string]*sweepState{}}
	if isTerminal(a.stderr) {
		w.live = &screen{w: rawWriter(a.stderr)}
	}
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
	_, err := fmt.Fprintf(w.log, "%s  %s\n", time.Now().Format(time.RFC3339), line)
	if err != nil && !w.logFailed {
		w.logFailed = true
		w.note("the sweep's log: %v", withRemedy(err))
	}
	if w.live == nil {
		w.note("%s", line)
	}
}

// note tells the user something that stays; a table there is drawn again below it.
func (w *sweepWatch) note(format string, args ...any) {
	if w.live != nil {
		w.live.erase()
	}
	w.a.note(format, args...)
}

// warn tells the user at once what is wrong with a run that goes on.
func (w *sweepWatch) warn(r train.SweepRun, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell("%s: %s", r.Name, text)
	if w.live != nil {
		w.note("%s: %s", r.Name, text)
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

// watch shows the progress until stop is called. At the end of ctx runs save.
func (w *sweepWatch) watch(ctx context.Context) (stop func()) {
	every := 30 * time.Second
	if w.live != nil {
		every = 500 * time.Millisecond
	}
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			w.show(ctx.Err() != nil)
			select {
			case <-tick.C:
			case <-end:
				if w.live != nil {
					w.live.erase()
				}
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// show draws the table again, or writes a line for each run in progress.
func (w *sweepWatch) show(saving bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.order {
		s := w.by[name]
		if s.State != sweepRunning {
			continue
		}
		s.look()
		if w.live == nil && s.Step > 0 {
			w.tell("%s", strings.Join(strings.Fields(strings.Join(s.cells(), " ")), " "))
		}
	}
	if w.live != nil {
		width, height := w.live.size()
		w.live.draw(sweepTable(w.list(), saving, width-1, height-2), width)
	}
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
