package runtime_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// answering builds a model's file that is run step by step, and the one that answers whole
// prompts in one call.
func answering(t testing.TB, encoding string, units int) (steps, answers []byte) {
	t.Helper()
	m, err := models.New(models.Config{Encoding: encoding, DModel: 32, NLayers: 2, NHeads: 4, DFF: units, VocabSize: 50,
		EncodingParams: map[string][]byte{"learned": []byte(`{"max_length":40}`)}[encoding]})
	if err != nil {
		t.Fatal(err)
	}
	params := m.Params()
	for i := range params {
		params[i].Std *= 10
	}
	made := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(params, 1), Card: card.Card{Tokenizer: vocabulary(50)}}
	if steps, err = made.ONNX(card.Portable); err != nil {
		t.Fatal(err)
	}
	made.Looped = true
	if answers, err = made.ONNX(card.Portable); err != nil {
		t.Fatal(err)
	}
	return steps, answers
}

// TestAnswers: a session of a file that answers whole prompts generates as any other does,
// with a limit for each row too, and for several callers at once.
func TestAnswers(t *testing.T) {
	for _, encoding := range []string{"learned", "lstm"} {
		stepsFile, answersFile := answering(t, encoding, 64)
		steps, answers := open(t, stepsFile, runtime.Options{}), open(t, answersFile, runtime.Options{})
		prompts := [][]int64{{2, 3, 4, 5, 6, 7, 8, 9}, {10}, {4, 1, 2}}
		for _, opt := range []runtime.GenerateOptions{
			{MaxNew: 20}, {Limits: []int{1, 30, 7}}, {MaxNew: 1}, {MaxNew: 9, Stop: []int64{1}},
		} {
			want, err := runtime.Tokens(steps.Generate(t.Context(), prompts, opt))
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					got, err := runtime.Tokens(answers.Generate(t.Context(), prompts, opt))
					if diff := cmp.Diff(want, got); err != nil || diff != "" {
						t.Errorf("%s, %+v: error %v, answers (-step by step +in one call):\n%s", encoding, opt, err, diff)
					}
				})
			}
			group.Wait()
		}
		want, err := steps.Complete(t.Context(), "a", runtime.GenerateOptions{MaxNew: 12})
		if err != nil {
			t.Fatal(err)
		}
		got, err := answers.Complete(t.Context(), "a", runtime.GenerateOptions{MaxNew: 12})
		if err != nil || got != want || got == "" {
			t.Errorf("%s: %q completed in one call, %q step by step, error %v", encoding, got, want, err)
		}
	}
}

// TestAnswersRefuse: what such a file cannot do is an error that says so.
func TestAnswersRefuse(t *testing.T) {
	_, file := answering(t, "learned", 64)
	if s, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"}); err == nil {
		s.Close()
		t.Error("the pure-Go engine takes the file")
	} else if !strings.Contains(err.Error(), "provider go does not run the Loop of a file that gives whole answers; use provider cpu") {
		t.Errorf("pure Go: error %v", err)
	}
	s := open(t, file, runtime.Options{})
	row := [][]int64{{2, 3}}
	_, logits := s.Logits(t.Context(), row)
	_, score := s.Score(t.Context(), row, []int{1}, nil)
	gen := func(prompts [][]int64, opt runtime.GenerateOptions) error {
		_, err := runtime.Tokens(s.Generate(t.Context(), prompts, opt))
		return err
	}
	for name, tc := range map[string]struct {
		err   error
		is    error
		words string
	}{
		"logits":      {logits, runtime.ErrLooped, "runtime: logits: the file gives whole answers only"},
		"score":       {score, runtime.ErrLooped, "runtime: score: the file gives whole answers only"},
		"temperature": {gen(row, runtime.GenerateOptions{Sampling: runtime.Sampling{Temperature: 1}}), runtime.ErrLooped, "the temperature is 1, expected 0"},
		"penalty":     {gen(row, runtime.GenerateOptions{Sampling: runtime.Sampling{PresencePenalty: 1}}), runtime.ErrLooped, "penalties or a logit bias are wanted, expected none"},
		"per row":     {gen(row, runtime.GenerateOptions{PerRow: make([]runtime.Sampling, 1)}), runtime.ErrLooped, "sampling for each prompt"},
		"log-probs":   {gen(row, runtime.GenerateOptions{LogProbs: true}), runtime.ErrLooped, "log-probabilities are wanted, expected none"},
		"no stop":     {gen(row, runtime.GenerateOptions{Stop: []int64{}}), runtime.ErrLooped, "stop tokens are [], and the file ends answers at [1]"},
		"other stops": {gen(row, runtime.GenerateOptions{Stop: []int64{1, 2}}), runtime.ErrInput, "stop tokens are [1 2]"},
		"too long":    {gen(row, runtime.GenerateOptions{MaxNew: 40}), runtime.ErrTooLong, "it takes 41 positions, the model has 40"},
		"no such id":  {gen([][]int64{{50}}, runtime.GenerateOptions{}), runtime.ErrInput, "prompt 0 has token id 50"},
	} {
		if !errors.Is(tc.err, tc.is) || !strings.Contains(tc.err.Error(), tc.words) {
			t.Errorf("%s: error %v", name, tc.err)
		}
	}
	_, file = answering(t, "lstm", 64)
	s = open(t, file, runtime.Options{})
	if err := gen(row, runtime.GenerateOptions{MaxNew: 1 << 20}); err == nil ||
		!strings.Contains(err.Error(), "prompt 0 has 2 tokens, and 1048576 new ones are wanted; the file takes 1048576 in all") {
		t.Errorf("too many: error %v", err)
	}
}

// TestAnswersStop: a call that computes for long ends with its context.
func TestAnswersStop(t *testing.T) {
	_, file := answering(t, "lstm", 64)
	s := open(t, file, runtime.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	prompt := make([]int64, 1<<19) // read token by token
	if _, err := runtime.Tokens(s.Generate(ctx, [][]int64{prompt}, runtime.GenerateOptions{MaxNew: 1})); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after %v: error %v", time.Since(start), err)
	}
}
