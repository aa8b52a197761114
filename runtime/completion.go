package runtime

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/runtime/engine"
)

// Prompt is what a completion continues: a text, or token ids where IDs is not nil. They may be what EncodePrompt
// made of Text, which is not encoded again then.
type Prompt struct {
	Text string
	IDs  []int64
}

// TextStep is what one token adds to one completion.
type TextStep struct {
	Prompt int   // index of the prompt that is continued
	Token  int64 // the new token, the stop token of a completion too

	// Text is what is certain of the completion with this token, beyond what earlier steps have
	// told: valid UTF-8, and without stop token and stop string. It is empty while what a token
	// stands for may be the beginning of a character or of a stop string.
	Text string

	// Start is how many characters of the completion are before the token: one within a character begins
	// where that does. It counts the characters of a stop string, which Text never has, and may be beyond
	// what has been told.
	Start int

	// LogProbs holds the token's log-probabilities, where GenerateOptions.LogProbs asks for
	// them; else it is nil. The next step overwrites it.
	LogProbs *LogProbs

	Finish       string // how the completion has ended with this step; empty while it goes on
	PromptTokens int    // that the prompt has
	Tokens       int    // that the completion has so far, with this one
}

// Completion is what a model writes after a prompt. With a stop string, Tokens go on up to the one that completes it,
// and Text ends before it.
type Completion struct {
	Text         string
	Tokens       []int64    // with the stop token
	LogProbs     []LogProbs // of Tokens, where GenerateOptions.LogProbs asks for them; else nil
	Finish       string
	PromptTokens int // that the prompt has
}

// Complete continues a text and returns what the model adds, without a stop
// token: prompt + completion is the whole text. Words know their space: " tree" is one
// token. So a prompt that ends with a space gets its completion without one ("tree"),
// and one that does not gets it as the model gives it (" tree"). A prompt that the
// vocabulary cannot express is ErrInput, as is what Generate refuses.
func (s *Session) Complete(ctx context.Context, prompt string, opt GenerateOptions) (string, error) {
	all, err := Completions(s.Stream(ctx, []Prompt{{Text: prompt}}, opt))
	if err != nil {
		return "", err
	}
	return all[0].Text, nil
}

// Stream continues prompts as one batch, as Generate does, and tells the text of the completions
// as Complete does: a step for each new token, or an error as the last element.
func (s *Session) Stream(ctx context.Context, prompts []Prompt, opt GenerateOptions) iter.Seq2[TextStep, error] {
	return s.stream(ctx, s.Generate, prompts, opt)
}

// Completions collects the completions of what Stream yields, in the order of the prompts.
func Completions(steps iter.Seq2[TextStep, error]) ([]Completion, error) {
	var out []Completion
	var texts []*strings.Builder
	for step, err := range steps {
		if err != nil {
			return nil, err
		}
		for len(out) <= step.Prompt {
			out, texts = append(out, Completion{}), append(texts, new(strings.Builder))
		}
		c := &out[step.Prompt]
		texts[step.Prompt].WriteString(step.Text)
		c.Tokens = append(c.Tokens, step.Token)
		if l := step.LogProbs; l != nil {
			c.LogProbs = append(c.LogProbs, LogProbs{l.Chosen, slices.Clone(l.Top)})
		}
		c.Finish, c.PromptTokens = step.Finish, step.PromptTokens
	}
	for i := range out {
		out[i].Text = texts[i].String()
	}
	return out, nil
}

// Tokens collects the new tokens of each prompt from what Generate yields. A row whose last token is
// no stop token has met its limit.
func Tokens(steps iter.Seq2[Step, error]) ([][]int64, error) {
	var out [][]int64
	for step, err := range steps {
		if err != nil {
			return nil, err
		}
		out = append(out, make([][]int64, len(step.Tokens)-len(out))...)
		for i, id := range step.Tokens {
			if id != NoToken {
				out[i] = append(out[i], id)
			}
		}
	}
	return out, nil
}

// generator is Generate of a Session or a Batcher.
type generator func(ctx context.Context, prompts [][]int64, opt GenerateOptions) iter.Seq2[Step, error]

func (s *Session) stream(ctx context.Context, generate generator, prompts []Prompt, opt GenerateOptions) iter.Seq2[TextStep, error] {
	return func(yield func(TextStep, error) bool) {
		ids, spaced, err := s.encodePrompts(ctx, prompts)
		if err != nil {
			yield(TextStep{}, err)
			return
		}
		opt.spaced = spaced
		made := make([]int, len(prompts))
		for step, err := range generate(ctx, ids, opt) {
			if err != nil {
				yield(TextStep{}, err)
				return
			}
			for i, id := range step.Tokens {
				if id == NoToken {
					continue
				}
				made[i]++
				t := TextStep{Prompt: i, Token: id, Text: step.texts[i], Start: step.starts[i], Finish: step.Finish[i], PromptTokens: len(ids[i]),
					Tokens: made[i]}
				if step.LogProbs != nil {
					t.LogProbs = &step.LogProbs[i]
				}
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// encodePrompts returns the token ids of prompts, and which of them end with a space that is
// left to the completion.
func (s *Session) encodePrompts(ctx context.Context, prompts []Prompt) (ids [][]int64, spaced []bool, err error) {
	if s.words == nil {
		return nil, nil, fmt.Errorf("runtime: generate: text: %w", s.withoutWords())
	}
	ids, spaced = make([][]int64, len(prompts)), make([]bool, len(prompts))
	for i, p := range prompts {
		spaced[i] = strings.HasSuffix(p.Text, " ")
		if ids[i] = p.IDs; p.IDs != nil {
			continue
		}
		if least := s.LeastTokens(p.Text); s.card.MaxLength > 0 && least > s.card.MaxLength {
			return nil, nil, fmt.Errorf("runtime: generate: prompt %d: %w", i, engine.Mark(fmt.Errorf("%w: it has %d bytes, which are %d tokens or more, "+
				"the model has %d positions", ErrTooLong, len(p.Text), least, s.card.MaxLength), ErrInput))
		}
		if ids[i], err = s.EncodePrompt(ctx, p.Text); err != nil {
			if len(prompts) > 1 {
				err = fmt.Errorf("prompt %d: %w", i, err)
			}
			return nil, nil, err
		}
	}
	return ids, spaced, nil
}
