package eval_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// finder finds the pass key in what it reads.
type finder struct {
	words   tokenizer.Coder
	prompts []string
	tokens  []int // of each prompt and its answer
	says    func(key string) string
}

var passKey = regexp.MustCompile(`The pass key is (\d+)\. Remember it`)

func (r *finder) Generate(ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func()) ([][]int64, error) {
	onStep()
	out := make([][]int64, len(prompts))
	for i, ids := range prompts {
		text, err := r.words.Decode(ids)
		if err != nil || stop != eval.NoStop {
			return nil, errors.Join(err, errors.New("an answer has no end"))
		}
		r.prompts, r.tokens = append(r.prompts, text), append(r.tokens, len(ids)+limits[i])
		keys := passKey.FindAllStringSubmatch(text, -1)
		out[i], err = r.words.Encode(ctx, r.says(keys[len(keys)-1][1])+strings.Repeat("!", limits[i]))
		if err != nil {
			return nil, err
		}
		out[i] = out[i][:limits[i]]
	}
	return out, nil
}

// Score is certain of nothing, so that all is generated.
func (r *finder) Score(_ context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	for i := range ids {
		out[i] = slices.Repeat([]float64{-1}, len(ids[i])-from[i])
	}
	return out, nil
}

// ScoreText is of a model that puts first the token that followed the last occurrence of the one before it.
func (r *finder) ScoreText(_ context.Context, ids []int64, top int) ([]runtime.TextStep, error) {
	r.tokens = append(r.tokens, len(ids))
	steps := make([]runtime.TextStep, len(ids))
	for i := 1; i < len(ids); i++ {
		next := int64(0)
		for k := 1; k < i; k++ {
			if ids[k-1] == ids[i-1] {
				next = ids[k]
			}
		}
		probs := &runtime.LogProbs{Chosen: -0.5}
		probs.Top = slices.Grow(probs.Top, top)[:top]
		probs.Top[0].ID = next
		steps[i].LogProbs = probs
	}
	return steps, nil
}

func byteWords(t *testing.T) (card.Card, *tokenizer.Tokenizer) {
	t.Helper()
	pieces, err := task.Vocabulary(tokenizer.Bytes, lookupTask(t, "passkey"))
	if err != nil {
		t.Fatal(err)
	}
	words, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	return card.Card{Architecture: "decoder", Positions: card.Contiguous, Profile: card.Portable, Tokenizer: pieces}, words
}

func lookupTask(t *testing.T, name string) task.Task {
	t.Helper()
	k, err := task.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func measureInTokens(t *testing.T, m eval.Model, c card.Card, name string, length int, change func(*eval.Config)) (eval.Row, error) {
	cfg := eval.Config{Task: lookupTask(t, name), N: 4, Batch: 2, Seed: 1, Split: task.Test, Vocab: len(c.Tokenizer)}
	change(&cfg)
	return eval.Measure(t.Context(), m, c, cfg, task.At(length))
}

// A prompt and the room for its answer have exactly the tokens that were asked for, under each tokenizer; the fact stands at
// its depth, and the same seed gives the same prompts.
func TestInTokens(t *testing.T) {
	c, words := byteWords(t)
	for _, name := range []string{"passkey+tokens", "passkey+tokens+shots2"} {
		for _, depth := range []int{0, 30, 100} {
			for _, length := range []int{700, 1001, 4096} {
				r := &finder{words: words, says: func(key string) string { return " is " + key + "." }}
				at := func(cfg *eval.Config) { cfg.Depth = &depth }
				row, err := measureInTokens(t, r, c, name, length, at)
				if err != nil || row.Accuracy != 1 || row.N != 4 || *row.Depth != depth || row.Length != length || !row.Untimed {
					t.Fatalf("%s at %d: %+v, %v", name, length, row, err)
				}
				for i, prompt := range r.prompts {
					if r.tokens[i] != length {
						t.Errorf("%s: %d tokens, want %d", name, r.tokens[i], length)
					}
					if n := strings.Count(prompt, "What is the pass key?"); (n == 3) != strings.Contains(name, "shots2") {
						t.Errorf("%s: %d questions", name, n)
					}
					_, text, _ := strings.Cut(prompt[strings.LastIndex(prompt, "There is a pass key"):], "text.")
					before, after, _ := strings.Cut(text, "The pass key is")
					after, _, _ = strings.Cut(strings.SplitN(after, "the pass key.", 2)[1], "\n")
					if got := 100 * len(before) / (len(before) + len(after)); got < depth-8 || got > depth+8 {
						t.Errorf("%s at %d: depth %d, want %d", name, length, got, depth)
					}
				}
				again := &finder{words: words, says: r.says}
				if _, err := measureInTokens(t, again, c, name, length, at); err != nil || !slices.Equal(again.prompts, r.prompts) {
					t.Errorf("%s: the same seed gives other prompts (%v)", name, err)
				}
			}
		}
	}
	wrong := &finder{words: words, says: func(key string) string { return " 1" + key }}
	row, err := measureInTokens(t, wrong, c, "passkey+tokens", 700, func(*eval.Config) {})
	if err != nil || row.Accuracy != 0 || *row.Loss != 1 {
		t.Errorf("another number: %+v, %v", row.Score, err)
	}
}

// A sequence of random tokens is right where the token is put first; all of its second half counts.
func TestInductionInTokens(t *testing.T) {
	c, words := byteWords(t)
	r := &finder{words: words}
	row, err := measureInTokens(t, r, c, "induction+tokens", 32, func(*eval.Config) {})
	if err != nil || row.N != 4*16 || row.Distinct != 4 || row.Correct == 0 || row.Correct == row.N || *row.Loss != 0.5 {
		t.Errorf("%+v, %v", row.Score, err)
	}
	if !slices.Equal(r.tokens, []int{32, 32, 32, 32}) {
		t.Errorf("%d tokens were read", r.tokens)
	}
}

// What cannot be is refused, or not available, with the reason.
func TestInTokensRefuses(t *testing.T) {
	c, words := byteWords(t)
	at := func(depth int) func(*eval.Config) { return func(cfg *eval.Config) { cfg.Depth = &depth } }
	bounded := c
	bounded.MaxLength = 500
	none := c
	none.Tokenizer = nil
	for _, tc := range []struct {
		c      card.Card
		task   string
		length int
		change func(*eval.Config)
		want   string
	}{
		{c, "passkey+tokens", 700, at(101), "depth is 101, expected 0 to 100"},
		{c, "induction+tokens", 700, at(50), "hides nothing at a depth"},
		{c, "passkey+tokens", 100, at(0), "a prompt without filler and its answer have"},
		{c, "induction+tokens", 1, func(*eval.Config) {}, "hold no sequence"},
		{bounded, "passkey+tokens", 501, at(0), "at most 500 declared"},
		{none, "passkey+tokens", 700, at(0), "the model has no tokenizer"},
	} {
		row, err := measureInTokens(t, &finder{words: words}, tc.c, tc.task, tc.length, tc.change)
		if reason := row.Reason; err != nil || !row.NA {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s at %d: %v, want %q", tc.task, tc.length, err, tc.want)
			}
		} else if !strings.Contains(reason, tc.want) {
			t.Errorf("%s at %d: %q, want %q", tc.task, tc.length, reason, tc.want)
		}
	}
}

// What a model has read of a prompt can be kept until its answer is known: the same is measured.
func TestKeep(t *testing.T) {
	c, _ := byteWords(t)
	m := modelfile.Model{Config: models.Config{Encoding: "alibi", DModel: 16, NLayers: 2, NHeads: 2, DFF: 32, VocabSize: len(c.Tokenizer)}, Card: c}
	m, err := m.Untrained()
	if err != nil {
		t.Fatal(err)
	}
	file, err := m.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: "go", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	measure := func(keep bool) (row eval.Row, last [2]int) {
		row, err := measureInTokens(t, eval.Of(s), s.Info().Card, "passkey+tokens", 900, func(cfg *eval.Config) {
			cfg.Keep, cfg.OnBatch = keep, func(done, total int) { last = [2]int{done, total} }
		})
		if err != nil {
			t.Fatal(err)
		}
		return row, last
	}
	again, _ := measure(false)
	once, last := measure(true)
	if diff := cmp.Diff(again, once, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Errorf("(-read again +kept):\n%s", diff)
	}
	if once.N != 4 || last != [2]int{8, 8} {
		t.Errorf("%d prompts, progress ends at %v", once.N, last)
	}
	short := s.Info().Card
	short.MaxLength = 500
	if row, err := measureInTokens(t, eval.Of(s), short, "passkey+tokens", 900, func(cfg *eval.Config) { cfg.Keep = true }); err != nil || !row.NA {
		t.Errorf("a prompt that is too long: %+v, %v", row, err)
	}
}
