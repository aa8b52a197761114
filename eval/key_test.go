package eval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// A row answers the question that its configuration asked, and no other.
func TestKey(t *testing.T) {
	c := copyCard(t)
	c.MaxLength = 40
	ask := func(change func(*sweeping)) sweeping {
		cfg := config(t, 4, 100)
		cfg.Warmup = 1
		change(&cfg)
		return cfg
	}
	same := func(*sweeping) {}
	rows, err := sweep(t.Context(), &fake{answer: perfect}, c, ask(same))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		reason        string
		change        func(*sweeping)
		measured, not bool // whether the row with measurements is found, and the one without
	}{
		{"the same", same, true, true},
		{"once is the default", func(c *sweeping) { c.Repeat = 1 }, true, true},
		{"another version of the tool", func(c *sweeping) { c.Environment.ToolVersion = "v1" }, true, true},
		{"more samples", func(c *sweeping) { c.N = 11 }, false, true},
		{"more repeats", func(c *sweeping) { c.Repeat = 2 }, false, true},
		{"other samples", func(c *sweeping) { c.Seed = 2 }, false, false},
		{"another batch", func(c *sweeping) { c.Batch = 5 }, false, false},
		{"another file", func(c *sweeping) { c.Environment.ModelSHA256 = "abd" }, false, false},
		{"another machine", func(c *sweeping) { c.Environment.Machine = "n" }, false, false},
		{"other threads", func(c *sweeping) { c.Environment.Threads = 2 }, false, false},
	} {
		cfg := ask(tc.change)
		for i, want := range []bool{tc.measured, tc.not} {
			if got := eval.Finder(rows)(eval.KeyOf(card.Card{Profile: "portable"}, cfg.Config, rows[i].Span())); (got == &rows[i]) != want || !want && got != nil {
				t.Errorf("%s: row %d: found %v", tc.reason, i, got)
			}
		}
	}
	old := slices.Clone(rows)
	for i := range old {
		old[i].Schema = 1 // samples with repetition, other ones beyond the trained lengths
	}
	cfg := ask(same)
	for _, r := range old {
		if eval.Finder(old)(eval.KeyOf(card.Card{Profile: "portable"}, cfg.Config, r.Span())) != nil {
			t.Errorf("a row of schema 1 answers at length %d", r.Length)
		}
	}
	twice := append(rows, rows[0])
	find := eval.Finder(twice)
	if find(eval.KeyOf(card.Card{Profile: "fused"}, cfg.Config, task.At(4))) != nil ||
		find(eval.KeyOf(card.Card{Profile: "portable"}, cfg.Config, task.At(5))) != nil {
		t.Error("a row of another profile or length answers")
	}
	bin := twice[0]
	bin.LengthMin = 2
	if eval.Finder([]eval.Row{bin})(twice[0].Key()) != nil || find(bin.Key()) != nil {
		t.Error("a bin answers for its last length, or that for the bin")
	}
	if find(eval.KeyOf(card.Card{Profile: "portable"}, cfg.Config, task.At(4))) != &twice[2] {
		t.Error("of two equal rows the first was found")
	}
}

func TestReadPartial(t *testing.T) {
	var b strings.Builder
	want := measured(t)
	if err := eval.Write(&b, want...); err != nil {
		t.Fatal(err)
	}
	full := b.String()
	first := strings.Index(full, "\n") + 1
	for _, tc := range []struct {
		reason, text string
		rows, whole  int
		closed       bool
	}{
		{"nothing", "", 0, 0, true},
		{"complete", full, 2, len(full), true},
		{"only the end of the line is missing", full[:len(full)-1], 2, len(full) - 1, false},
		{"torn", full[:len(full)-9], 1, first, true},
		{"torn early", full[:first+3], 1, first, true},
		{"torn in the first line", full[:first/2], 0, 0, true},
	} {
		rows, whole, closed, err := eval.ReadPartial[eval.Row](strings.NewReader(tc.text))
		if err != nil || whole != int64(tc.whole) || closed != tc.closed {
			t.Errorf("%s: whole %d, closed %v, error %v", tc.reason, whole, closed, err)
		}
		if diff := cmp.Diff(want[:tc.rows], rows[:len(rows):len(rows)]); diff != "" && tc.rows+len(rows) > 0 {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
	for _, text := range []string{"# notes", full + "notes", full[:first/2] + "\n" + full, full[:len(full)-1] + "x"} {
		if _, _, _, err := eval.ReadPartial[eval.Row](strings.NewReader(text)); err == nil {
			t.Errorf("no error for a file that ends in %q", text[max(0, len(text)-20):])
		}
	}
}
