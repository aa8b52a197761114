package sweep_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/sweep"
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
		if diff := cmp.Diff(want, names(sweep.Foremost(all, n))); diff != "" {
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
		if diff := cmp.Diff(test.want, names(sweep.ShortNames(all))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.all, diff)
		}
	}
}
