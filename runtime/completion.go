package runtime

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/runtime/engine"
)

// Prompt is what an answer continues: a text, or token ids where IDs is not nil. They may be those that
// EncodePrompt made of Text, which is not cut again then.
type Prompt struct {
	Text string
	IDs  []int64
}

// Texts returns prompts of texts.
func Texts(texts ...string) []Prompt {
	out := make([]Prompt, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

// TextStep is what one token adds to one answer.
type TextStep struct {
	Prompt int   // index of the prompt that is answered
	Token  int64 // the new token, the stop token of an answer too

	// Text is what is certain of the answer with this token, beyond what the steps before have
	// told: valid UTF-8, and without stop token and stop string. It is empty while what a token
	// stands for may be the beginning of a character or of a stop string.
	Text string

	// Start is how many characters of the answer are before the token: one within a character begins
	// where that does. It counts those of a stop string, which Text never has, and may be beyond what
	// has been told.
	Start int

	// LogProbs holds the token's log-probabilities, where GenerateOptions.LogProbs asks for
	// them; else it is nil. The next step overwrites it.
	LogProbs *LogProbs

	Finish       Finish // how the answer has ended with this step; empty while it goes on
	PromptTokens int    // that the prompt has
	Tokens       int    // that the answer has so far, with this one
}

// Completion is an answer. With a stop string, Tokens go on up to the one that completes it, and
// Text ends before it.
type Completion struct {
	Text         string
	Tokens       []int64    // with the stop token
	LogProbs     []LogProbs // of Tokens, where GenerateOptions.LogProbs asks for them; else nil
	Finish       Finish
	PromptTokens int // that the prompt has
}

// Complete continues a text and returns what the model adds, without a stop
// token: prompt + answer is the whole text. Words know their space: " tree" is one
// token. So a prompt that ends with a space gets its answer without one ("tree"),
// and one that does not gets it as the model gives it (" tree"). A prompt that the
// vocabulary cannot express is ErrInput, as is what Generate refuses.
func (s *Session) Complete(ctx context.Context, prompt string, opt GenerateOptions) (string, error) {
	return complete(s.Stream(ctx, prompt, opt))
}

// Stream is Complete, piece by piece: it yields text as soon as it is certain, or an error
// as the last element. Pieces are never empty, and valid UTF-8: see TextStep.
func (s *Session) Stream(ctx context.Context, prompt string, opt GenerateOptions) iter.Seq2[string, error] {
	return stream(s.StreamAll(ctx, Texts(prompt), opt))
}

// StreamAll continues prompts as one batch, as Generate does, and tells the text of the answers
// as Complete does: a step for each new token, or an error as the last element.
func (s *Session) StreamAll(ctx context.Context, prompts []Prompt, opt GenerateOptions) iter.Seq2[TextStep, error] {
	return s.streamAll(ctx, s.Generate, prompts, opt)
}

// CompleteAll collects the answers of StreamAll, in the order of the prompts.
func (s *Session) CompleteAll(ctx context.Context, prompts []Prompt, opt GenerateOptions) ([]Completion, error) {
	return completeAll(len(prompts), s.StreamAll(ctx, prompts, opt))
}

// generate is Generate, of whatever has it.
type generate func(ctx context.Context, prompts [][]int64, opt GenerateOptions) iter.Seq2[Step, error]

func (s *Session) streamAll(ctx context.Context, gen generate, prompts []Prompt, opt GenerateOptions) iter.Seq2[TextStep, error] {
	return func(yield func(TextStep, error) bool) {
		ids, spaced, err := s.encodePrompts(ctx, prompts)
		if err != nil {
			yield(TextStep{}, err)
			return
		}
		opt.spaced = spaced
		made := make([]int, len(prompts))
		for step, err := range gen(ctx, ids, opt) {
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
// left to the answer.
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

func stream(steps iter.Seq2[TextStep, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for step, err := range steps {
			if (err != nil || step.Text != "") && !yield(step.Text, err) {
				return
			}
		}
	}
}

func complete(pieces iter.Seq2[string, error]) (string, error) {
	var answer strings.Builder
	for piece, err := range pieces {
		if err != nil {
			return "", err
		}
		answer.WriteString(piece)
	}
	return answer.String(), nil
}

func completeAll(prompts int, steps iter.Seq2[TextStep, error]) ([]Completion, error) {
	out, texts := make([]Completion, prompts), make([]strings.Builder, prompts)
	for step, err := range steps {
		if err != nil {
			return nil, err
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
