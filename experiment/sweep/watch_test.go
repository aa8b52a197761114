package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/train/journal"
)

// Runs in progress are read anew with each tick and no others; the log notes them where it is due, as
// far as they have made a step.
func TestProgress(t *testing.T) {
	folder := t.TempDir()
	var runs []Run
	for i, name := range []string{"begun", "running", "stopped"} {
		r := Run{Name: name, Dir: filepath.Join(folder, name), Config: config(t, 9)}
		if err := os.Mkdir(r.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
		if i == 0 {
			continue
		}
		line := `{"step":2,"loss":1.5,"tokens":10,"seconds":1}` + "\n"
		if err := os.WriteFile(filepath.Join(r.Dir, journal.MetricsFile), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	sent := 0
	w := newWatch(runs, &log, func(e Event) { sent++ })
	for i, state := range []string{Running, Running, Stopped} {
		w.all[i].State, w.all[i].Step = state, 0
	}
	w.progress()
	if log.String() != "" || sent != 1 {
		t.Errorf("before it is due: log %q, %d events", &log, sent)
	}
	if w.all[0].Step != 0 || w.all[1].Step != 2 || w.all[2].Step != 0 {
		t.Errorf("steps of what begins, runs and has stopped: %d, %d, %d; want 0, 2, 0", w.all[0].Step, w.all[1].Step, w.all[2].Step)
	}
	w.noted = time.Now().Add(-progressEvery)
	w.progress()
	if _, noted, _ := strings.Cut(log.String(), "  "); noted != fmt.Sprintln("running running 2/9 loss 1.5 10 tokens/s 7s left") {
		t.Errorf("the log notes %q", &log)
	}
	if w.progress(); strings.Count(log.String(), "\n") != 1 {
		t.Errorf("noted again at once: %q", &log)
	}
}

// failing is a log that cannot be written.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A log that cannot be written is reported once; the sweep goes on.
func TestLogFails(t *testing.T) {
	var events []Event
	w := newWatch(nil, failing{}, func(e Event) { events = append(events, e) })
	w.note("one")
	w.note("two")
	if len(events) != 1 || events[0].Err == nil || !strings.Contains(events[0].Err.Error(), "disk full") {
		t.Errorf("%+v", events)
	}
}

// The end of a run reads its last step and whether it fitted; nothing has read them before where the run was short.
func TestEnded(t *testing.T) {
	r := Run{Name: "x", Dir: filepath.Join(t.TempDir(), "x"), Config: config(t, 4)}
	w := newWatch([]Run{r}, &strings.Builder{}, nil)
	if err := prepare([]Run{r}, 1, 0); err != nil {
		t.Fatal(err)
	}
	lines := `{"step":2,"loss":1.5,"tokens":10,"seconds":1}` + "\n" + `{"step":2,"eval":{"sequence_accuracy":1}}` + "\n"
	for name, text := range map[string]string{journal.MetricsFile: lines, "checkpoint-00000002.safetensors": ""} {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.ended(r, Stopped, "")
	if s := w.all[0]; s.State != Stopped || s.Step != 2 || s.FittedStep == nil || *s.FittedStep != 2 {
		t.Errorf("%+v", s)
	}
}
