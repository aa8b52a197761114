package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// inTokens measures a model on a task whose lengths are tokens of the model (task.Task.InTokens).
type inTokens struct {
	accuracy
	before []int64 // what the tokenizer puts before each text
	rng    *rand.Rand
}

// newInTokens prepares one length.
func newInTokens(ctx context.Context, m Model, c card.Card, cfg Config, length int) (*inTokens, error) {
	words, err := wordsOf(cfg.Words, c, cfg.Task)
	if err != nil {
		return nil, err
	}
	if c.MaxLength > 0 && length > c.MaxLength {
		return nil, fmt.Errorf("%w: %d positions needed, at most %d declared", ErrTooLong, length, c.MaxLength)
	}
	s := &inTokens{accuracy: accuracy{model: m, words: words, stop: NoStop, maxLength: c.MaxLength, cfg: cfg}}
	name := "tokens/" + cfg.Task.Name
	if cfg.Depth != nil {
		name += fmt.Sprintf("/%d", *cfg.Depth)
	}
	s.rng = sampleSource(name, cfg.Split, cfg.Seed, task.At(length))
	s.before, err = words.EncodePrompt(ctx, "")
	return s, err
}

func (cfg Config) checkInTokens(span task.Span) error {
	switch asked := cfg.Depth; {
	case span.IsBin():
		return fmt.Errorf("length %s is a bin, and prompts are made with a number of tokens; give %d", span, span.Max)
	case asked != nil && (*asked < 0 || *asked > 100):
		return fmt.Errorf("depth is %d, expected 0 to 100 percent of the text", *asked)
	case asked != nil && (cfg.Task.Hides == nil || cfg.Task.Hides.Spread):
		return fmt.Errorf("task %s hides nothing at a depth; leave depths out", cfg.Task.Name)
	}
	return nil
}

func (cfg Config) measureInTokens(ctx context.Context, m Model, c card.Card, length int) (Score, error) {
	s, err := newInTokens(ctx, m, c, cfg, length)
	if err != nil {
		return Score{}, err
	}
	var score Score
	if cfg.Task.Hides != nil {
		score, err = s.hidden(ctx, c, length)
	} else {
		score, err = s.sequences(ctx, length)
	}
	score.Asked = cfg.N
	return score, err
}

// hidden measures what is found in texts. Without a model it tells no more than whether the length has room for one.
func (s *inTokens) hidden(ctx context.Context, c card.Card, length int) (Score, error) {
	f, err := s.newFilling(ctx, c)
	if err != nil {
		return Score{}, err
	}
	if s.model == nil {
		_, err := f.empty(ctx, length)
		return Score{}, err
	}
	examples := make([]example, s.cfg.N)
	seen := map[string]bool{}
	for i := range examples {
		for tries := 0; ; tries++ {
			if err := ctx.Err(); err != nil {
				return Score{}, err
			}
			examples[i], err = f.fill(ctx, length)
			if err != nil {
				return Score{}, err
			}
			if prompt := examples[i].sample.Prompt; !seen[prompt] || tries == mostTries {
				seen[prompt] = true
				break
			}
		}
	}
	if err := s.completeAll(ctx, examples); err != nil {
		return Score{}, err
	}
	return s.tally(task.At(length), examples), nil
}

// mostTries bounds looking for another prompt.
const mostTries = 100

// sequences measures how many tokens a model predicts of sequences that repeat themselves: of all that are told by
// those before them, each given the right ones. N counts tokens.
func (s *inTokens) sequences(ctx context.Context, length int) (Score, error) {
	if length < len(s.before)+2 {
		return Score{}, fmt.Errorf("%w: %d tokens hold no sequence and its repetition; at least %d do", task.ErrNoLength, length,
			len(s.before)+2)
	}
	if s.model == nil {
		return Score{}, nil
	}
	reader, ok := s.model.(interface {
		ScoreText(ctx context.Context, ids []int64, top int) ([]runtime.TextStep, error)
	})
	if !ok {
		return Score{}, errors.New("the model does not tell which token it puts first")
	}
	t := Score{Distinct: s.cfg.N, Chance: 1 / float64(s.cfg.Vocab)}
	loss := 0.0
	for i := range s.cfg.N {
		sequence, from, err := s.draw(ctx, length)
		if err != nil {
			return Score{}, err
		}
		steps, err := reader.ScoreText(ctx, sequence, 1)
		if err != nil {
			return Score{}, tooLong(err)
		}
		for at, step := range steps[from:] {
			t.N++
			if step.LogProbs.Top[0].ID == sequence[from+at] {
				t.Correct++
			}
			if p := step.LogProbs.Chosen; math.IsNaN(p) || math.IsInf(p, 0) {
				t.NonfiniteTokens++
			} else {
				loss -= p
			}
		}
		s.progress(2*(i+1), s.cfg.N)
	}
	t.Tokens, t.TokensCorrect, t.SequenceCorrect = t.N, t.Correct, 0
	t.Accuracy = ratio(t.Correct, t.N)
	t.TokenAccuracy = t.Accuracy
	t.AccuracyLow, t.AccuracyHigh = Wilson(t.Accuracy, float64(s.cfg.N))
	if t.NonfiniteTokens == 0 {
		loss /= float64(t.N)
		t.Loss = &loss
	}
	return t, nil
}

// draw draws a sequence of tokens that are words or parts of them.
func (s *inTokens) draw(ctx context.Context, length int) (sequence []int64, from int, err error) {
	token := func() int64 {
		for range 1000 * mostTries {
			id := s.rng.Int64N(int64(s.cfg.Vocab))
			if known, failed := s.isWord(ctx, id); failed != nil || known {
				err = cmp.Or(err, failed)
				return id
			}
		}
		err = cmp.Or(err, errors.New("its tokenizer has hardly a token of letters alone, of which random sequences are made"))
		return 0
	}
	sequence, from = s.cfg.Task.Tokens(token, length-len(s.before))
	return slices.Concat(s.before, sequence), len(s.before) + from, err
}

// isWord reports whether a token stands for letters, which are cut into that token alone.
func (s *inTokens) isWord(ctx context.Context, id int64) (bool, error) {
	text, err := s.words.Decode([]int64{id})
	if err != nil || !isLetters(text) {
		return false, nil // tokens without a text, and such as pad a vocabulary
	}
	ids, err := s.words.Encode(ctx, text)
	return len(ids) == 1 && ids[0] == id, err
}

// isLetters reports whether a text is letters of English, with a space before them or none.
func isLetters(text string) bool {
	if text != "" && text[0] == ' ' {
		text = text[1:]
	}
	return text != "" && !slices.ContainsFunc([]byte(text), func(c byte) bool { return c|0x20 < 'a' || c|0x20 > 'z' })
}

// wordsOf is what encodes texts for a model: words of its own, or the card's.
func wordsOf(own tokenizer.Coder, c card.Card, t task.Task) (tokenizer.Coder, error) {
	switch {
	case own != nil:
		return own, nil
	case len(c.Tokenizer) == 0:
		return nil, fmt.Errorf("task %s: the model has no tokenizer, and text has no tokens without one; a pretrained model's stands "+
			"beside its file", t.Name)
	}
	return tokenizer.New(c.Tokenizer)
}
