package serve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/runtime"
)

// choiceState is the state of one choice.
type choiceState struct {
	before string    // what its text begins with: the prompt, if it is to be repeated
	last   int64     // the last token, at first that of the prompt
	sent   int       // characters of the text so far
	start  int       // of them, before the completion
	held   *logProbs // of tokens whose text is not certain yet

	logProbs bool // whether they are asked for
	named    bool // whether a part has said whose message it is
}

// logProbs are those of tokens of a choice, in OpenAI's form.
type logProbs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogProbs []*float64           `json:"token_logprobs"` // null for the first token of a prompt
	TopLogProbs   []map[string]float64 `json:"top_logprobs"`   // null where none are asked for, and for that token
	TextOffset    []int                `json:"text_offset"`
}

// and adds those of further tokens.
func (l *logProbs) and(more *logProbs) *logProbs {
	if l == nil {
		return more
	}
	if more == nil {
		return l
	}
	l.Tokens = append(l.Tokens, more.Tokens...)
	l.TokenLogProbs = append(l.TokenLogProbs, more.TokenLogProbs...)
	l.TopLogProbs = append(l.TopLogProbs, more.TopLogProbs...)
	l.TextOffset = append(l.TextOffset, more.TextOffset...)
	return l
}

// before cuts off those of the tokens that begin before a character of the text; nil where none does.
func (l *logProbs) before(character int) (cut *logProbs) {
	n, _ := slices.BinarySearch(l.TextOffset, character)
	if n == 0 {
		return nil
	}
	top := min(n, len(l.TopLogProbs))
	cut = &logProbs{l.Tokens[:n], l.TokenLogProbs[:n], l.TopLogProbs[:top], l.TextOffset[:n]}
	*l = logProbs{l.Tokens[n:], l.TokenLogProbs[n:], l.TopLogProbs[top:], l.TextOffset[n:]}
	return cut
}

// add returns what a token adds to the choice. Log-probabilities wait for the text of their tokens, so
// that the place of each is in the text, of the tokens of a stop string too, which the text has not.
func (r *choiceState) add(s *served, step runtime.TextStep) (*choice, error) {
	part := &choice{Text: r.before + step.Text, Index: step.Prompt}
	r.before = ""
	r.sent += utf8.RuneCountInString(part.Text)
	if r.logProbs {
		probs, err := r.logProbsOf(s, step)
		if err != nil {
			return nil, err
		}
		r.last, r.held = step.Token, r.held.and(probs)
	}
	switch {
	case step.Finish != "":
		r.finish(part, step.Finish)
	case r.logProbs:
		part.LogProbs = r.held.before(r.sent)
	}
	return part, nil
}

// finish ends the choice with a part.
func (r *choiceState) finish(part *choice, how string) {
	reason := "stop"
	if how == runtime.FinishLimit {
		reason = "length"
	}
	part.FinishReason = &reason
	if part.LogProbs = r.held; r.held == nil {
		return
	}
	for i, offset := range r.held.TextOffset {
		r.held.TextOffset[i] = min(offset, r.sent)
	}
}

// logProbsOf returns those of one token.
func (r *choiceState) logProbsOf(s *served, step runtime.TextStep) (*logProbs, error) {
	text, err := s.piece(r.last, step.Token)
	if err != nil {
		return nil, err
	}
	out := &logProbs{Tokens: []string{text}, TokenLogProbs: []*float64{nil}, TextOffset: []int{r.start + step.Start}}
	if step.LogProbs == nil { // nothing predicts the first token of a prompt
		out.TopLogProbs = []map[string]float64{nil}
		return out, nil
	}
	chosen := finite(step.LogProbs.Chosen)
	out.TokenLogProbs[0] = &chosen
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
			top[text] = chosen
		}
		out.TopLogProbs = []map[string]float64{top}
	}
	return out, nil
}

// piece returns what a token stands for after another one: where a text begins, some tokenizers
// leave out a space. Bytes that are no characters are written as OpenAI does.
func (s *served) piece(before, id int64) (string, error) {
	text, err := s.Session.Decode([]int64{id})
	if err != nil {
		return "", err
	}
	if before >= 0 {
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
