package tables

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/experiment/sweep"
)

func names(all []sweep.Status) (out []string) {
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

func TestForemost(t *testing.T) {
	all := []sweep.Status{
		{Name: "a", State: sweep.Finished}, {Name: "b", State: sweep.Waiting}, {Name: "c", State: sweep.Running},
		{Name: "d", State: sweep.Stopped}, {Name: "e", State: sweep.Waiting}, {Name: "f", State: sweep.Running},
	}
	for n, want := range map[int][]string{
		-1: nil, 0: nil, 1: {"c"}, 3: {"c", "d", "f"}, 4: {"b", "c", "d", "f"}, 9: {"a", "b", "c", "d", "e", "f"},
	} {
		if diff := cmp.Diff(want, names(foremost(all, n))); diff != "" {
			t.Errorf("%d of them (-want +got):\n%s", n, diff)
		}
	}
}

func TestShortNames(t *testing.T) {
	for _, test := range []struct{ all, want []string }{
		{[]string{"copy-rope-tiny-s1", "copy-nope-tiny-s1"}, []string{"rope", "nope"}},
		{[]string{"copy-rope-tiny-s1", "copy-nope-tiny-s2"}, []string{"rope-s1", "nope-s2"}},
		{[]string{"a-b", "b-a"}, []string{"a-b", "b-a"}},
		{[]string{"copy-rope-tiny-s1"}, []string{"copy-rope-tiny-s1"}},
		{[]string{"x", "x-a"}, []string{"x", "x-a"}},
	} {
		var all []sweep.Status
		for _, name := range test.all {
			all = append(all, sweep.Status{Name: name})
		}
		if diff := cmp.Diff(test.want, names(shortNames(all))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.all, diff)
		}
	}
}

func TestLines(t *testing.T) {
	waits := func(name string) sweep.Status { return sweep.Status{Name: name, State: sweep.Waiting, Steps: 9} }
	runs := func(name string) sweep.Status {
		return sweep.Status{Name: name, State: sweep.Running, Step: 3, Steps: 9, Loss: new(1.25), Pace: 1000, Left: 6}
	}
	failed := sweep.Status{Name: "copy-t5-tiny-s1", State: sweep.Failed, Steps: 9, Error: "train: no such\nfile " +
		"\x1b[2J of the many that are there"}
	for _, test := range []struct {
		name          string
		states        []sweep.Status
		width, height int
		want          []string
	}{
		{"room for everything", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1")}, 79, 22, []string{
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"copy-nope-tiny-s1  waiting  0/9",
			"1 running, 1 waiting",
		}},
		{"exactly as wide", []sweep.Status{runs("copy-rope-tiny-s1")}, 64, 22, []string{
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"1 running",
		}},
		{"names without what all say", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1")}, 63, 22,
			[]string{
				"rope  running  3/9  loss 1.25  1k tokens/s  6s left",
				"nope  waiting  0/9",
				"1 running, 1 waiting",
			}},
		{"still too wide", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s2")}, 40, 22, []string{
			"rope-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"nope-s2  waiting  0/9",
			"1 running, 1 waiting",
		}},
		{"narrower than a line can be", []sweep.Status{runs("copy-rope-tiny-s1")}, 10, 22,
			[]string{"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left", "1 running"}},
		{"an error takes what room there is", []sweep.Status{failed, runs("copy-rope-tiny-s1")}, 79, 22, []string{
			"copy-t5-tiny-s1    failed   0/9  train: no such file \x1b[2J of the many that are there",
			"copy-rope-tiny-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"1 running, 1 failed",
		}},
		{"more runs than lines", []sweep.Status{
			{Name: "a", State: sweep.Finished, Step: 9, Steps: 9}, waits("b"), runs("c"),
			{Name: "d", State: sweep.Stopped, Steps: 9}, waits("e"), runs("f"),
		}, 79, 5, []string{
			"b  waiting  0/9",
			"c  running  3/9  loss 1.25  1k tokens/s  6s left",
			"d  stopped  0/9",
			"f  running  3/9  loss 1.25  1k tokens/s  6s left",
			"1 finished, 2 running, 1 stopped, 2 waiting; 2 not shown",
		}},
		{"names without what all say, shown or not", []sweep.Status{runs("copy-rope-tiny-s1"), waits("copy-nope-tiny-s1"),
			waits("copy-nope-tiny-s2")}, 40, 3, []string{
			"rope-s1  running  3/9  loss 1.25  1k tokens/s  6s left",
			"nope-s1  waiting  0/9",
			"1 running, 2 waiting; 1 not shown",
		}},
		{"no line for a run", []sweep.Status{runs("a"), waits("b")}, 79, -1, []string{"1 running, 1 waiting; 2 not shown"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Lines(test.states, test.width, test.height)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
