package task_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

// All 20,910 commands: 17,774 of up to 25 actions and 3,136 of more, of which
// the paper lists how many there are of each length.
func TestScanCounts(t *testing.T) {
	k := lookup(t, "scan")
	count, seen := map[int]int{}, map[string]bool{}
	for s := range k.Each {
		count[s.Length]++
		seen[s.Prompt] = true
		if want := actions(strings.TrimSuffix(strings.TrimPrefix(s.Prompt, "Solve: "), "[SEP] ")); strings.Join(want,
			" ") != s.Target {
			t.Fatalf("%q gives %q, want %q", s.Prompt, s.Target, want)
		}
	}
	if len(seen) != 20_910 {
		t.Errorf("%d different commands, want 20,910", len(seen))
	}
	short, long := 0, map[int]int{}
	for length, n := range count {
		if length <= 25 {
			short += n
		} else {
			long[length] = n
		}
	}
	if short != 17_774 {
		t.Errorf("%d commands of up to 25 actions, want 17,774", short)
	}
	want := map[int]int{26: 512, 27: 448, 28: 448, 30: 576, 32: 448, 33: 256, 36: 64, 40: 256, 48: 128}
	if diff := cmp.Diff(want, long); diff != "" {
		t.Errorf("commands of more than 25 actions, by length (-want +got):\n%s", diff)
	}
	for n := 1; n <= 48; n++ {
		if got := int(k.Space(n)); got != count[n] {
			t.Errorf("Space(%d) = %d, counted %d", n, got, count[n])
		}
		if err := k.CheckLength(task.At(n)); (err == nil) != (count[n] > 0) {
			t.Errorf("length %d has %d commands: %v", n, count[n], err)
		}
	}
}

// Drawing by length is uniform over the commands of that length.
func TestScanUniform(t *testing.T) {
	k := lookup(t, "scan")
	const each = 200
	for _, length := range []int{3, 6, 36} {
		count := map[string]int{}
		n := int(k.Space(length))
		rng := seeded(7)
		for range each * n {
			s, err := k.Sample(rng, length, task.Whole)
			if err != nil {
				t.Fatal(err)
			}
			count[s.Prompt]++
		}
		for p, c := range count {
			if len(count) != n || c < each-90 || c > each+90 { // six standard deviations of 14
				t.Fatalf("length %d: %d of %d commands; %q %d times, want about %d", length, len(count), n, p, c, each)
			}
		}
	}
}

func TestScanErrors(t *testing.T) {
	k := lookup(t, "scan")
	if err := k.CheckLength(task.At(37)); err == nil || !strings.Contains(err.Error(), "task scan: no prompt has this length: "+
		"length 37; the nearest are 36 and 40") {
		t.Errorf("length 37: %v", err)
	}
	for prompt, want := range map[string]string{
		"":                      "no verb",
		"Solve: [SEP]":          "no verb",
		"twice":                 "no verb",
		"dance":                 `unknown verb "dance"`,
		"walk up":               "expected left or right",
		"turn":                  "expected left or right",
		"walk around":           "expected left or right",
		"walk beside left":      `unknown manner "beside"`,
		"walk and":              "no verb",
		"walk and run and jump": "expected left or right",
		"walk left left left":   "expected left or right",
	} {
		if got, err := k.Answer(prompt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, error %v does not contain %q", prompt, got, err, want)
		}
	}
	for _, form := range []string{"jump after walk left", "Solve: jump after walk left[SEP]",
		" Solve: jump  after walk left[SEP] "} {
		if got, err := k.Answer(form); err != nil || got != "Left Walk Jump" {
			t.Errorf("%q: %q, %v", form, got, err)
		}
	}
}

// The form of the original file, with all that can be wrong in it.
func TestReadSCAN(t *testing.T) {
	const file = "IN: jump thrice OUT: I_JUMP I_JUMP I_JUMP\n\nIN: turn opposite left after walk OUT: " +
		"I_WALK I_TURN_LEFT I_TURN_LEFT\n"
	got, err := lookup(t, "scan").Read(strings.NewReader(file))
	want := []task.Sample{
		{Prompt: "Solve: jump thrice[SEP] ", Target: "Jump Jump Jump", Length: 3},
		{Prompt: "Solve: turn opposite left after walk[SEP] ", Target: "Walk Left Left", Length: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, s := range got {
		if answer, err := lookup(t, "scan").Answer(s.Prompt); err != nil || answer != s.Target {
			t.Errorf("%q answers %q, %v", s.Prompt, answer, err)
		}
	}
	for text, want := range map[string]string{
		"IN: walk OUT: I_WALK\nwalk\n":   `line 2: "walk" is not of the form`,
		"IN: walk OUT: I_DANCE\n":        `line 1: unknown action "I_DANCE"`,
		"IN: walk OUT: WALK\n":           `unknown action "WALK"`,
		"IN: walk OUT:\n":                "no actions",
		"OUT: I_WALK IN: walk":           "is not of the form",
		"IN: " + strings.Repeat("x", 99): "…",
	} {
		if _, err := lookup(t, "scan").Read(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not contain %q", text, err, want)
		}
	}
}

func FuzzScanAnswer(f *testing.F) {
	k := lookup(f, "scan")
	for s := range k.Each {
		if s.Length%7 == 3 && len(s.Prompt)%11 == 0 {
			f.Add(s.Prompt)
		}
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got, err := k.Answer(prompt)
		if err == nil && (got == "" || len(strings.Fields(got)) > 48) {
			t.Fatalf("%q answers %q", prompt, got)
		}
	})
}
