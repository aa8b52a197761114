package sweep

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/internal/human"
)

func TestSum(t *testing.T) {
	run := func(encoding string, fitted *int) Status {
		return Status{Name: encoding, Encoding: encoding, State: Finished, Step: 9, Steps: 9, FittedStep: fitted}
	}
	for _, test := range []struct {
		name  string
		all   []Status
		want  string
		lines []string
	}{
		{"nothing evaluated", []Status{run("nope", nil), run("rope", nil)}, "",
			[]string{"nope  finished  9/9", "rope  finished  9/9", "2 finished"}},
		{"all", []Status{run("nope", new(3)), run("rope", new(9))}, "2 of 2 runs fitted",
			[]string{"nope  finished  9/9  fitted at 3", "rope  finished  9/9  fitted at 9", "2 finished"}},
		{"some", []Status{run("rope", new(0)), run("nope", new(3)), run("rope", new(6)), run("alibi", nil)},
			"2 of 4 runs fitted: rope 1 of 2, nope 1 of 1, alibi 0 of 1",
			[]string{"rope   finished  9/9  not fitted", "nope   finished  9/9  fitted at 3",
				"rope   finished  9/9  fitted at 6", "alibi  finished  9/9  –", "4 finished"}},
		{"none, of one encoding", []Status{run("rope", new(0))}, "0 of 1 run fitted",
			[]string{"rope  finished  9/9  not fitted", "1 finished"}},
		{"one failed", []Status{{Name: "rope", Encoding: "rope", State: Failed, Error: "loss NaN"}, run("nope", new(1))},
			"1 of 2 runs fitted: rope 0 of 1, nope 1 of 1",
			[]string{"rope  failed    0/0  –            loss NaN", "nope  finished  9/9  fitted at 1",
				"1 finished, 1 failed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, got, _ := Sum(test.all); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			text, _, _ := Sum(test.all)
			lines := append(strings.Split(strings.TrimSpace(human.Table(Table(test.all))), "\n"), text)
			if diff := cmp.Diff(test.lines, lines); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
