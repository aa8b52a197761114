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
	"github.com/nopezoo/zoo/internal/lists"
)

// The quartiles of 1 to 4 are 1.75 and 3.25 by linear interpolation (definition 7).
func TestQuantile(t *testing.T) {
	for _, tc := range []struct {
		values            []float64
		low, median, high Number
	}{
		{[]float64{7}, 7, 7, 7},
		{[]float64{4, 2}, 2.5, 3, 3.5},
		{[]float64{9, 1, 3}, 2, 3, 6},
		{[]float64{4, 1, 3, 2}, 1.75, 2.5, 3.25},
		{[]float64{5, 4, 3, 2, 1}, 2, 3, 4},
	} {
		if got := [3]Number{quantile(tc.values, 0.25), median(tc.values), quantile(tc.values, 0.75)}; got !=
			[3]Number{tc.low, tc.median, tc.high} {
			t.Errorf("%v: %v", tc.values, got)
		}
	}
	if quantile(nil, 0.5).Known() || mean(nil).Known() {
		t.Error("no values have a median or a mean")
	}
}

// run is a training run of an encoding, which fitted at a step, never (0), or nobody knows (−1).
func run(rows []eval.Row, seed uint64, fitted int) []eval.Row {
	for i := range rows {
		if rows[i].TrainSeed = seed; fitted >= 0 {
			rows[i].FittedStep = new(fitted)
		}
	}
	return rows
}

// A run is the pair of its seeds: one of other data is another run.
func TestDataSeeds(t *testing.T) {
	a := run(measured("a", 100, []int{99, 98, 80, 70}), 1, 1500)
	b := slices.Clone(a)
	for i := range b {
		b[i].DataSeed = 2
	}
	task := studyOf(t, a, b).Tasks[0]
	want := []card.Seeds{{Weights: 1}, {Weights: 1, Data: 2}}
	if len(task.Series) != 1 || !slices.Equal(seedsOf(task.Series[0]), want) || task.Series[0].Fit.Runs != 2 {
		t.Errorf("%+v", task.Series)
	}
}

func seedsOf(s Series) []card.Seeds {
	return lists.Map(s.runs, func(r trainingRun) card.Seeds { return r.seeds })
}

func TestFit(t *testing.T) {
	for want, f := range map[string]fit{"3 runs, 2 fitted": {3, 2, 0}, "did not fit (0 of 3)": {3, 0, 0},
		"1 run": {1, 0, 1}, "4 runs, 1 fitted, 2 not known": {4, 1, 2}, "1 run, 1 fitted": {1, 1, 0}} {
		if got := f.String(); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
}

// Runs are the sample: a goes to the median of 30, 30 and 20. Told apart are encodings of which every run is above every run of
// the other: at 40 a's worst (60 %) is above b's best (50 %). c did not fit, and its rank is marked.
func TestSummaryOverRuns(t *testing.T) {
	a := slices.Concat(run(measured("a", 100, []int{100, 100, 95, 60}), 1, 100),
		run(measured("a", 100, []int{100, 100, 95, 70}), 2, 200), run(measured("a", 100, []int{100, 100, 80, 75}), 3, 0))
	b := slices.Concat(run(measured("b", 100, []int{100, 100, 10, 50}), 1, 100),
		run(measured("b", 100, []int{100, 95, 20, 0}), 2, 100), run(measured("b", 100, []int{100, 90, 30, 10}), 3, 100))
	c := slices.Concat(run(measured("c", 100, []int{50, 10, 0, 0}), 1, 0), run(measured("c", 100, []int{60, 0, 0, 0}), 2, 0))
	s := studyOf(t, a, b, c)
	const want = "On copy, a goes furthest, to 30 at ≥ 90 % exact match; trained on lengths 2 to 20, 2 to 3 runs each."
	if got := s.Tasks[0].Summary; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(s.Ranks) != 3 || s.Ranks[0].Name != "a" || s.Ranks[0].Runs != 3 || s.RankTable.Lines[2][0].Mark != unfitMark {
		t.Errorf("ranks %+v", s.Ranks)
	}
	if got := s.RankTable.Notes; !slices.Equal(got, []string{"† on copy no run fitted: c"}) {
		t.Errorf("marked: %q", got)
	}
	b[0].Length, b[1].Length = 10, 20
	overlap := slices.Clone(b)
	overlap[3].Correct = 60 // at 40, as many as a's worst
	if got := studyOf(t, a, overlap).Tasks[0].Summary; !strings.Contains(got, "exact match; trained") {
		t.Errorf("at 30 they are told apart still: %s", got)
	}
	fitted, err := New(slices.Concat(a, b, c), Options{OnlyFitted: true})
	if err != nil {
		t.Fatal(err)
	}
	of := fitted.Tasks[0].Series[0]
	if !slices.Equal(seedsOf(of), []card.Seeds{{Weights: 1}, {Weights: 2}}) || of.Fit != (fit{3, 2, 0}) || math.Abs(float64(of.Beyond.Median)-0.8) > 1e-12 {
		t.Errorf("of those that fitted: seeds %v, %v, beyond %v", seedsOf(of), of.Fit, of.Beyond)
	}
	if got := fitted.Tasks[0].Summary; !strings.HasSuffix(got, ", 2 to 3 runs each.") {
		t.Errorf("of those that fitted: %s", got)
	}
	if fitted, err = New(c, Options{OnlyFitted: true}); err != nil {
		t.Fatal(err)
	}
	if got := fitted.Tasks[0].Summary; got != "On copy, nothing could be measured." {
		t.Errorf("none fitted: %s", got)
	}
}

// Checkpoints of one run are series of their own, called by their steps, each over the seeds.
func TestCheckpoints(t *testing.T) {
	var rows []eval.Row
	for seed := range uint64(2) {
		for _, steps := range []int{500, 1000} {
			for _, r := range run(measured("a", 100, []int{100, 90, steps / 20}), seed+1, -1) {
				r.TrainSteps = steps
				rows = append(rows, r)
			}
		}
	}
	s := studyOf(t, rows)
	if names := s.namesOf(s.Encodings); !slices.Equal(names, []string{"a (1000 steps)", "a (500 steps)"}) {
		t.Errorf("series %q", names)
	}
	for _, of := range s.Tasks[0].Series {
		if len(of.runs) != 2 {
			t.Errorf("%s has %d runs", of.Name, len(of.runs))
		}
	}
}

// Small models of two sizes are two series, each over its seeds, wherever their runs stopped. Over
// several tasks a note says that ranks are of sizes.
func TestSmallSizes(t *testing.T) {
	var rows []eval.Row
	for seed := range uint64(3) {
		for i, parameters := range []int64{52_096, 102_080} {
			for _, r := range run(measured("a", 100, []int{100, 90, 60}), seed+1, -1) {
				r.Parameters, r.TrainSteps = parameters, 1000*(i+1)+100*int(seed)
				r.ConfigHash = fmt.Sprintf("%d of %d", seed, parameters)
				rows = append(rows, r)
			}
		}
	}
	s := studyOf(t, rows)
	if names := s.namesOf(s.Encodings); !slices.Equal(names, []string{"a (0.052 M parameters)", "a (0.1 M parameters)"}) {
		t.Errorf("series %q", names)
	}
	other := slices.Clone(rows)
	for i := range other {
		other[i].Task = "reverse"
	}
	s = studyOf(t, slices.Concat(rows, other))
	if len(s.Tasks) != 2 || len(s.namesOf(s.Encodings)) != 2 {
		t.Errorf("over two tasks: series %q", s.namesOf(s.Encodings))
	}
}

// By hand: without ties 1 − 6Σd²/n(n²−1); with ties Pearson's correlation of the mean ranks.
func TestSpearman(t *testing.T) {
	theirs := contest{"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}
	for _, tc := range []struct {
		name        string
		ours        contest
		n           int
		rho         float64
		differences string
	}{
		{"the same", contest{"a": 0.9, "b": 0.5, "c": 0.4, "d": 0}, 4, 1, "none"},
		{"reversed", contest{"a": 1, "b": 2, "c": 3, "d": 4}, 4, -1, "d (1 here, 4 published) and a (4 here, 1 published)"},
		{"two swapped", contest{"a": 0.9, "b": 0.4, "c": 0.5, "d": 0}, 4, 1 - 6*2./60,
			"c (2 here, 3 published) and b (3 here, 2 published)"},
		// ranks 1, 2, 3.5, 3.5 against 1, 2, 3, 4: cov 4.5, variances 4.5 and 5
		{"two that tie", contest{"a": 0.9, "b": 0.5, "c": 0, "d": 0}, 4, 4.5 / math.Sqrt(4.5*5),
			"c (3.5 here, 3 published) and d (3.5 here, 4 published)"},
		{"one that is not published", contest{"a": 0.9, "b": 0.5, "c": 0.1, "d": 0, "x": 1}, 4, 1, "none"},
		{"all alike", contest{"a": 0, "b": 0, "c": 0, "d": 0}, 4, math.NaN(), "a (2.5 here, 1 published) and d (2.5 here, 4 published)"},
	} {
		n, rho, differences := agreement(tc.ours, theirs)
		if n != tc.n || differences != tc.differences || !(math.Abs(float64(rho)-tc.rho) < 1e-12 || math.IsNaN(tc.rho) && !rho.Known()) {
			t.Errorf("%s: %v over %d, %s; want %v over %d, %s", tc.name, rho, n, differences, tc.rho, tc.n, tc.differences)
		}
	}
	if n, rho, _ := agreement(contest{"a": 1, "b": 0.5, "c": 0}, theirs); n != 3 || rho.Known() {
		t.Error("three encodings have an order to compare")
	}
}

// On copy-rsc the paper has nope, t5 and then alibi and rope alike at lengths 30 and 40; ours swaps
// the middle ones. Longer ones, which the paper lacks, turn our order round and change nothing.
func TestAgreements(t *testing.T) {
	var all [][]eval.Row
	for encoding, beyond := range map[string]int{"nope": 90, "t5": 40, "alibi": 60, "rope": 0, "new": 95} {
		rows := measured(encoding, 100, []int{100, 100, beyond, beyond, 100 - beyond, 100 - beyond, 100 - beyond})
		for i := range rows {
			rows[i].Task = "copy-rsc"
		}
		all = append(all, rows)
	}
	s := studyOf(t, all...)
	if len(s.AgreementTable.Lines) != 2 || s.AgreementTable.Lines[1][0].Text != "all, by mean reciprocal rank" {
		t.Fatalf("agreements %+v", s.AgreementTable)
	}
	want := []string{"copy-rsc", "2 lengths, 30–40", "4", "0.63", "alibi (2 here, 3.5 published)"}
	if got := lists.Map(s.AgreementTable.Lines[0], func(c Cell) string { return c.Text }); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	isPublished := func(r rank) bool { return r.Published.Known() }
	if !slices.ContainsFunc(s.Ranks, isPublished) {
		t.Error("no published ranks beside ours")
	}
	if s.Tokens.AgreementTable.Lines != nil {
		t.Error("the paper has no order by tokens right")
	}
	for _, of := range all[:len(all):len(all)] {
		of = slices.Clone(of)
		for i := range of {
			of[i].Task = "unique-copy"
		}
		all = append(all, of)
	}
	if s.Summary != "" {
		t.Errorf("ranks of one task lead with %q", s.Summary)
	}
	s = studyOf(t, all...)
	if lines := s.AgreementTable.Lines; len(lines) != 1 || lines[0][0].Text != "copy-rsc" {
		t.Errorf("with a task that the paper has not: %+v", lines)
	}
	if slices.ContainsFunc(s.Ranks, isPublished) {
		t.Error("published ranks beside those of a task that the paper has not")
	}
	const lead = "Ranked over 2 tasks by the mean beyond the trained lengths, rope comes first (mean reciprocal ranks: rope 1.00, " +
		"t5 0.50, alibi 0.33, nope 0.25 and new 0.20). Spearman's correlation with the published order is 0.63 on copy-rsc."
	if s.Summary != lead {
		t.Errorf("two tasks lead with %q, want %q", s.Summary, lead)
	}
}

const small = `# A paper, 2025
#
# One caveat
# in two lines.
#
# Another.
task,encoding,size,lr,ended,1-50,51-100,120
copy,nope,1l1h16d,0.001,fit,1,0.5,
copy,nope,1l1h16d,0.001,max steps,0.9,0.1,
copy,nope,1l1h16d,0.001,fit,1,0.7,
copy,rope,,0.001,,1,0,0
copy,alibi,,,,1,0,0
copy,t5,1l1h16d,,,1,0,0
`

func TestReadPublished(t *testing.T) {
	p, err := parsePublished([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if p.Source != "A paper, 2025" || !slices.Equal(p.Caveats, []string{"One caveat in two lines.", "Another."}) ||
		len(p.models) != 4 || p.models[0].fit != (fit{3, 2, 0}) || p.models[1].fit != (fit{1, 0, 1}) {
		t.Errorf("%+v", p)
	}
	setups := lists.Map(p.models, func(m publishedModel) string { return m.setup })
	if want := []string{"1l1h16d, learning rate 0.001", "learning rate 0.001", "", "1l1h16d"}; !slices.Equal(setups, want) {
		t.Errorf("setups %q, want %q", setups, want)
	}
	for text, want := range map[string]string{
		strings.Replace(small, "# A paper, 2025", "task,x", 1):       "no comment names their source",
		strings.Replace(small, "51-100", "51..100", 1):               `column "51..100": want a length, such as 20, or a bin`,
		strings.Replace(small, "0.7,", "70,", 1):                     `accuracy "70" at 51-100: want a number in 0..1`,
		strings.Replace(small, "task,encoding", "model,encoding", 1): "do not begin with the columns",
	} {
		if _, err := parsePublished([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Bins are compared one by one: medians over runs, and means over those that fitted.
func TestComparedBins(t *testing.T) {
	p, err := parsePublished([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	var rows []eval.Row
	for seed, correct := range []int{40, 60, 90} {
		r := row("nope", 100, correct, 100)
		r.LengthMin, r.Split, r.TrainMin, r.TrainMax, r.TrainSeed = 51, "test", 1, 50, uint64(seed)
		r.FittedStep = new(seed) // the first did not
		rows = append(rows, r)
	}
	s, err := New(rows, Options{Published: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Published) != 1 || s.Source != "A paper, 2025" {
		t.Fatalf("%+v", s.Published)
	}
	c := s.Published[0]
	near := cmp.Comparer(func(a, b Number) bool { return math.Abs(float64(a-b)) < 1e-12 })
	if diff := cmp.Diff([]Number{0.6, 0.75, 0.5, 0.6, 0.1}, []Number{c.Ours.All.Median, c.Ours.Fitted, c.Theirs.All.Median,
		c.Theirs.Fitted, c.Difference}, near); diff != "" {
		t.Errorf("medians and means of fitted (-want +got):\n%s", diff)
	}
	if c.Lengths != "51–100" || c.Ours.Fit != (fit{3, 2, 0}) || c.Theirs.Fit != (fit{3, 2, 0}) ||
		c.Setup != "published: 1l1h16d, learning rate 0.001; here: 0.0 M parameters, 0 steps" {
		t.Errorf("%+v", c)
	}
}

// The numbers of the formal framework are all runs of its paper, in this project's names.
func TestFormalFramework(t *testing.T) {
	p, err := ReadPublished("../../studies/formal-framework/published.csv")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, m := range p.models {
		runs += len(m.runs)
		if m.task == "unique-copy+alphabet150" && m.encoding == "learned" {
			// the paper's table: 99.9 and 98.7 %
			s := m.side([]task.Span{{Min: 101, Max: 150}})
			if m.fit != (fit{5, 5, 0}) || math.Abs(float64(s.Fitted)-0.987) > 5e-4 {
				t.Errorf("unique copy: %v, %v", m.fit, s.Fitted)
			}
		}
	}
	if runs != 195 || !strings.Contains(p.Source, "2410.02140") {
		t.Errorf("%d runs of %s", runs, p.Source)
	}
}

// Signs are of what is written: what rounds to 0 has none.
func TestSigns(t *testing.T) {
	for n, want := range map[Number][2]string{
		0.8: {"0.80", "+80.0"}, -0.25: {"−0.25", "−25.0"}, 0: {"0.00", "0.0"}, -0.004: {"0.00", "−0.4"},
		-0.0004: {"0.00", "0.0"}, Number(math.Inf(1)): {"–", "–"},
	} {
		if got := [2]string{n.signed2(), n.points()}; got != want {
			t.Errorf("%v: %q, want %q", float64(n), got, want)
		}
	}
}
