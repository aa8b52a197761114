package sweep

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train"
)

// Event is something that happened in a sweep. One without Text and Err means that time
// has passed: how far the runs in progress are is read anew.
type Event struct {
	Runs []Status // how all runs are now, in the order of the sweep; copy what is kept after Report
	Text string   // what happened, in one line, as sweep.log has it
	// Err is what is wrong with a run that goes on, or with sweep.log. It wraps the
	// system's error where there is one.
	Err error
}

// progressEvery is how often sweep.log notes how far runs are.
const progressEvery = 30 * time.Second

// watch follows a sweep: it keeps how all runs are, notes what happens in the sweep's
// log, and reports it.
type watch struct {
	mu     sync.Mutex
	log    io.Writer
	report func(Event)
	all    []Status
	at     map[string]int // of a run in all, by its name
	noted  time.Time      // when the log was told last how far runs are

	logFailed bool // and that was reported
}

func newWatch(runs []Run, log io.Writer, report func(Event)) *watch {
	w := &watch{log: log, report: report, at: map[string]int{}, noted: time.Now()}
	for _, r := range runs {
		s := newStatus(r)
		s.look()
		w.at[r.Name] = len(w.all)
		w.all = append(w.all, s)
	}
	return w
}

// note writes a line to the log.
func (w *watch) note(text string) {
	_, err := fmt.Fprintf(w.log, "%s  %s\n", time.Now().Format(time.RFC3339), text)
	if err != nil && !w.logFailed {
		w.logFailed = true
		w.send(Event{Err: fmt.Errorf("the sweep's log: %w", err)})
	}
}

func (w *watch) send(e Event) {
	if w.report != nil {
		e.Runs = w.all
		w.report(e)
	}
}

// tell notes and reports what happened.
func (w *watch) tell(text string) {
	w.note(text)
	w.send(Event{Text: text})
}

// change tells of a run after fill has written down how it is.
func (w *watch) change(r Run, fill func(*Status) (text string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell(fill(&w.all[w.at[r.Name]]))
}

// began notes that a run is at work, on a device where that is not "".
func (w *watch) began(r Run, device string) {
	w.change(r, func(s *Status) string {
		s.State = Running
		if device != "" {
			device = " on " + device
		}
		return r.Name + ": begins" + device
	})
}

// again notes that a run ran out of memory, and waits for a place of its own.
func (w *watch) again(r Run, err error) {
	w.change(r, func(s *Status) string {
		s.State = Waiting
		return fmt.Sprintf("%s: to be tried again alone: %s", r.Name, human.Error(err))
	})
}

// ended notes how a run is from now on.
func (w *watch) ended(r Run, state, problem string) {
	w.change(r, func(s *Status) string {
		s.State, s.Error = state, problem
		s.look()
		s.lookFit()
		return s.String()
	})
}

// warn tells at once what is wrong with a run that goes on.
func (w *watch) warn(r Run, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = fmt.Errorf("%s: %w", r.Name, err)
	w.note(human.Error(err))
	w.send(Event{Err: err})
}

// done takes a run's end from the pool.
func (w *watch) done(r Run, err error, bound int64) {
	switch {
	case err == nil:
		w.ended(r, Finished, "")
	case errors.Is(err, ErrMemory):
		w.ended(r, Failed, fmt.Sprintf("%v: about %s of %s; lower train.micro_tokens, "+
			"or say with --memory how much there is", err, human.Bytes(r.Memory), human.Bytes(bound)))
	case errors.Is(err, train.ErrInterrupted):
		w.ended(r, Stopped, "")
	default:
		w.ended(r, Failed, human.Error(err))
	}
}

// follow reads how far the runs in progress are, again and again, until stop is called.
func (w *watch) follow(every time.Duration) (stop func()) {
	if every <= 0 {
		every = progressEvery
	}
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			w.progress()
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

func (w *watch) progress() {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := time.Since(w.noted) >= progressEvery
	if due {
		w.noted = w.noted.Add(progressEvery) // not now: a tick may come a little early
	}
	for i := range w.all {
		s := &w.all[i]
		if s.State != Running {
			continue
		}
		s.look()
		if due && s.Step > 0 {
			w.note(s.String())
		}
	}
	w.send(Event{})
}
