package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/rowstest"
)

var usual = rowstest.Encodings

// rowFor is one measurement of an encoding on copying, correct of 100.
func rowFor(_ *testing.T, encoding string, seed, length, correct int) eval.Row {
	return rowstest.Copy(encoding, seed, length, correct)
}

var with, on, guess, refused = rowstest.With, rowstest.On, rowstest.Guess, rowstest.Refused

func fullStudy(t *testing.T, rows ...eval.Row) *Study {
	t.Helper()
	s, err := New(rows, Options{Encodings: usual})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// approx is for means of few numbers; unknown ones are alike.
var approx = cmp.Comparer(func(a, b Number) bool {
	return a == b || math.Abs(float64(a-b)) < 1e-9 || !a.Known() && !b.Known()
})

func TestOneSeed(t *testing.T) {
	s := fullStudy(t, rowFor(t, "nope", 0, 30, 0), rowFor(t, "nope", 0, 10, 100), rowFor(t, "nope", 0, 25, 90),
		refused(rowFor(t, "nope", 0, 40, 0)))
	tk := s.Tasks[0]
	of := tk.Series[0]
	if diff := cmp.Diff(task.Spans(10, 25, 30, 40), tk.Lengths); diff != "" {
		t.Error(diff)
	}
	low, high := eval.Wilson(0.9, 100)
	if diff := cmp.Diff(Spread{Median: 0.9, Low: Number(low), High: Number(high), Over: OverPrompts,
		Runs: []Number{0.9}}, of.Points[1].Exact,
		approx); diff != "" {
		t.Errorf("one seed has Wilson's interval (-want +got):\n%s", diff)
	}
	if !of.Points[3].NA || of.Points[3].N != 0 {
		t.Errorf("the length that the model cannot take: %+v", of.Points[3])
	}
	if of.Inside.Median != 1 || of.Beyond.Median != 0.45 || of.BeyondNA != 1 || of.Score.Median != 0.3 {
		t.Errorf("inside %v, beyond %v without %d, score %v; want 1, 0.45 without 1, 0.3", of.Inside.Median,
			of.Beyond.Median, of.BeyondNA, of.Score.Median)
	}
	// 100 of 100 is above 0.9 for sure, 90 of 100 may be 0.94, and 0 of 100 cannot.
	want := reach{Length: task.At(25), Runs: task.Spans(25), Low: task.At(10), High: task.At(25)}
	if diff := cmp.Diff(want, of.Effective); diff != "" {
		t.Errorf("effective length (-want +got):\n%s", diff)
	}
}

// Runs are the sample: medians and quartiles over training seeds, each run's own value, and
// of effective lengths of an even number the lower middle one. Of 0.4, 0.5 and 0.9 the
// quartiles lie halfway between neighbours.
func TestRuns(t *testing.T) {
	s := fullStudy(t, rowFor(t, "nope", 0, 10, 100), rowFor(t, "nope", 1, 10, 80), rowFor(t, "nope", 0, 25, 90),
		rowFor(t, "nope", 1, 25, 40), rowFor(t, "nope", 2, 25, 50))
	of := s.Tasks[0].Series[0]
	if len(s.Tasks[0].Series) != 1 || len(of.runs) != 3 || of.Fit != (fit{Runs: 3, Unknown: 3}) {
		t.Fatalf("%d series, %d seeds, %+v", len(s.Tasks[0].Series), len(of.runs), of.Fit)
	}
	want := Spread{Median: 0.5, Low: 0.45, High: 0.7, Over: OverRuns, Runs: []Number{0.9, 0.4, 0.5}}
	for name, got := range map[string]Spread{"at 25": of.Points[1].Exact, "beyond": of.Beyond} {
		if diff := cmp.Diff(want, got, approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	unknown := Number(math.NaN())
	want = Spread{Median: 0.9, Low: 0.85, High: 0.95, Over: OverRuns, Runs: []Number{1, 0.8, unknown}}
	if diff := cmp.Diff(want, of.Points[0].Exact, approx); diff != "" {
		t.Errorf("at 10, which a run lacks (-want +got):\n%s", diff)
	}
	// The first carries to 25, the second nowhere, the third was measured at 25 alone.
	if diff := cmp.Diff(reach{Runs: []task.Span{task.At(25), {}, {}}}, of.Effective); diff != "" {
		t.Errorf("effective length (-want +got):\n%s", diff)
	}
	even := fullStudy(t, rowFor(t, "nope", 0, 10, 100), rowFor(t, "nope", 0, 25, 95), rowFor(t, "nope", 1, 10, 99),
		rowFor(t, "nope", 1, 25, 10)).Tasks[0].Series[0].Effective
	if got := even.String(); got != "10 (25, 10)" {
		t.Errorf("effective length of two runs: %s", got)
	}
	if p := of.Points[1]; p.N != 100 {
		t.Errorf("three runs of 100 prompts have %d", p.N)
	}
}

// TestSamples checks that samples of other seeds add up, that measuring again
// replaces, and that a second place or profile does not feign more samples.
func TestSamples(t *testing.T) {
	first := rowFor(t, "nope", 0, 10, 20)
	for _, tc := range []struct {
		name    string
		second  eval.Row
		n       int
		mean    Number
		notes   int
		columns int // places
	}{
		{"other samples", with(rowFor(t, "nope", 0, 10, 40), func(r *eval.Row) { r.Seed = 2 }), 200, 0.3, 0, 1},
		{"the same again", rowFor(t, "nope", 0, 10, 40), 100, 0.4, 1, 1},
		{"another provider", with(rowFor(t, "nope", 0, 10, 40), func(r *eval.Row) { r.Provider = "go" }), 100, 0.4, 0, 2},
		{"another machine", with(rowFor(t, "nope", 0, 10, 40), func(r *eval.Row) { r.Machine = "other" }), 100, 0.4, 0, 2},
		{"another profile", with(rowFor(t, "nope", 0, 10, 40), func(r *eval.Row) { r.Profile = "fused" }), 100, 0.4, 0, 2},
		{"another batch", with(rowFor(t, "nope", 0, 10, 40), func(r *eval.Row) { r.Batch = 1 }), 100, 0.4, 0, 2},
	} {
		s := fullStudy(t, first, tc.second)
		p := s.Tasks[0].Series[0].Points[0]
		if p.N != tc.n || math.Abs(float64(p.Exact.Median-tc.mean)) > 1e-9 || len(s.Notes) != tc.notes ||
			len(s.Tasks[0].Places) != tc.columns {
			t.Errorf("%s: %d samples, mean %v, notes %q, %d places; want %d, %v, %d notes, %d", tc.name, p.N,
				p.Exact.Median, s.Notes, len(s.Tasks[0].Places),
				tc.n, tc.mean, tc.notes, tc.columns)
		}
	}
}

// TestVariants checks what makes an encoding two lines: sizes and trained lengths
// always do, names of runs, steps and settings only if one seed has several.
func TestVariants(t *testing.T) {
	first := rowFor(t, "nope", 0, 10, 20)
	for _, tc := range []struct {
		name   string
		second eval.Row
		want   []string
	}{
		{"another seed", rowFor(t, "nope", 1, 10, 20), []string{"nope"}},
		{"another seed that stopped early", with(rowFor(t, "nope", 1, 10, 20), func(r *eval.Row) { r.TrainSteps = 100 }),
			[]string{"nope"}},
		{"same seed, other steps", with(rowFor(t, "nope", 0, 10, 20), func(r *eval.Row) { r.TrainSteps = 100 }),
			[]string{"nope (100 steps)", "nope (2600 steps)"}},
		{"same seed, other settings", with(rowFor(t, "nope", 0, 10, 20), func(r *eval.Row) { r.ConfigHash = "feedbeef" }),
			[]string{"nope (settings 000000)", "nope (settings feedbe)"}},
		{"same seed, another part", with(rowFor(t, "nope", 0, 10, 20), func(r *eval.Row) {
			r.Model, r.ConfigHash, r.TrainSteps = "copy-nope-tiny-wide-s1", "feedbeef", 100
		}), []string{"nope (copy-nope)", "nope (tiny-wide)"}},
		{"same run, another file", with(rowFor(t, "nope", 0, 10, 20), func(r *eval.Row) { r.Model = "renamed" }), []string{"nope"}},
		{"another size", with(rowFor(t, "nope", 1, 10, 20), func(r *eval.Row) { r.Parameters = 12e6 }),
			[]string{"nope (0.6 M parameters)", "nope (12.0 M parameters)"}},
		{"other lengths", with(rowFor(t, "nope", 0, 10, 20), func(r *eval.Row) { r.TrainMax, r.TrainSteps = 40, 1 }),
			[]string{"nope (trained 2–20)", "nope (trained 2–40)"}},
		{"another encoding", rowFor(t, "rope", 0, 10, 20), []string{"nope", "rope"}},
	} {
		s := fullStudy(t, first, tc.second)
		if diff := cmp.Diff(tc.want, s.namesOf(s.Encodings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestVariantsOfParts checks the names of series of a sweep with parts, whose runs end at steps of their own: the words of a run's
// name that not all runs have.
func TestVariantsOfParts(t *testing.T) {
	var rows []eval.Row
	for i, part := range []string{"modern", "modern-ssmax", "gpt2"} {
		for seed := range 3 {
			for _, encoding := range []string{"nope", "rope"} {
				if part == "modern-ssmax" && encoding == "rope" {
					continue
				}
				rows = append(rows, with(rowFor(t, encoding, seed, 10, 20), func(r *eval.Row) {
					r.Model = fmt.Sprintf("copy-%s-tiny-%s-s%d", encoding, part, seed+1)
					r.ConfigHash, r.TrainSteps = r.Model, 100*(1+(i+seed)%3)
				}))
			}
		}
	}
	s := fullStudy(t, rows...)
	want := []string{"nope (gpt2)", "nope (modern)", "nope (modern-ssmax)", "rope (gpt2)", "rope (modern)"}
	if diff := cmp.Diff(want, s.namesOf(s.Encodings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, series := range s.Tasks[0].Series {
		if len(series.runs) != 3 {
			t.Errorf("%s: %d runs, want 3", series.Name, len(series.runs))
		}
	}
}

// Models that others trained are told apart by name, whatever encoding and size they share; two files of one are one.
func TestVariantsOfPretrained(t *testing.T) {
	pretrained := func(name, profile, change string) eval.Row {
		return with(rowFor(t, "rope", 0, 10, 20), func(r *eval.Row) {
			r.Model, r.Profile, r.Intervention, r.ConfigHash, r.TrainSteps = name, profile, change, "", 0
		})
	}
	base := pretrained("SmolLM2", card.Portable, "")
	for _, tc := range []struct {
		name   string
		second eval.Row
		want   []string
	}{
		{"another model", pretrained("SmolLM2-Instruct", card.Portable, ""), []string{"rope (SmolLM2)", "rope (SmolLM2-Instruct)"}},
		{"another file", pretrained("SmolLM2.fused", card.Fused, ""), []string{"rope"}},
		{"changed", pretrained("SmolLM2 (yarn:4)", card.Portable, "yarn:4"), []string{"rope", "rope (yarn:4)"}},
		{"one of zoo's", rowFor(t, "rope", 0, 10, 20), []string{"rope", "rope (SmolLM2)"}},
	} {
		s := fullStudy(t, base, tc.second)
		if diff := cmp.Diff(tc.want, s.namesOf(s.Encodings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestTasks(t *testing.T) {
	a := rowFor(t, "nope", 0, 10, 20)
	b := with(a, func(r *eval.Row) { r.Split = "validation" })
	c := with(a, func(r *eval.Row) { r.TaskVersion = 9; r.Split = "validation" })
	d := with(a, func(r *eval.Row) { r.Task = "reverse" })
	var names []string
	for _, tk := range fullStudy(t, a, b, c, d).Tasks {
		names = append(names, tk.Name)
	}
	if diff := cmp.Diff([]string{"copy (version 1, test)", "copy (version 1, validation)",
		"copy (version 9, validation)", "reverse"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRanks(t *testing.T) {
	rows := []eval.Row{
		rowFor(t, "nope", 0, 30, 50), rowFor(t, "rope", 0, 30, 50), rowFor(t, "alibi", 0, 30, 90),
		refused(rowFor(t, "learned", 0, 30, 0)),
		rowFor(t, "nope", 0, 35, 100),                              // not measured for the others: not ranked
		rowFor(t, "nope", 1, 30, 70), rowFor(t, "rope", 1, 30, 60), // a second seed of two
		rowFor(t, "txl", 2, 30, 70), // alone: no contest
		rowFor(t, "txl", 0, 10, 70), // inside training: no contest
	}
	got := fullStudy(t, rows...).Ranks
	none := Number(math.NaN())
	want := []rank{
		{Name: "alibi", Encoding: 2, MRR: 1, PaperTies: 1, Published: 0.502, Runs: 1, Mean: 0.9},
		{Name: "nope", Encoding: 0, MRR: (1/2.5 + 1) / 2, PaperTies: (1./3 + 1) / 2, Published: 0.687, Runs: 2,
			Mean: 0.6},
		{Name: "rope", Encoding: 1, MRR: (1/2.5 + 0.5) / 2, PaperTies: (1./2 + 0.5) / 2, Published: 0.330, Runs: 2,
			Mean: 0.55},
		{Name: "learned", Encoding: 3, MRR: 0.25, PaperTies: 0.25, Published: none, Runs: 1, Mean: 0},
	}
	for i := range want {
		want[i].Tasks = []Number{want[i].MRR}
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("ranks (-want +got):\n%s", diff)
	}
}

// Steps are compared where all sequences go on to the end: within the trained lengths,
// if anything was measured there.
func TestCommonLength(t *testing.T) {
	for want, lengths := range map[int][]int{20: {10, 20, 40}, 40: {30, 40}} {
		var rows []eval.Row
		for _, length := range lengths {
			rows = append(rows, rowFor(t, "nope", 0, length, 1), rowFor(t, "rope", 0, length, 1))
		}
		if got := fullStudy(t, rows...).Tasks[0].Places[0].Common.Max; got != want {
			t.Errorf("lengths %v: compared at %d, want %d", lengths, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	s := fullStudy(t,
		rowFor(t, "nope", 0, 10, 1), rowFor(t, "nope", 1, 10, 1), rowFor(t, "nope", 0, 20, 1), rowFor(t, "rope", 0, 10, 1),
		with(rowFor(t, "rope", 0, 10, 1), func(r *eval.Row) { r.Machine = "other"; r.PrefillMS = 7; r.PeakMemoryOf = eval.PeakOfProcess }))
	places := s.Tasks[0].Places
	if len(places) != 2 || places[0].Name != "test machine, 2 cores · cpu" || places[1].Name != "other · cpu" {
		t.Fatalf("places %+v", places)
	}
	if len(places[0].Series) != 2 || len(places[1].Series) != 1 || places[0].Common != task.At(10) || places[0].UpperRAM ||
		!places[1].UpperRAM {
		t.Errorf("places %+v", places)
	}
	at := places[0].Series[0].Costs.at(task.At(10))
	if want := (Spread{Median: 1.005 * 2.25, Low: 2.25, High: 1.01 * 2.25, Over: OverTimes}); cmp.Diff(want, at.Values["prefill"],
		approx) != "" {
		t.Errorf("prefill over seeds is %+v, want %+v", at.Values["prefill"], want)
	}
	if at := places[1].Series[0].Costs.at(task.At(10)); at.Values["prefill"].Median != 7 {
		t.Errorf("prefill elsewhere is %+v", at.Values["prefill"])
	}
}

// TestCompared sets one length of addition, where the paper weighs lengths by
// their pairs of digit counts, and the published mean.
func TestCompared(t *testing.T) {
	known, err := task.Lookup("addition")
	if err != nil {
		t.Fatal(err)
	}
	rows := []eval.Row{rowstest.Row(known, "nope", 0, 9, 100), rowstest.Row(known, "nope", 0, 10, 0),
		rowstest.Row(known, "nope", 0, 20, 100),
		rowstest.Row(known, "txl", 0, 9, 100)} // not in the paper
	got := fullStudy(t, rows...).Published
	theirs, unknown := Number(17*0.825+19*0.1154)/36, Number(math.NaN()) // at lengths 9 and 10
	none := Spread{Median: unknown, Low: unknown, High: unknown}
	ours := Spread{Median: 17. / 36, Low: unknown, High: unknown, Runs: []Number{17. / 36}}
	want := []comparison{{Task: "addition", Name: "nope", Lengths: "9–10",
		Ours:   side{Fit: fit{Runs: 1, Unknown: 1}, All: ours, Mean: 17. / 36, Fitted: unknown},
		Theirs: side{Fit: fit{Runs: 3, Unknown: 3}, All: none, Mean: theirs, Fitted: unknown},
		Here:   17. / 36, Published: theirs, All: 0.0845, Difference: 17./36 - theirs, Setup: "0.6 M parameters, not " +
			"109.6 M; 2,600 steps, not 40,000; 2 of 8 lengths; 1 run, not 3"}}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Of two runs that were measured at different lengths those in common count, and their mean,
	// as the paper has means.
	other := append(rows, rowstest.Row(known, "nope", 1, 10, 50))
	if got := fullStudy(t, other...).Published[0]; got.Here != 0.25 || got.Published != 0.1154 ||
		!strings.Contains(got.Setup, "1 of 8 lengths; 2 runs, not 3") {
		t.Errorf("two runs, one at fewer lengths: %+v", got)
	}
	scratchpad := with(rows[0], func(r *eval.Row) { r.Task = "addition+full" })
	paper := with(rows[0], func(r *eval.Row) { r.Task = "addition+paper" })
	if got := fullStudy(t, scratchpad, paper).Published; len(got) != 1 || got[0].Task != "addition+paper" {
		t.Errorf("with options: %+v", got)
	}
}

// TestTaskAtChance checks that a task that all guess on enters no rank and no mean, and
// is marked.
func TestTaskAtChance(t *testing.T) {
	rows := []eval.Row{rowFor(t, "nope", 0, 30, 0), rowFor(t, "rope", 0, 30, 80)}
	want := fullStudy(t, rows...).Ranks
	parity := []eval.Row{on("parity", guess(rowFor(t, "nope", 0, 30, 53))), on("parity", guess(rowFor(t, "rope", 0, 30, 48)))}
	s := fullStudy(t, append(rows, parity...)...)
	for i := range want {
		want[i].Tasks = append(want[i].Tasks, Unknown)
	}
	if diff := cmp.Diff(want, s.Ranks, approx); diff != "" {
		t.Errorf("ranks with a task at chance (-without +with):\n%s", diff)
	}
	if s.Tasks[0].AtChance || !s.Tasks[1].AtChance || s.HeatMap.Lines[1][0].Text != "parity (at chance)" ||
		!slices.Contains(s.RankTable.Notes, "not ranked where no encoding is above chance: parity") {
		t.Errorf("parity is not marked: %v, notes %q", s.HeatMap.Lines, s.RankTable.Notes)
	}
	solved := append(rows, on("parity", guess(rowFor(t, "nope", 0, 30, 95))), parity[1])
	if s := fullStudy(t, solved...); s.Tasks[1].AtChance || s.Ranks[0].Runs != 2 {
		t.Errorf("parity that one solves is not ranked: %+v", s.Ranks)
	}
}

// TestWeighting ranks addition, where nope is better at 9 digits and rope, by less, at
// 16: of the paper's test examples there are 17 to 31 of them.
func TestWeighting(t *testing.T) {
	known, err := task.Lookup("addition")
	if err != nil {
		t.Fatal(err)
	}
	rows := []eval.Row{rowstest.Row(known, "nope", 0, 9, 70), rowstest.Row(known, "nope", 0, 16, 20),
		rowstest.Row(known, "rope", 0, 9, 20), rowstest.Row(known, "rope", 0, 16, 60)}
	for by, want := range map[string]string{"": "nope every length weighs alike",
		ByLengths:  "nope every length weighs alike",
		ByExamples: "rope lengths weigh by their test examples, as in the paper"} {
		s, err := New(rows, Options{Encodings: usual, Ranks: by})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Ranks[0].Name + " " + s.RankTable.Title; !strings.HasPrefix(got, want[:4]) || !strings.HasSuffix(got, want[5:]) {
			t.Errorf("%q: %s, want %s", by, got, want)
		}
	}
}

// The page begins with a task that is not at chance, if there is one.
func TestFirst(t *testing.T) {
	chance := []eval.Row{guess(rowFor(t, "nope", 0, 30, 52)), guess(rowFor(t, "rope", 0, 30, 46))}
	told := []eval.Row{on("reverse", rowFor(t, "nope", 0, 30, 0)), on("reverse", rowFor(t, "rope", 0, 30, 90))}
	for name, tc := range map[string]struct {
		rows []eval.Row
		want int
	}{"after one at chance": {slices.Concat(chance, told), 1}, "before one": {slices.Concat(told, chance), 0}, "nothing else": {chance, 0}} {
		if got := fullStudy(t, tc.rows...).First; got != tc.want {
			t.Errorf("%s: begins with %d, want %d", name, got, tc.want)
		}
	}
}

// TestSpeedAlone mixes rows of a task with rows that time any tokens: those have no
// score, and their lengths are not the task's.
func TestSpeedAlone(t *testing.T) {
	speed := with(rowFor(t, "nope", 0, 512, 0), func(r *eval.Row) {
		r.Score, r.Task, r.Split, r.TaskVersion = eval.Score{},
			"", "", 0
	})
	s := fullStudy(t, rowFor(t, "nope", 0, 10, 100), speed, rowFor(t, "rope", 0, 10, 100))
	if len(s.Tasks) != 2 || s.Tasks[1].Name != "speed without a task" || s.Tasks[1].Scored ||
		s.Tasks[1].Trained != [2]int{} {
		t.Fatalf("tasks %+v", s.Tasks)
	}
	if of := s.Tasks[1].Series[0]; of.Points[0].N != 0 || of.Score.Median.Known() || of.BeyondNA != 0 {
		t.Errorf("speed has the accuracy %+v", of)
	}
	if at := s.Tasks[1].Places[0].Series[0].Costs.at(task.At(512)); !at.Values[DecodeCost].Median.Known() {
		t.Errorf("costs %+v", s.Tasks[1].Places)
	}
	if first := fullStudy(t, speed, rowFor(t, "nope", 0, 10, 100)).Tasks[0]; first.Name != "copy" || first.Octaves {
		t.Errorf("first comes %s", first.Name)
	}
	far := speed
	far.Length = 8192
	if s := fullStudy(t, speed, far); !s.Tasks[0].Octaves {
		t.Error("lengths from 512 to 8192 are drawn evenly")
	}
	if got := fullStudy(t, speed).Tasks[0].Summary; got != "" {
		t.Errorf("a sentence on speed alone: %q", got)
	}
}

// TestSpeedInOtherWays checks that neither the chunks nor the new tokens are taken
// for a repetition, or averaged over.
func TestSpeedInOtherWays(t *testing.T) {
	speed := func(chunk, tokens int, ms float64) eval.Row {
		return with(rowFor(t, "nope", 0, 512, 0), func(r *eval.Row) {
			r.Measure, r.Score, r.Task, r.Split, r.TaskVersion = eval.MeasureSpeed, eval.Score{}, "", "", 0
			r.Cost, r.DecodeP50MS = eval.Cost{Chunk: chunk, NewTokens: tokens}, ms
		})
	}
	s := fullStudy(t, speed(64, 32, 1), speed(128, 32, 2), speed(64, 1, 3), speed(64, 32, 4))
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "1 cell was measured again") {
		t.Errorf("notes %q", s.Notes)
	}
	got := map[string]float64{}
	for _, p := range s.Tasks[0].Places {
		got[p.Name] = float64(p.Series[0].Costs.at(task.At(512)).Values[DecodeCost].Median)
	}
	const where = "test machine, 2 cores · cpu · read in chunks of "
	want := map[string]float64{where + "128 tokens · 32 new tokens": 2, where + "64 tokens · 1 new token": 3,
		where + "64 tokens · 32 new tokens": 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decode steps by place (-want +got):\n%s", diff)
	}
}

func TestNotes(t *testing.T) {
	s := fullStudy(t, rowFor(t, "nope", 0, 10, 1), rowFor(t, "nope", 0, 10, 2), refused(rowFor(t, "nope", 0, 30, 0)),
		rowFor(t, "rope", 0, 30, 0),
		with(rowFor(t, "rope", 0, 5, 1), func(r *eval.Row) { r.Whole = true }))
	all := strings.Join(append(s.Notes, s.Tasks[0].Accuracy.Notes...), "\n")
	for _, want := range []string{"1 cell was measured again later", "n/a: nope at length 30: longer than the position table",
		"nothing held out at length 5:"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes lack %q:\n%s", want, all)
		}
	}
	for _, tc := range []struct {
		lengths []int // beyond, of the second series
		want    bool
	}{{[]int{30, 40}, false}, {[]int{30}, true}, {[]int{30, 41}, true}, {nil, false}} {
		rows := []eval.Row{rowFor(t, "nope", 0, 10, 1), rowFor(t, "nope", 0, 30, 1), rowFor(t, "nope", 0, 40, 1),
			rowFor(t, "rope", 0, 15, 1)}
		for _, length := range tc.lengths {
			rows = append(rows, rowFor(t, "rope", 0, length, 1))
		}
		if got := strings.Contains(strings.Join(fullStudy(t, rows...).Notes, "\n"),
			"not all were measured at the same lengths"); got != tc.want {
			t.Errorf("second series at %v: note %v, want %v", tc.lengths, got, tc.want)
		}
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("no rows are no error")
	}
}

// TestCostBands checks what costs spread over: seeds and repeats, or the batches of a
// single measurement.
func TestCostBands(t *testing.T) {
	none := Number(math.NaN())
	timed := func(seed int, change func(*eval.Row)) eval.Row {
		return with(rowFor(t, "nope", seed, 10, 1), func(r *eval.Row) {
			r.TokensPerSecond, r.PrefillMS, r.DecodeP50MS, r.PeakMemory = 1000, 10, 1, 100<<20
			change(r)
		})
	}
	repeated := func(r *eval.Row) {
		r.RepeatRates, r.RepeatPrefillMS, r.RepeatDecodeMS = []float64{900, 1200}, []float64{9, 11}, []float64{0.8, 1.1}
		r.TokensPerSecondSD, r.PrefillSDMS, r.DecodeSDMS = 500, 5, 0.5
	}
	for _, tc := range []struct {
		name                            string
		rows                            []eval.Row
		tokens, prefill, decode, memory Spread
	}{
		{"once", []eval.Row{timed(0, func(r *eval.Row) { r.RepeatRates = []float64{1000} })},
			Spread{Median: 1000, Low: none, High: none}, Spread{Median: 10, Low: none, High: none},
			Spread{Median: 1, Low: none, High: none}, Spread{Median: 100, Low: none, High: none}},
		{"batches", []eval.Row{timed(0, func(r *eval.Row) {
			r.TokensPerSecondSD, r.PrefillSDMS, r.DecodeSDMS = 200, 20,
				0.1
		})},
			Spread{Median: 1000, Low: 800, High: 1200, Over: OverTimes}, Spread{Median: 10, Low: 0, High: 30, Over: OverTimes},
			Spread{Median: 1, Low: 0.9, High: 1.1, Over: OverTimes}, Spread{Median: 100, Low: none, High: none}},
		{"repeats", []eval.Row{timed(0, repeated)},
			Spread{Median: 1000, Low: 900, High: 1200, Over: OverTimes}, Spread{Median: 10, Low: 9, High: 11, Over: OverTimes},
			Spread{Median: 1, Low: 0.8, High: 1.1, Over: OverTimes}, Spread{Median: 100, Low: none, High: none}},
		{"repeats and seeds", []eval.Row{timed(0, repeated), timed(1, func(r *eval.Row) {
			r.TokensPerSecond, r.PrefillMS, r.DecodeP50MS, r.PeakMemory = 2000, 20, 2, 200<<20
		})},
			Spread{Median: 1500, Low: 900, High: 2000, Over: OverTimes}, Spread{Median: 15, Low: 9, High: 20, Over: OverTimes},
			Spread{Median: 1.5, Low: 0.8, High: 2, Over: OverTimes}, Spread{Median: 150, Low: 100, High: 200, Over: OverTimes}},
	} {
		at := fullStudy(t, tc.rows...).Tasks[0].Places[0].Series[0].Costs.at(task.At(10))
		at.Rows = nil
		unknown := Spread{Median: none, Low: none, High: none}
		want := costPoint{Length: task.At(10), Values: map[string]Spread{"tokens": tc.tokens, "prefill": tc.prefill, DecodeCost: tc.decode,
			"memory": tc.memory, TokenCost: unknown, RooflineCost: unknown}}
		if diff := cmp.Diff(want, at, approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
