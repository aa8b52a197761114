//go:build unix

package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// player is a shell that plays the program that trains: the directory is $0.
func player(script string) []string { return []string{"sh", "-c", script} }

// TestTrain checks what a sweep reports, notes and returns, with a program that only says
// how it trains. Those that train are in the scripts of cmd/zoo.
func TestTrain(t *testing.T) {
	folder := t.TempDir()
	var runs []Run
	for _, name := range []string{"a", "b"} {
		runs = append(runs, Run{Name: name, Dir: filepath.Join(folder, name), Config: config(t, 4)})
	}
	runs = append(runs, Run{Name: "c", Dir: filepath.Join(folder, "c"), Config: config(t, 4),
		Cost: train.Cost{Memory: 2 << 20}})
	for i, threads := range []int{5, 7, 5} { // what runs say counts, not the number of cores
		runs[i].Config.Train.Threads = threads
	}
	var told, warned, done []string
	all, err := Train(t.Context(), folder, runs, Training{
		Memory: 1 << 20,
		Command: player(`case $0 in */a) exit 0;; esac; echo "x: ` + NotSaved +
			`full"; echo "zoo: $0: no luck"; exit 1`),
		Done: func(r Run) { done = append(done, r.Name) },
		Report: func(e Event) {
			switch {
			case e.Err != nil:
				warned = append(warned, e.Err.Error())
			case e.Text != "" && len(e.Runs) == 3:
				told = append(told, e.Text)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const large = "needs more memory than there is: about 2.00 MiB of 1.00 MiB; lower train.micro_tokens, or say " +
		"with --memory how much there is"
	want := []string{"c failed 0/4 " + large, "a: begins", "a finished 0/4", "b: begins", "b failed 0/4 no luck"}
	if want := "3 runs, 1 at a time, with train.threads 5 or 7, in " + folder; told[0] != want {
		t.Errorf("told %q, want %q", told[0], want)
	}
	if diff := cmp.Diff(want, told[1:]); diff != "" {
		t.Errorf("told (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b: not saved, to be tried again: full"}, warned); diff != "" {
		t.Errorf("warned (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a"}, done); diff != "" {
		t.Errorf("finished (-want +got)\n%s", diff)
	}
	var ends []string
	for _, s := range all {
		ends = append(ends, s.String())
	}
	if diff := cmp.Diff([]string{"a finished 0/4", "b failed 0/4 no luck", "c failed 0/4 " + large}, ends); diff != "" {
		t.Errorf("statuses (-want +got)\n%s", diff)
	}
	log, err := os.ReadFile(filepath.Join(folder, "sweep.log"))
	if err != nil || strings.Count(string(log), "\n") != 1+len(want)+1 {
		t.Errorf("sweep.log: %v\n%s", err, log)
	}
	looked, job, unasked, err := Look(t.Context(), folder, runs)
	if err != nil || job != nil || unasked != nil || looked[1].String() != "b failed 0/4 no luck" {
		t.Errorf("looked at: %v, job %v, %v, %v", looked, job, unasked, err)
	}
}

// TestTrainOnDevices: each of two devices that are played here is shown to what trains on it. What they lack is said first, and a
// run that runs out of memory has another try with a device for itself.
func TestTrainOnDevices(t *testing.T) {
	folder := t.TempDir()
	var runs []Run
	for _, name := range []string{"a", "b", "c", "d"} {
		runs = append(runs, Run{Name: name, Dir: filepath.Join(folder, name), Config: config(t, 4), Cost: train.Cost{Memory: 3 << 20}})
	}
	runs[3].Memory = 9 << 20
	var told []string
	all, err := Train(t.Context(), folder, runs, Training{
		Workers: 2,
		Devices: []placement.Device{
			{Name: "x:0", Environ: []string{"CUDA_VISIBLE_DEVICES=5"}, Free: 8 << 20},
			{Name: "x:1", Environ: []string{"CUDA_VISIBLE_DEVICES=7"}, Free: 8 << 20},
		},
		Command: player(`echo "on $CUDA_VISIBLE_DEVICES"; case $0 in */b) [ -e $0/again ] || { touch $0/again; sleep 0.1
			echo "zoo: $0: CUDA failure 2: out of memory"; exit 1; };; esac`),
		Report: func(e Event) {
			if e.Text != "" {
				told = append(told, e.Text)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"4 runs, 2 at a time on each of 2 devices, with train.threads 1, in " + folder, "x:0: 8.00 MiB are free", "x:1: 8.00 MiB are free",
		"d may take 9.00 MiB, more than any device has free: it gets one for itself"}
	if diff := cmp.Diff(want, told[:4]); diff != "" {
		t.Errorf("told before anything starts (-want +got)\n%s", diff)
	}
	rest := strings.Join(told[4:], "\n")
	for _, line := range []string{"a: begins on x:0", "b: begins on x:1", "b: to be tried again alone: CUDA failure 2: out of memory"} {
		if !strings.Contains(rest, line) {
			t.Errorf("not told of %q:\n%s", line, rest)
		}
	}
	seen := map[string]bool{}
	for i, r := range runs {
		if all[i].State != Finished {
			t.Errorf("%s has %s: %s", r.Name, all[i].State, all[i].Error)
		}
		log, err := os.ReadFile(filepath.Join(r.Dir, logFile))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(log)) {
			seen[strings.TrimSpace(line)] = true
		}
	}
	if !seen["on 5"] || !seen["on 7"] || seen["on "] {
		t.Errorf("runs saw %v", seen)
	}
}

// TestTrainLanes: a run that fits with one lane only is trained with that, and it is said.
func TestTrainLanes(t *testing.T) {
	folder := t.TempDir()
	r := Run{Name: "a", Dir: filepath.Join(folder, "a"), Config: config(t, 4)}
	r.Config.Train.MicroTokens, r.Config.Train.Batch, r.Config.Train.Threads = 4096, 4096, 2
	var err error
	if r.Cost, err = train.EstimateCost(r.Config); err != nil {
		t.Fatal(err)
	}
	said := ""
	all, err := Train(t.Context(), folder, []Run{r}, Training{Command: player("exit"), Memory: r.Memory - 1,
		Report: func(e Event) { said += e.Text + "\n" }})
	if err != nil || len(all) != 1 || strings.Contains(all[0].Error, ErrMemory.Error()) || !strings.Contains(said, "a: "+train.OneLane) {
		t.Errorf("%v, %v; said:\n%s", all, err, said)
	}
	if was, err := runfile.ReadConfig(r.Dir); err != nil || was.Train.Lanes != 1 {
		t.Errorf("%d lanes are stored (%v), want 1", was.Train.Lanes, err)
	}
}

// TestTrainStops: at the end of the context a run is asked to save, and none begins.
func TestTrainStops(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var runs []Run
	for _, name := range []string{"a", "b"} {
		runs = append(runs, Run{Name: name, Dir: filepath.Join(folder, name), Config: config(t, 4)})
	}
	all, err := Train(ctx, folder, runs, Training{
		Command: player(`trap 'echo "zoo: training interrupted at step 1"; exit 130' TERM; echo "x: ` + NotSaved +
			`now"; while :; do sleep 0.02; done`),
		Report: func(e Event) {
			if e.Err == nil {
				return
			}
			if _, again := Train(t.Context(), folder, runs, Training{Command: player("exit")}); again == nil ||
				!strings.Contains(again.Error(), "another zoo sweep is at work there") {
				t.Errorf("two at a time: %v", again)
			}
			cancel() // it has its trap
		},
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	if got, _, _ := Sum(all); got != "1 stopped, 1 waiting" {
		t.Errorf("ended with %s", got)
	}
}

// TestTrainEndsUnsaved: a run that the interruption ends before it has saved is not called
// stopped, which says that it has.
func TestTrainEndsUnsaved(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs := []Run{{Name: "a", Dir: filepath.Join(folder, "a"), Config: config(t, 4)}}
	all, err := Train(ctx, folder, runs, Training{
		Command: player(`echo "x: ` + NotSaved + `now"; while :; do sleep 0.02; done`), // a signal ends it
		Report: func(e Event) {
			if e.Err != nil {
				cancel()
			}
		},
	})
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	if all[0].State != Failed || !strings.Contains(all[0].Error, "before it was saved") {
		t.Errorf("ended as %q, %q", all[0].State, all[0].Error)
	}
}

// TestTrainRefuses: what cannot be trained is refused before anything is written.
func TestTrainRefuses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "sweep")
	var none context.Context
	for _, err := range []error{
		func() error { _, err := Train(none, folder, nil, Training{Command: player("exit")}); return err }(),
		func() error { _, err := Train(t.Context(), folder, nil, Training{}); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "needs a context, and the command") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a folder was made")
	}
	r := Run{Name: "a", Dir: filepath.Join(folder, "a"), Config: config(t, 4)}
	if _, err := train.Prepare(r.Dir, config(t, 5), 1, 0, true); err != nil {
		t.Fatal(err)
	}
	var of *runfile.RunError
	if _, err := Train(t.Context(), folder, []Run{r}, Training{Command: player("exit")}); !errors.As(err, &of) ||
		of.Dir != r.Dir || !errors.Is(err, train.ErrOtherRun) {
		t.Errorf("another run is there: %v", err)
	}
}

// TestTrainReady: what is not ready keeps every run from beginning.
func TestTrainReady(t *testing.T) {
	folder := t.TempDir()
	runs := []Run{{Name: "a", Dir: filepath.Join(folder, "a"), Config: config(t, 4)}}
	want := errors.New("no library")
	_, err := Train(t.Context(), folder, runs, Training{
		Command: player("exit"),
		Ready:   func(context.Context) error { return want },
		Report:  func(e Event) { t.Errorf("reported %q", e.Text) },
	})
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "a", logFile)); err == nil {
		t.Error("the run began")
	}
}
