package summary_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// of is a finding of a NoPE run on copy, trained on 1–10, at 10 on random tokens; at step 0 before training.
func of(seed uint64, steps int, change func(*eval.Finding)) eval.Finding {
	f := eval.Finding{Schema: eval.FindingSchema, Model: "copy-nope", Encoding: "nope", TrainSeed: seed, TrainSteps: steps,
		TrainMin: 1, TrainMax: 10, Task: "copy", Length: 10, Tokens: eval.RandomTokens, N: 4}
	if steps == 0 {
		f.Model += "@0"
	}
	change(&f)
	return f
}

func probed(seed uint64, steps, layers int, r2 float64) eval.Finding {
	return of(seed, steps, func(f *eval.Finding) {
		f.Measure, f.Layer, f.Probe = eval.FindProbe, layers, &eval.Probe{FitLength: 10, R2: r2}
	})
}

func fitted(seed uint64, steps, head, length int, content, both float64) eval.Finding {
	return of(seed, steps, func(f *eval.Finding) {
		f.Measure, f.Length, f.Logits = eval.FindLogits, length, &eval.LogitFit{Head: head, Heads: 2, Content: content, Both: both}
	})
}

func placed(seed uint64, steps, head int, label string, share float64) eval.Finding {
	return of(seed, steps, func(f *eval.Finding) {
		f.Measure, f.Attention = eval.FindAttention, &eval.Attention{Head: head, Heads: 2, Label: label, Positional: &share}
	})
}

func without(seed uint64, r2, after float64, ablated, control int) eval.Finding {
	score := func(right int) eval.CausalScore { return eval.CausalScore{TokensCorrect: right, Tokens: 10} }
	return of(seed, 100, func(f *eval.Finding) {
		f.Measure, f.Layer, f.Causal = eval.FindCausal, 1, &eval.Causal{R2: r2, R2After: after, Before: score(10),
			Ablated: score(ablated), AblatedControl: score(control), Patched: score(10), PatchedControl: score(10)}
	})
}

// text is a row of one run on a corpus, trained in windows of 16.
func text(encoding string, seed uint64, length int, bits float64) eval.Row {
	r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureText, Encoding: encoding, Architecture: "decoder", Task: "text-walls",
		TaskVersion: 1, Split: "test", TrainSeed: seed, TrainMin: 16, TrainMax: 16, Length: length, Batch: 8, Untimed: true}
	r.Model, r.Provider = encoding, "go"
	r.Text = &eval.TextScore{N: 20, Documents: 7, Bits: bits, Stride: 16, Sliding: bits}
	return r
}

// Verdicts of rows whose answer is known: learned, not learned, and undecided, with what the answer says.
func TestQuestions(t *testing.T) {
	both := func(f func(seed uint64) []eval.Finding) []eval.Finding { return append(f(1), f(2)...) }
	for _, tc := range []struct {
		name, key string
		rows      []eval.Row
		findings  []eval.Finding
		want      summary.Verdict
		says      []string
	}{
		{"the position is learned", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 0, 0.1), probed(1, 100, 1, 0.95), probed(1, 0, 1, 0.5)},
			summary.Yes, []string{"in 1 of 1 NoPE model (1 seed, 1 task): learned in 1, and there before training in 0.", "was not asked"}},
		{"it was there before", summary.AskTheorem1, nil, both(func(seed uint64) []eval.Finding {
			return []eval.Finding{probed(seed, 100, 1, 0.99), probed(seed, 0, 1, 0.95)}
		}), summary.Undecided, []string{"in 2 of 2 NoPE models (2 seeds, 1 task): learned in 0, and there before training in 2."}},
		{"nobody looked before", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.99)},
			summary.Undecided, []string{"learned in 0", "the untrained weights of 1 were not looked into"}},
		{"in the embeddings alone, in two runs", summary.AskTheorem1, nil, both(func(seed uint64) []eval.Finding {
			return []eval.Finding{probed(seed, 100, 0, 0.99), probed(seed, 100, 1, 0.5), probed(seed, 0, 1, 0.4)}
		}), summary.No, []string{"in none of 2 NoPE models", "the greatest R² is 0.50"}},
		{"not there, in one run", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.5), probed(1, 0, 1, 0.4)}, summary.Undecided, nil},
		{"used", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.95), without(1, 0.95, 0.2, 3, 9)},
			summary.Undecided, []string{"In 1 of 1 model answers get worse", "random directions do."}},
		{"not used", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.95), without(1, 0.95, 0.2, 3, 4)},
			summary.Undecided, []string{"In 0 of 1 model answers get worse", "; in 1 it was taken away, and they do not."}},
		{"not taken away", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.95), without(1, 0.95, 0.9, 3, 4)},
			summary.Undecided, []string{"; in 1 it lies in more directions than were taken."}},
		{"not there on the task's sequences", summary.AskTheorem1, nil, []eval.Finding{probed(1, 100, 1, 0.95), without(1, 0.5, 0.2, 3, 9)},
			summary.Undecided, []string{"In 0 of 1 model answers get worse", "; in 1 no probe reads it on the task's sequences."}},

		{"a head has the form", summary.AskTheorem2, nil, []eval.Finding{fitted(1, 100, 0, 10, 0.5, 0.95), fitted(1, 100, 1, 10, 0.95, 0.97),
			fitted(1, 0, 0, 10, 0.85, 0.9), fitted(1, 0, 1, 10, 0.9, 0.9), fitted(1, 100, 0, 20, 0.5, 0.6)}, summary.Yes,
			[]string{"1 of 2 heads of 1 NoPE model", "before training 0 did, and 1 learned to", "a median of 0.96 of both, of 0.72 of content and", "0 of 1 such head keep"}},
		{"content tells the logits, in two runs", summary.AskTheorem2, nil, both(func(seed uint64) []eval.Finding {
			return []eval.Finding{fitted(seed, 100, 0, 10, 0.95, 0.97)}
		}), summary.No, []string{"none of 2 heads of 2 NoPE models", "content and of 0.00 of distance alone."}},
		{"it had the form before", summary.AskTheorem2, nil, []eval.Finding{fitted(1, 100, 0, 10, 0.5, 0.95), fitted(1, 0, 0, 10, 0.5, 0.95),
			fitted(1, 100, 0, 20, 0.5, 0.95)}, summary.Undecided, []string{"before training 1 did, and 0 learned to", "1 of 1 such head keep"}},

		{"a positional head", summary.AskPositional, nil, []eval.Finding{placed(1, 100, 0, eval.RolePrevious, 0.95), placed(1, 100, 1, eval.RoleEven, 0.99),
			placed(1, 0, 0, eval.RoleMixed, 0.1), placed(1, 0, 1, eval.RoleEven, 0.99)}, summary.Yes,
			[]string{"1 of 2 heads", "at most and 97 % in the median; not counted: 1 head at 90 % or more"}},
		{"even heads, in two runs", summary.AskPositional, nil, both(func(seed uint64) []eval.Finding {
			return []eval.Finding{placed(seed, 100, 0, eval.RoleEven, 0.99), placed(seed, 100, 1, eval.RolePrevious, 0.4)}
		}), summary.No, []string{"none of 4 heads of 2 NoPE models (2 seeds, 1 task)"}},
		{"one run without", summary.AskPositional, nil, []eval.Finding{placed(1, 100, 0, eval.RoleMixed, 0.1)}, summary.Undecided, nil},

		{"as good as the best", summary.AskText, []eval.Row{text("nope", 1, 16, 2), text("nope", 2, 16, 2.02), text("rope", 1, 16, 2), text("rope", 2, 16, 2),
			text("alibi", 1, 16, 3), text("nope", 1, 32, 3)}, nil, summary.Yes,
			[]string{"NoPE has 2.010 bits per byte in windows of 16 tokens (2 runs), rope the best of 2 other encodings, 2.000 (2 runs)",
				"In windows of 32 tokens it has 3.000 and does not stay"}},
		{"one run of another is better", summary.AskText, []eval.Row{text("nope", 1, 16, 2.5), text("nope", 2, 16, 2.6), text("rope", 1, 16, 2), text("rope", 2, 16, 2.4),
			text("alibi", 1, 16, 1)}, nil, summary.No, []string{"rope the best of 2 other encodings, 2.200 (2 runs) but for alibi, 1.000 in a single run."}},
		{"worse in every run", summary.AskText, []eval.Row{text("nope", 1, 16, 2.5), text("nope", 2, 16, 2.6), text("rope", 1, 16, 2), text("rope", 2, 16, 2.4)},
			nil, summary.No, []string{"No longer windows were measured"}},
		{"worse in the median alone", summary.AskText, []eval.Row{text("nope", 1, 16, 2.5), text("nope", 2, 16, 2.6), text("rope", 1, 16, 2), text("rope", 2, 16, 2.55)},
			nil, summary.Undecided, nil},
		{"one run each", summary.AskText, []eval.Row{text("nope", 1, 16, 2), text("rope", 1, 16, 3)}, nil, summary.Undecided, []string{"(1 run)"}},
		{"alone", summary.AskText, []eval.Row{text("nope", 1, 16, 2), text("nope", 1, 32, 2.03)}, nil, summary.Undecided,
			[]string{"no other encoding", "and stays within 2 %"}},
	} {
		s := &summary.Study{}
		if len(tc.rows) > 0 {
			var err error
			if s, err = summary.New(tc.rows, summary.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		asked := summary.Questions(s, summary.Inside(tc.findings, nil))
		if len(asked) != 1 || asked[0].Key != tc.key || asked[0].Verdict != tc.want || len(asked[0].Answer) != 2 {
			t.Errorf("%s: %+v, want %s: %s", tc.name, asked, tc.key, tc.want)
			continue
		}
		all := strings.Join(asked[0].Answer, " ")
		for _, want := range append(tc.says, string(tc.want)+": ") {
			if !strings.Contains(all, want) {
				t.Errorf("%s: there is no %q in %s", tc.name, want, all)
			}
		}
	}
}

// What is of no NoPE run, or of one that was changed, is no answer.
func TestNoQuestions(t *testing.T) {
	rope, changed := probed(1, 100, 1, 0.99), probed(1, 100, 1, 0.99)
	rope.Encoding, changed.Intervention = "rope", "window=2"
	onTask := probed(1, 100, 1, 0.99)
	onTask.Tokens = eval.TaskTokens // where tokens may tell the position
	for _, f := range []eval.Finding{rope, changed, onTask, probed(1, 0, 1, 0.99)} {
		if asked := summary.Questions(&summary.Study{}, summary.Inside([]eval.Finding{f}, nil)); len(asked) > 0 {
			t.Errorf("%+v", asked)
		}
	}
}
