package runtime_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// bytesModel continues a text whose bytes are tokens.
func bytesModel(t *testing.T, text string) *runtime.Session {
	t.Helper()
	pieces, err := tokenizer.Vocabulary(tokenizer.Bytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, follower(t, pieces, text), runtime.Options{Provider: "go"})
}

// TestStreamCharacters: a character of several tokens comes whole, and bytes that are none at
// the end of an answer as U+FFFD.
func TestStreamCharacters(t *testing.T) {
	s := bytesModel(t, "a é😀.") // no byte twice
	for _, tt := range []struct {
		prompt string
		limit  int
		want   []string
	}{
		{"a", 20, []string{" ", "é", "😀", "."}},
		{"a ", 20, []string{"é", "😀", "."}},
		{"a", 5, []string{" ", "é", "\uFFFD\uFFFD"}},
		{"a é", 1, []string{"\uFFFD"}},
	} {
		var got []string
		for step, err := range s.Stream(t.Context(), texts(tt.prompt), runtime.GenerateOptions{MaxNew: tt.limit}) {
			if err != nil {
				t.Fatal(err)
			}
			if step.Text != "" {
				got = append(got, step.Text)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q, %d tokens: pieces %q, want %q", tt.prompt, tt.limit, got, tt.want)
		}
	}
}

func TestStopStrings(t *testing.T) {
	const text = "a bé😀.xyz"
	s := bytesModel(t, text)
	ids, err := s.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		stops  []string
		limit  int
		want   string
		finish string
		tokens int // with the stop token, and up to the end of a stop string
	}{
		{nil, 50, " bé😀.xyz", runtime.FinishToken, 13},
		{nil, 13, " bé😀.xyz", runtime.FinishToken, 13}, // both
		{nil, 12, " bé😀.xyz", runtime.FinishLimit, 12},
		{[]string{"😀"}, 50, " bé", runtime.FinishString, 8},
		{[]string{".xy"}, 50, " bé😀", runtime.FinishString, 11},
		{[]string{".xyzz", "q"}, 50, " bé😀.xyz", runtime.FinishToken, 13}, // held back to the end
		{[]string{".xyzz"}, 11, " bé😀.xy", runtime.FinishLimit, 11},
		{[]string{" "}, 50, "", runtime.FinishString, 1},
		{[]string{".xyz"}, 12, " bé😀", runtime.FinishString, 12}, // at the limit
		{[]string{"\uFFFD"}, 6, " bé", runtime.FinishString, 6},
	} {
		opt := runtime.GenerateOptions{MaxNew: tt.limit, StopStrings: tt.stops, LogProbs: true}
		out, err := runtime.Completions(s.Stream(t.Context(), texts("a"), opt))
		if err != nil {
			t.Fatal(err)
		}
		want := runtime.Completion{Text: tt.want, Tokens: append(slices.Clone(ids[1:]), 1)[:tt.tokens],
			Finish: tt.finish, PromptTokens: 1}
		got := out[0]
		if len(got.LogProbs) != len(got.Tokens) {
			t.Errorf("stops %q, limit %d: %d tokens with %d log-probabilities", tt.stops, tt.limit, len(got.Tokens),
				len(got.LogProbs))
		}
		got.LogProbs = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stops %q, limit %d (-want +got):\n%s", tt.stops, tt.limit, diff)
		}
		// Tokens alone end there, too.
		if rows := generate(t, s, [][]int64{ids[:1]}, opt); !slices.Equal(rows[0], want.Tokens) {
			t.Errorf("stops %q, limit %d: tokens %v, want %v", tt.stops, tt.limit, rows[0], want.Tokens)
		}
	}
}

// TestStreamAll: steps of several prompts, texts and token ids, add up to what each gets alone.
func TestStreamAll(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{})
	stop, err := s.Decode(generate(t, s, [][]int64{{2}}, runtime.GenerateOptions{MaxNew: 6, Stop: []int64{}})[0][3:5])
	if err != nil {
		t.Fatal(err)
	}
	prompts := []runtime.Prompt{{Text: "a"}, {IDs: []int64{3, 2, 7}}, {IDs: []int64{9}}, {Text: "a "}}
	opt := runtime.GenerateOptions{Limits: []int{20, 3, 20, 8}, StopStrings: []string{stop}, LogProbs: true, TopLogProbs: 2}
	together, err := runtime.Completions(s.Stream(t.Context(), prompts, opt))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range prompts {
		alone := opt
		alone.Limits = opt.Limits[i : i+1]
		one, err := runtime.Completions(s.Stream(t.Context(), []runtime.Prompt{p}, alone))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one[0], together[i], close64); diff != "" {
			t.Errorf("prompt %d (-alone +together):\n%s", i, diff)
		}
	}
	if f := together[0].Finish; f != runtime.FinishString || len(together[0].Tokens) > 5 {
		t.Errorf("the first answer ended by %q after %d tokens", f, len(together[0].Tokens))
	}
	texts, tokens, finished := make([]string, 4), make([]int, 4), make([]bool, 4)
	for step, err := range s.Stream(t.Context(), prompts, opt) {
		if err != nil {
			t.Fatal(err)
		}
		i := step.Prompt
		texts[i] += step.Text
		want := together[i]
		if tokens[i]++; step.Tokens != tokens[i] || step.Token != want.Tokens[tokens[i]-1] || finished[i] {
			t.Errorf("prompt %d: step %+v comes as token %d of %v", i, step, tokens[i], want.Tokens)
		}
		if l := step.LogProbs; l == nil || len(l.Top) != 2 || math.Abs(l.Chosen-want.LogProbs[tokens[i]-1].Chosen) > 1e-4 {
			t.Errorf("prompt %d, token %d: log-probabilities %v", i, tokens[i], l)
		}
		if finished[i] = step.Finish != ""; finished[i] && step.Finish != want.Finish || step.PromptTokens != want.PromptTokens {
			t.Errorf("prompt %d: step %+v, the answer is %+v", i, step, want)
		}
		if !utf8.ValidString(step.Text) {
			t.Errorf("step %+v", step)
		}
	}
	for i, text := range texts {
		if text != together[i].Text || !finished[i] {
			t.Errorf("prompt %d: steps say %q, the answer is %q", i, text, together[i].Text)
		}
	}
}

// TestTextErrors: what cannot be done with texts is ErrInput, and says where.
func TestTextErrors(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	all := func(s *runtime.Session, prompts []runtime.Prompt, opt runtime.GenerateOptions) error {
		_, err := runtime.Completions(s.Stream(t.Context(), prompts, opt))
		return err
	}
	stops := func(stops ...string) error {
		return all(s, texts("a"), runtime.GenerateOptions{StopStrings: stops})
	}
	rnn, _, _ := recurrent(t)
	bare := open(t, rnn, runtime.Options{Provider: "go"})
	_, ids := runtime.Tokens(bare.Generate(t.Context(), [][]int64{{1}}, runtime.GenerateOptions{StopStrings: []string{"a"}}))
	for want, err := range map[string]error{
		"there is no prompt":              all(s, nil, runtime.GenerateOptions{}),
		`prompt 1: runtime: encode: `:     all(s, texts("a", "zebra"), runtime.GenerateOptions{}),
		"prompt 1 is empty":               all(s, []runtime.Prompt{{Text: "a"}, {IDs: []int64{}}}, runtime.GenerateOptions{}),
		"stop string 1 is empty":          stops("a", ""),
		`stop string 0 is "\xff"`:         stops("\xff"),
		"stop string 0 has 1001 bytes":    stops(strings.Repeat("a", 1001)),
		"there are 101 stop strings":      stops(slices.Repeat([]string{"a"}, 101)...),
		"stop strings: the model has no ": ids,
	} {
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, runtime.ErrInput) {
			t.Errorf("error is %v, want ErrInput with %q", err, want)
		}
	}
	if err := all(bare, texts("a"), runtime.GenerateOptions{}); !errors.Is(err, runtime.ErrNoTokenizer) {
		t.Errorf("texts of a model without tokenizer: %v", err)
	}
}

// TestScoreText: the numbers are those of Score, and the texts make up the whole.
func TestScoreText(t *testing.T) {
	s := bytesModel(t, "a é😀.")
	ids, err := s.Encode(t.Context(), "a é")
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Score(t.Context(), [][]int64{ids}, []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := s.ScoreText(t.Context(), ids, 1)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for i, step := range steps {
		text += step.Text
		if i == 0 && step.LogProbs != nil || i > 0 && step.LogProbs.Chosen != want[0][i-1] {
			t.Errorf("token %d: %+v, want %v", i, step.LogProbs, want[0])
		}
	}
	if text != "a é" || steps[3].Start != 2 {
		t.Errorf("text %q, the last byte begins at %d", text, steps[3].Start)
	}
	if one, err := s.ScoreText(t.Context(), ids[:1], 0); err != nil || one[0].Text != "a" {
		t.Errorf("one token: %+v, %v", one, err)
	}
	for _, bad := range [][]int64{nil, {-1}, {99999}} {
		if _, err := s.ScoreText(t.Context(), bad, 0); !errors.Is(err, runtime.ErrInput) {
			t.Errorf("%v: error %v, want %v", bad, err, runtime.ErrInput)
		}
	}
	if _, err := s.ScoreText(t.Context(), ids, 1e9); !errors.Is(err, runtime.ErrInput) {
		t.Errorf("too many at the top: %v", err)
	}
}
