package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/experiment/study"
	"github.com/nopezoo/zoo/experiment/sweep"
)

func TestStudySum(t *testing.T) {
	measured := func(fitted *int) sweep.Status { return sweep.Status{State: study.Measured, FittedStep: fitted} }
	failed, waiting := sweep.Status{State: sweep.Failed}, sweep.Status{State: sweep.Waiting}
	for _, tc := range []struct {
		all  []sweep.Status
		want string
	}{
		{[]sweep.Status{measured(new(0)), failed, measured(nil), waiting}, "4 runs: 2 measured (0 of 1 fitted), 1 failed, 1 missing"},
		{[]sweep.Status{measured(new(0)), failed, measured(new(3)), waiting}, "4 runs: 2 measured (1 of 2 fitted), 1 failed, 1 missing"},
		{[]sweep.Status{failed}, "1 run: 0 measured, 1 failed"},
	} {
		if got := studySum(tc.all); got != tc.want {
			t.Errorf("sum %q, want %q", got, tc.want)
		}
	}
}

// The progress of runs is a line of text each where there is no terminal.
func TestReportSweep(t *testing.T) {
	var notes strings.Builder
	a := &app{Streams: terminal.Streams{Err: &notes}}
	a.reportSweep(sweep.Event{Runs: []sweep.Status{
		{Name: "copy-rope-tiny-s1", Dir: "runs/demo/copy-rope-tiny-s1", State: sweep.Running, Step: 3, Steps: 8, Loss: new(0.5), Pace: 120, Left: 4},
		{Name: "copy-nope-tiny-s1", State: sweep.Waiting, Steps: 8},
	}})
	if want := "copy-rope-tiny-s1 running 3/8 loss 0.5 120 tokens/s 4s left\n"; notes.String() != want {
		t.Errorf("%q, want %q", &notes, want)
	}
}

// TestPlanSum: runs that take a time at least are not among those of which it is not known.
func TestPlanSum(t *testing.T) {
	seconds, err := 60.0, errors.New("too slow")
	planned := []sweep.Planned{{Measured: true}, {Seconds: &seconds}, {Err: err, Least: 120}, {Err: err}}
	if got, want := planSum(planned, 3*time.Minute, 1),
		"4 runs, 1 of them measured before: at least about 3 min with 1 worker; of 1 the time is not known"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := planSum(planned[1:3], 3*time.Minute, 2), "2 runs: at least about 3 min with 2 workers"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
