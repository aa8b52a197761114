package serve

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/runtime"
)

// rowAnswer is how far one choice is.
type rowAnswer struct {
	before string // what its text begins with: the prompt, if it is to be repeated
	last   int64  // the last token, at first that of the prompt
	at     int    // characters before the next token
	spaced bool   // the prompt ends with the space that the first token brings along
}

// logProbs are those of tokens of a choice, in OpenAI's form.
type logProbs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogProbs []float64            `json:"token_logprobs"`
	TopLogProbs   []map[string]float64 `json:"top_logprobs"` // null where none are asked for
	TextOffset    []int                `json:"text_offset"`
}

// and adds those of further tokens.
func (l *logProbs) and(more *logProbs) *logProbs {
	if l == nil || more == nil {
		return more
	}
	l.Tokens = append(l.Tokens, more.Tokens...)
	l.TokenLogProbs = append(l.TokenLogProbs, more.TokenLogProbs...)
	l.TopLogProbs = append(l.TopLogProbs, more.TopLogProbs...)
	l.TextOffset = append(l.TextOffset, more.TextOffset...)
	return l
}

// add returns what a token adds to the choice.
func (r *rowAnswer) add(s *served, step runtime.TextStep) (*choice, error) {
	part := &choice{Text: r.before + step.Text, Index: step.Prompt}
	r.before = ""
	if step.Finish != "" {
		reason := "stop"
		if step.Finish == runtime.FinishLimit {
			reason = "length"
		}
		part.FinishReason = &reason
	}
	if step.LogProbs == nil {
		return part, nil
	}
	text, err := s.piece(r.last, step.Token)
	if err != nil {
		return nil, err
	}
	part.LogProbs = &logProbs{Tokens: []string{text}, TokenLogProbs: []float64{finite(step.LogProbs.Chosen)}, TextOffset: []int{r.at}}
	if len(step.LogProbs.Top) > 0 {
		top := map[string]float64{}
		for _, t := range step.LogProbs.Top {
			name, err := s.piece(r.last, t.ID)
			if err != nil {
				return nil, err
			}
			if _, taken := top[name]; !taken { // the most probable one of those that are written alike
				top[name] = finite(t.LogProb)
			}
		}
		if _, among := top[text]; !among { // OpenAI's API always tells the chosen one too
			top[text] = finite(step.LogProbs.Chosen)
		}
		part.LogProbs.TopLogProbs = []map[string]float64{top}
	}
	if r.spaced {
		text, r.spaced = strings.TrimPrefix(text, " "), false
	}
	r.at += utf8.RuneCountInString(text)
	r.last = step.Token
	return part, nil
}

// piece returns what a token stands for after another one: where a text begins, some tokenizers
// leave out a space. Bytes that are no characters are written as OpenAI does.
func (s *served) piece(before, id int64) (string, error) {
	text, err := s.Session.Decode([]int64{id})
	if err != nil {
		return "", err
	}
	first, err := s.Session.Decode([]int64{before})
	if err != nil {
		return "", err
	}
	both, err := s.Session.Decode([]int64{before, id})
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(both, first); ok {
		text = rest
	}
	if utf8.ValidString(text) {
		return text, nil
	}
	var b strings.Builder
	b.WriteString("bytes:")
	for i := range len(text) {
		fmt.Fprintf(&b, `\x%02x`, text[i])
	}
	return b.String(), nil
}

// finite puts a number that JSON has in place of −∞: OpenAI's for what is hardly probable.
func finite(logProb float64) float64 {
	const never = -9999
	if math.IsInf(logProb, -1) {
		return never
	}
	return logProb
}
