package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/sweep"
)

func TestSweepTable(t *testing.T) {
	waits := func(name string) sweep.Status { return sweep.Status{Name: name, State: sweep.Waiting, Steps: 9} }
	runs := func(name string) sweep.Status {
		return sweep.Status{Name: name, State: sweep.Running, Step: 3, Steps: 9, Loss: new(1.25), Pace: 1000, Left: 6}
	}
	failed := sweep.Status{Name: "copy-t5-tiny-s1", State: sweep.Failed, Steps: 9, Error: "train: no such\nfile \x1b[2J of the many that are there"}
	for _, test := range []struct {
		name          string
		states        []sweep.Status
		saving        bool
		width, height int
		want          []string
	}{
		{"room for everything", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1")}, false, 79, 22, []string{
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"copy-nope-tiny-s1  waiting  0/9",
			"1 running, 1 waiting",
		}},
		{"exactly as wide", []sweep.Status{runs("copy-rope-tiny-s1")}, true, 64, 22, []string{
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"saving; 1 running",
		}},
		{"names without what all say", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1")}, false, 63, 22, []string{
			"rope  running  3/9  loss 1.25  1k tokens/s  6s left",
			"nope  waiting  0/9",
			"1 running, 1 waiting",
		}},
		{"lines cut", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s2")}, false, 40, 22, []string{
			"rope-s1  running  3/9  loss 1.25  1k to…",
			"nope-s2  waiting  0/9",
			"1 running, 1 waiting",
		}},
		{"narrower than a line can be", []sweep.Status{runs("copy-rope-tiny-s1")}, false, 10, 22, []string{"copy-rope…", "1 running"}},
		{"an error takes what room there is", []sweep.Status{failed, runs("copy-rope-tiny-s1")}, false, 79, 22, []string{
			"copy-t5-tiny-s1    failed   0/9  train: no such file \\u001b[2J of the many tha…",
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"1 running, 1 failed",
		}},
		{"more runs than lines", []sweep.Status{
			{Name: "a", State: sweep.Finished, Step: 9, Steps: 9}, waits("b"), runs("c"), {Name: "d", State: sweep.Stopped, Steps: 9}, waits("e"), runs("f"),
		}, false, 79, 5, []string{
			"b  waiting  0/9",
			"c  running  3/9  loss 1.25  1k tokens/s  6s left",
			"d  stopped  0/9",
			"f  running  3/9  loss 1.25  1k tokens/s  6s left",
			"1 finished, 2 running, 1 stopped, 2 waiting; 2 not shown",
		}},
		{"names without what all say, shown or not", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1"), waits("copy-nope-tiny-s2")}, false, 40, 3, []string{
			"rope-s1  running  3/9  loss 1.25  1k to…",
			"nope-s1  waiting  0/9",
			"1 running, 2 waiting; 1 not shown",
		}},
		{"no line for a run", []sweep.Status{runs("a"), waits("b")}, false, 79, -1, []string{"1 running, 1 waiting; 2 not shown"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := sweepTable(test.states, test.saving, test.width, test.height)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, line := range got {
				if n := utf8.RuneCountInString(line); n > test.width {
					t.Errorf("%q has %d characters, want at most %d", line, n, test.width)
				}
			}
		})
	}
}

// TestScreen checks the control sequences of drawings that follow one another.
func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &screen{w: &out}
	for _, step := range []struct {
		name  string
		lines []string
		width int
		want  string
	}{
		{"the first", []string{"1234567", "", "12"}, 10, "\r\x1b[?7l1234567\x1b[K\n\x1b[K\n12\x1b[K\n\x1b[J\x1b[?7h"},
		{"over it", []string{"12345678", "…2345"}, 10, "\r\x1b[3A\x1b[?7l12345678\x1b[K\n…2345\x1b[K\n\x1b[J\x1b[?7h"},
		{"wrapped by a narrower terminal", []string{"1"}, 4, "\r\x1b[4A\x1b[?7l1\x1b[K\n\x1b[J\x1b[?7h"},
	} {
		out.Reset()
		s.draw(step.lines, step.width)
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.name, diff)
		}
	}
	for _, want := range []string{"\r\x1b[1A\x1b[J", "\r\x1b[J"} {
		out.Reset()
		s.erase()
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("erase (-want +got)\n%s", diff)
		}
	}
}
