package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// TextConfig says how a model is measured on running text. All but OnBatch must be set;
// Environment as far as it is known.
type TextConfig struct {
	Task  task.Task  // with a Corpus
	N     int        // windows at each length
	Batch int        // most windows in one call of the model
	Seed  uint64     // of the windows
	Split task.Split // Test, unless the model is measured on what it may have seen
	// Words is the tokenizer of a pretrained model; nil for the one of the model's card.
	Words tokenizer.Coder
	// Longest is the longest of the windows that are compared, in tokens (see LongestWindow): windows of all
	// lengths end at the same places, so that their errors can be paired. 0 stands for the length
	// that is measured.
	Longest int

	Environment Environment

	// OnBatch, when not nil, is told of windows done.
	OnBatch func(done, total int)
}

// TextScore is how well a model predicts text that it reads in windows of a length, each from
// nothing: N windows, drawn at random (see drawWindows), of which every token but the first
// counts. Bits per byte are the negated logarithms to base 2 of the tokens' probabilities,
// divided by the bytes of their texts, so that tokenizers can be compared.
//
// That is the protocol that Press et al. 2022 (ALiBi, arXiv 2108.12409, section 2) call
// nonoverlapping: a token has from one to Length tokens before it, and those early in a window
// are predicted badly by any model. In their sliding windows only the last Stride
// tokens of each count, which have the most context: of all lengths those are the same tokens,
// since their windows end at the same places.
type TextScore struct {
	N         int     `json:"n"`
	Asked     int     `json:"n_asked"`   // windows asked for; more than N where there are not as many
	Documents int     `json:"documents"` // that the windows are of
	Tokens    int     `json:"tokens"`    // predicted
	Bytes     int     `json:"bytes"`     // of their texts
	Loss      float64 `json:"loss"`      // nats per token
	Bits      float64 `json:"bits_per_byte"`
	BitsSE    float64 `json:"bits_per_byte_se"` // standard error over the windows; 0 for one

	Stride    int     `json:"stride"` // tokens at the end of each window that count for the next two
	SlidingN  int     `json:"sliding_bytes"`
	Sliding   float64 `json:"sliding_bits_per_byte"`
	SlidingSE float64 `json:"sliding_bits_per_byte_se"`

	Ends *windowEnds `json:"ends,omitempty"` // nil in older rows, and of very many windows

	// Positions are bits per byte by the place in the window, in steps that double.
	Positions []positionBits `json:"positions"`
}

// positionBits is of the tokens that have From to To tokens before them in the window, both
// included.
type positionBits struct {
	From int     `json:"from"`
	To   int     `json:"to"`
	Bits float64 `json:"bits_per_byte"`
}

// TextStride is how many tokens count at the end of a sliding window: at most so many, and no
// more than the window has.
const TextStride = 64

func (cfg TextConfig) row(c card.Card, span task.Span) Row {
	r := describe(c, cfg.Environment)
	r.Measure, r.Length, r.Batch = MeasureText, span.Max, cfg.Batch
	r.Task, r.TaskVersion, r.Split, r.Seed = cfg.Task.Name, cfg.Task.Version, string(cfg.Split), cfg.Seed
	r.Untimed, r.LongestWindow = true, cmp.Or(cfg.Longest, span.Max)
	return r
}

// LongestWindow returns the longest of lengths that enough documents of the corpus have, in tokens of a
// model; 0 for none.
func (cfg TextConfig) LongestWindow(c card.Card, lengths []int) (int, error) {
	if cfg.Task.Corpus == nil {
		return 0, fmt.Errorf("eval: task %s is no running text; name a corpus, text:NAME", cfg.Task.Name)
	}
	words, err := wordsOf(cfg.Words, c, cfg.Task)
	if err != nil {
		return 0, err
	}
	documents, err := cfg.Task.Corpus.Encoded(words, cfg.Split)
	return longestWindow(documents, lengths), err
}

func (cfg TextConfig) ask(r *Row) { r.Text = &TextScore{Asked: cfg.N} }

func (cfg TextConfig) check(span task.Span) error {
	var err error
	switch length := span.Max; {
	case cfg.Task.Corpus == nil:
		err = fmt.Errorf("task %s is no running text; name a corpus, text:NAME", cfg.Task.Name)
	case cfg.Split == "":
		err = errors.New("no split was chosen")
	case length < 1 || length > task.MaxLength:
		err = fmt.Errorf("length is %d, expected 1 to %d tokens", length, task.MaxLength)
	}
	return cmp.Or(err, checkRange("n", cfg.N, 1, MaxSamples), checkRange("batch", cfg.Batch, 1, MaxBatch))
}

func (cfg TextConfig) label(span task.Span) string {
	return fmt.Sprintf("model %s: task %s: length %d", cfg.Environment.Model, cfg.Task.Name, span.Max)
}

func (cfg TextConfig) measure(ctx context.Context, m Model, c card.Card, span task.Span, r *Row) (err error) {
	r.Text, err = cfg.score(ctx, m, c, span.Max)
	return err
}

func (cfg TextConfig) score(ctx context.Context, m Model, c card.Card, length int) (*TextScore, error) {
	words, err := wordsOf(cfg.Words, c, cfg.Task)
	if err != nil {
		return nil, err
	}
	before, err := cfg.before(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(before) + length; c.MaxLength > 0 && n > c.MaxLength {
		return nil, fmt.Errorf("%w: %d positions needed, at most %d declared", ErrTooLong, n, c.MaxLength)
	}
	documents, err := cfg.Task.Corpus.Encoded(words, cfg.Split)
	if err != nil {
		return nil, err
	}
	windows, err := drawWindows(documents, length, cfg.Longest, cfg.N, cfg.Seed)
	if err == nil && cfg.Longest > 0 && length > cfg.Longest {
		err = fmt.Errorf("the windows that are compared have at most %d tokens; raise TextConfig.Longest", cfg.Longest)
	}
	if err != nil || m == nil {
		return nil, err
	}
	t := &textTally{words: words, length: length, stride: min(length, TextStride), documents: map[int]bool{}}
	done := 0
	for group := range slices.Chunk(windows, cfg.Batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids, from := make([][]int64, len(group)), slices.Repeat([]int{len(before) + 1}, len(group))
		for i, w := range group {
			ids[i] = slices.Concat(before, w.IDs)
		}
		scores, err := m.Score(ctx, ids, from)
		if err != nil {
			return nil, err
		}
		if len(scores) != len(group) {
			return nil, fmt.Errorf("the model scored %d windows of %d", len(scores), len(group))
		}
		for i, w := range group {
			if err := t.add(w, scores[i]); err != nil {
				return nil, err
			}
		}
		if done += len(group); cfg.OnBatch != nil {
			cfg.OnBatch(done, len(windows))
		}
	}
	score := t.score()
	score.Asked = cfg.N
	return score, nil
}

// before is what a pretrained model's tokenizer puts before each text, and so before each window.
func (cfg TextConfig) before(ctx context.Context) ([]int64, error) {
	if cfg.Words == nil {
		return nil, nil
	}
	return cfg.Words.EncodePrompt(ctx, "")
}

// textTally adds windows up.
type textTally struct {
	words          tokenizer.Coder
	length, stride int
	documents      map[int]bool
	tokens         int
	positions      []tallied // by positionBits
	windows, ends  []tallied // by window: all of it, and its last stride tokens
	texts          []string  // of these tokens
}

// tallied are the nats of tokens, and the bytes of their texts.
type tallied struct {
	nats  float64
	bytes int
}

func (t *tallied) add(nats float64, bytes int) { t.nats, t.bytes = t.nats+nats, t.bytes+bytes }

func (t tallied) bits() float64 { return t.nats / math.Ln2 / float64(t.bytes) }

// bytesOf is how many bytes a token adds to the text of the one before it: some tokenizers drop the first space of a text.
func (t *textTally) bytesOf(before, token int64) (int, error) {
	first, err := t.words.Decode([]int64{before})
	if err != nil {
		return 0, err
	}
	both, err := t.words.Decode([]int64{before, token})
	return len(both) - len(first), err
}

func (t *textTally) add(w window, logProbs []float64) error {
	if len(logProbs) != t.length {
		return fmt.Errorf("the model scored %d tokens of a window, %d were asked for", len(logProbs), t.length)
	}
	var all, end tallied
	for i, p := range logProbs {
		if math.IsNaN(p) || math.IsInf(p, 0) {
			return fmt.Errorf("the log-probability of token %d of a window is %v", i+1, p)
		}
		bytes, err := t.bytesOf(w.IDs[i], w.IDs[i+1])
		if err != nil {
			return err
		}
		all.add(-p, bytes)
		if i >= t.length-t.stride {
			end.add(-p, bytes)
		}
		at := doubling(i + 1)
		for len(t.positions) <= at {
			t.positions = append(t.positions, tallied{})
		}
		t.positions[at].add(-p, bytes)
	}
	text, err := t.words.Decode(w.IDs[len(w.IDs)-t.stride:])
	if err != nil {
		return err
	}
	t.texts = append(t.texts, text)
	t.tokens += len(logProbs)
	t.documents[w.Document] = true
	t.windows, t.ends = append(t.windows, all), append(t.ends, end)
	return nil
}

// doubling returns the index of n in 1, 2, 3–4, 5–8, 9–16, …
func doubling(n int) int {
	i := 0
	for top := 1; top < n; top *= 2 {
		i++
	}
	return i
}

func (t *textTally) score() *TextScore {
	s := &TextScore{N: len(t.windows), Documents: len(t.documents), Tokens: t.tokens, Stride: t.stride}
	all, se := total(t.windows)
	s.Bytes, s.Loss, s.Bits, s.BitsSE = all.bytes, all.nats/float64(t.tokens), all.bits(), se
	end, se := total(t.ends)
	s.SlidingN, s.Sliding, s.SlidingSE, s.Ends = end.bytes, end.bits(), se, textEnds(t.ends, t.texts)
	for i, p := range t.positions {
		from, to := 1, 1<<i
		if i > 0 {
			from = to/2 + 1
		}
		s.Positions = append(s.Positions, positionBits{From: from, To: min(to, t.length), Bits: p.bits()})
	}
	return s
}

// total adds windows up. The standard error of their bits per byte is as of a ratio of means
// (Cochran 1977, Sampling Techniques, section 2.11), as windows may differ in their bytes.
func total(windows []tallied) (sum tallied, se float64) {
	for _, w := range windows {
		sum.add(w.nats, w.bytes)
	}
	n := float64(len(windows))
	if n < 2 {
		return sum, 0
	}
	var squares float64
	for _, w := range windows {
		d := w.nats/math.Ln2 - sum.bits()*float64(w.bytes)
		squares += d * d
	}
	return sum, math.Sqrt(squares/(n-1)/n) * n / float64(sum.bytes)
}

// check is what readers rely on of a row of running text.
func (s *TextScore) check() error {
	if s.N < 1 || s.Tokens < s.N || s.Bytes < 1 || s.Stride < 1 || float64(s.Bytes) > mostOfAnything {
		return fmt.Errorf("%d windows of %d tokens and %d bytes, stride %d, are impossible", s.N, s.Tokens, s.Bytes, s.Stride)
	}
	if s.Ends != nil {
		if err := s.Ends.check(s); err != nil {
			return err
		}
	}
	all := []float64{s.Loss, s.Bits, s.BitsSE, s.Sliding, s.SlidingSE}
	for _, p := range s.Positions {
		all = append(all, p.Bits)
	}
	for _, v := range all {
		if !(v >= 0 && v <= mostOfAnything) {
			return fmt.Errorf("bits per byte, losses and errors are numbers from 0 to %g, one of them is %g", mostOfAnything, v)
		}
	}
	return nil
}
