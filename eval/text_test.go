package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/tokenizer"
	_ "github.com/nopezoo/zoo/tokenizer/hf" // subwords
)

// reader is a model whose log-probability of a token depends on how many are before it.
type reader struct{ logProb func(before int) float64 }

func (r reader) Generate(context.Context, [][]int64, []int, int64, func()) ([][]int64, error) {
	return nil, errors.New("nothing is to be generated")
}

func (r reader) Score(_ context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	for i := range ids {
		for t := from[i]; t < len(ids[i]); t++ {
			out[i] = append(out[i], r.logProb(t))
		}
	}
	return out, nil
}

func textConfig(t *testing.T) (eval.TextConfig, card.Card) {
	t.Helper()
	var documents []task.Document
	for i := range 80 {
		documents = append(documents, task.Document{Text: strings.Repeat(fmt.Sprintf("line %d of è\n", i), 20)})
	}
	path := tasktest.WriteCorpus(t, "lines.jsonl", documents)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	c := card.Card{Encoding: "rope", Tokenizer: tasktest.Vocabulary(k), Task: task.Names([]task.Task{k}), Trained: card.Lengths{Min: 16, Max: 16}}
	return eval.TextConfig{Task: k, N: 30, Batch: 8, Seed: 1, Split: task.Test}, c
}

// A model that gives a token with i before it 2^−(1+1/i) has bits that can be added up by hand.
func TestMeasureText(t *testing.T) {
	cfg, c := textConfig(t)
	done := 0
	cfg.OnBatch = func(n, total int) { done = n * 100 / total }
	m := reader{func(before int) float64 { return -math.Ln2 * (1 + 1/float64(before)) }}
	row, err := eval.Measure(t.Context(), m, c, cfg, task.At(100))
	if err != nil || row.Text == nil || row.Measure != eval.MeasureText || row.Timed() || row.N > 0 || done != 100 {
		t.Fatalf("%+v, %v, %d %% done", row, err, done)
	}
	mean := func(from, to int) float64 {
		sum := 0.0
		for i := from; i <= to; i++ {
			sum += 1 + 1/float64(i)
		}
		return sum / float64(to-from+1)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s := row.Text
	if s.N != 30 || s.Tokens != 3000 || s.Bytes != 3000 || s.Stride != 64 || s.SlidingN != 30*64 || s.Documents < task.MinDocuments {
		t.Errorf("%+v", s)
	}
	near("bits", s.Bits, mean(1, 100))
	near("loss", s.Loss, math.Ln2*mean(1, 100))
	near("sliding", s.Sliding, mean(37, 100))
	near("standard error", s.BitsSE+s.SlidingSE, 0) // all windows are alike
	if e := s.Ends; len(e.Bits) != 30 || e.Bytes != nil || len(e.Texts) != 12 {
		t.Errorf("ends %+v", e)
	}
	for _, bits := range s.Ends.Bits {
		if math.Abs(bits-64*mean(37, 100)) > 5e-4+1e-9 {
			t.Errorf("a window's end has %v bits, want %v", bits, 64*mean(37, 100))
		}
	}
	for i, want := range []eval.PositionBits{{1, 1, mean(1, 1)}, {2, 2, mean(2, 2)}, {3, 4, mean(3, 4)}, {5, 8, mean(5, 8)},
		{9, 16, mean(9, 16)}, {17, 32, mean(17, 32)}, {33, 64, mean(33, 64)}, {65, 100, mean(65, 100)}} {
		got := s.Positions[i]
		if near("position", got.Bits, want.Bits); got.From != want.From || got.To != want.To {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	// the key of what is planned is the row's
	if eval.KeyOf(c, cfg, task.At(100)) != row.Key() {
		t.Errorf("keys differ: %+v and %+v", eval.KeyOf(c, cfg, task.At(100)), row.Key())
	}
	var b strings.Builder
	if err := eval.Write(&b, row); err != nil {
		t.Fatal(err)
	}
	back, err := eval.ReadJSONL(strings.NewReader(b.String()))
	if err != nil || back[0].Text == nil || back[0].Text.Bits != s.Bits || back[0].Key() != row.Key() {
		t.Errorf("%v: %s", err, b.String())
	}
}

// The ends of windows are of the same texts for all lengths, models and tokenizers that read them, and of others where
// other windows are drawn.
func TestTextEnds(t *testing.T) {
	cfg, c := textConfig(t)
	cfg.Longest = 100
	m := reader{func(before int) float64 { return -float64(before % 3) }}
	texts := func(length int) string {
		t.Helper()
		row, err := eval.Measure(t.Context(), m, c, cfg, task.At(length))
		if err != nil {
			t.Fatal(err)
		}
		return row.Text.Ends.Texts
	}
	want := texts(64)
	if got := texts(100); got != want {
		t.Errorf("windows of 100 tokens end with other texts than those of 64: %s, %s", got, want)
	}
	if texts(20) == want {
		t.Error("the last 20 tokens are as many as the last 64")
	}
	cfg.Seed = 2
	if texts(64) == want {
		t.Error("other windows have the same texts")
	}
}

// Ends that cannot be a row's are refused, and rows without ends are read.
func TestReadTextEnds(t *testing.T) {
	cfg, c := textConfig(t)
	row, err := eval.Measure(t.Context(), reader{func(int) float64 { return -1 }}, c, cfg, task.At(70))
	if err != nil {
		t.Fatal(err)
	}
	whole := *row.Text.Ends
	for want, change := range map[string]func(){
		"":                                func() { row.Text.Ends = nil },
		"ends of 29 windows":              func() { row.Text.Ends.Bits = row.Text.Ends.Bits[1:] },
		"the end of a window has -1 bits": func() { row.Text.Ends.Bits[0] = -1 },
		"bits per byte, the row has":      func() { row.Text.Ends.Bits[0] += 400 },
		"the end of a window has -1 bytes": func() {
			row.Text.Ends.Bytes = make([]int, 30)
			row.Text.Ends.Bytes[3] = -1
		},
		`of the texts ""`: func() { row.Text.Ends.Texts = "" },
	} {
		ends := whole
		ends.Bits = slices.Clone(ends.Bits)
		row.Text.Ends = &ends
		change()
		var b strings.Builder
		err := eval.Write(&b, row)
		if err == nil {
			_, err = eval.ReadJSONL(strings.NewReader(b.String()))
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// Windows that differ have a standard error: of two, half their difference.
func TestMeasureTextError(t *testing.T) {
	cfg, c := textConfig(t)
	cfg.N, cfg.Batch = 2, 1
	call := 0
	m := reader{func(int) float64 { call++; return -math.Ln2 * float64(1+call/11) }} // 10 tokens of each
	row, err := eval.Measure(t.Context(), m, c, cfg, task.At(10))
	if err != nil {
		t.Fatal(err)
	}
	if s := row.Text; math.Abs(s.Bits-1.5) > 1e-9 || math.Abs(s.BitsSE-0.5) > 1e-9 || s.Stride != 10 || s.Sliding != s.Bits {
		t.Errorf("%+v", s)
	}
}

// Of subwords it is the bytes of the text that count, not the tokens.
func TestMeasureSubwords(t *testing.T) {
	cfg, c := textConfig(t)
	var err error
	if c.Tokenizer, err = tokenizer.Vocabulary("bpe:512", nil, subwordText()); err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(c.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	documents, err := cfg.Task.Corpus.Encoded(tok, cfg.Split)
	if err != nil {
		t.Fatal(err)
	}
	windows, err := eval.DrawWindows(documents, 20, 0, cfg.N, cfg.Seed)
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, w := range windows {
		text, err := tok.Decode(w.IDs[1:])
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(text)
	}
	m := reader{func(int) float64 { return -3 * math.Ln2 }}
	row, err := eval.Measure(t.Context(), m, c, cfg, task.At(20))
	if err != nil {
		t.Fatal(err)
	}
	s := row.Text
	if s.Tokens != 20*len(windows) || s.Bytes != bytes || bytes <= s.Tokens {
		t.Errorf("%d tokens, %d bytes, want %d and %d, which are more", s.Tokens, s.Bytes, 20*len(windows), bytes)
	}
	if want := 3 * float64(s.Tokens) / float64(bytes); math.Abs(s.Bits-want) > 1e-9 {
		t.Errorf("%v bits per byte, want %v", s.Bits, want)
	}
}

// subwordText has pairs enough for 512 pieces, and words of textConfig's documents.
func subwordText() string {
	var b strings.Builder
	for i := range 400 {
		word := strconv.FormatInt(int64(i)*7919%17576+17576, 26) // of four characters
		fmt.Fprintf(&b, "line %d of è %s %s\n", i, word, word)
	}
	return b.String()
}

// Windows that end at the same places have the same tokens at their ends, and the key says which
// windows they are.
func TestMeasureTextPairs(t *testing.T) {
	cfg, c := textConfig(t)
	var err error
	if cfg.Longest, err = cfg.LongestWindow(c, []int{16, 64, 128, 100_000}); err != nil || cfg.Longest != 128 {
		t.Fatalf("longest %d, %v", cfg.Longest, err)
	}
	ends := map[int]string{}
	for _, length := range []int{64, 128} {
		m := recorder{}
		row, err := eval.Measure(t.Context(), &m, c, cfg, task.At(length))
		if err != nil || row.LongestWindow != 128 || row.Key() != eval.KeyOf(c, cfg, task.At(length)) {
			t.Fatalf("%+v, %v", row, err)
		}
		for _, ids := range m.asked {
			ends[length] += fmt.Sprint(ids[len(ids)-32:])
		}
	}
	if ends[64] != ends[128] {
		t.Error("windows of 64 and of 128 tokens end at different places")
	}
	alone := cfg
	if alone.Longest = 0; eval.KeyOf(c, alone, task.At(64)) == eval.KeyOf(c, cfg, task.At(64)) {
		t.Error("other windows have the same key")
	}
	short := cfg
	short.Longest = 64
	if _, err := eval.Measure(t.Context(), &recorder{}, c, short, task.At(128)); err == nil || !strings.Contains(err.Error(), "at most 64 tokens") {
		t.Errorf("error %v", err)
	}
	plain := cfg.Task
	plain.Corpus = nil
	if _, err := (eval.TextConfig{Task: plain, Split: cfg.Split}).LongestWindow(c, []int{1}); err == nil || !strings.Contains(err.Error(), "no running text") {
		t.Errorf("error %v", err)
	}
}

// recorder keeps what it was asked.
type recorder struct{ asked [][]int64 }

func (r *recorder) Generate(context.Context, [][]int64, []int, int64, func()) ([][]int64, error) {
	return nil, errors.New("nothing is to be generated")
}

func (r *recorder) Score(_ context.Context, ids [][]int64, from []int) (out [][]float64, _ error) {
	r.asked = append(r.asked, ids...)
	for i := range ids {
		out = append(out, make([]float64, len(ids[i])-from[i]))
	}
	return out, nil
}

func TestMeasureTextNA(t *testing.T) {
	cfg, c := textConfig(t)
	row, err := eval.Measure(t.Context(), nil, c, cfg, task.At(100_000))
	if err != nil || !row.NA || !strings.Contains(row.Reason, "documents have more than 100000 tokens") {
		t.Errorf("%+v, %v", row, err)
	}
	c.MaxLength = 64
	if row, err = eval.Measure(t.Context(), nil, c, cfg, task.At(65)); err != nil || !row.NA || !strings.Contains(row.Reason, "at most 64") {
		t.Errorf("%+v, %v", row, err)
	}
	copies, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Task = copies
	if _, err := eval.Measure(t.Context(), nil, c, cfg, task.At(5)); err == nil || !strings.Contains(err.Error(), "is no running text") {
		t.Errorf("error %v", err)
	}
	cfg, c = textConfig(t)
	infinite := reader{func(int) float64 { return math.Inf(-1) }}
	if _, err := eval.Measure(t.Context(), infinite, c, cfg, task.At(5)); err == nil || !strings.Contains(err.Error(), "-Inf") {
		t.Errorf("error %v", err)
	}
}
