package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer/chat"
)

// filling makes prompts of a number of tokens: an opening, filler with facts in it, a question, and the beginning of the
// answer. Words are dropped at the start of the filler until the tokens are right, so that no
// sentence that stands before a fact or the question is cut.
type filling struct {
	*inTokens
	encode      func(ctx context.Context, text string) ([]int64, error)
	open, close string // what a chat template writes around the user's text
	documents   []task.Document
}

// answerSlack is how many tokens a model may write beyond the answer, such as a mark before it.
const answerSlack = 4

// shotSentences is how many sentences of filler an example has.
const shotSentences = 3

func (s *inTokens) newFilling(ctx context.Context, c card.Card) (*filling, error) {
	f := &filling{inTokens: s, encode: s.words.EncodePrompt}
	if p := c.Pretrained; p != nil && p.Chat != nil {
		render, err := chat.New(p.Chat.Template, p.Chat.BOS, p.Chat.EOS)
		if err != nil {
			return nil, err
		}
		const mark = "ZOOTEXT"
		messages, err := json.Marshal([]map[string]string{{"role": "user", "content": mark}})
		if err != nil {
			return nil, err
		}
		text, err := render(ctx, messages, nil)
		if err != nil {
			return nil, err
		}
		var found bool
		if f.open, f.close, found = strings.Cut(text, mark); !found {
			return nil, errors.New("the chat template leaves the user's text out")
		}
		f.encode = s.words.Encode // the template writes special tokens itself
	}
	if hay := s.cfg.Task.Hay; hay != nil {
		var err error
		if f.documents, err = hay.Documents(s.cfg.Split); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// parts are the texts of a prompt but for the filler.
type parts struct {
	facts         []string
	before, after string // the filler
	answer        string // with a space before it
	limit         int
	depths        []float64 // of facts, ascending, 0 to 1
	target        int
}

// draw draws what a prompt hides, and examples before it.
func (f *filling) draw(ctx context.Context) (parts, error) {
	h := f.cfg.Task.Hides
	var p parts
	var b strings.Builder
	b.WriteString(f.open)
	for range f.cfg.Task.Shots {
		one := h.Draw(f.rng)
		b.WriteString(h.Opening)
		for i, fact := range one.Facts {
			fmt.Fprintf(&b, " %s %s", h.Filler[(i+f.rng.IntN(len(h.Filler)))%len(h.Filler)], fact)
		}
		for i := range shotSentences {
			b.WriteString(" " + h.Filler[i%len(h.Filler)])
		}
		fmt.Fprintf(&b, "\n%s %s %s.\n\n", one.Question, one.Lead, one.Answer)
	}
	b.WriteString(h.Opening + " ")
	s := h.Draw(f.rng)
	p.before, p.after = b.String(), "\n"+s.Question
	if f.close == "" {
		p.after += " " + s.Lead
	} else {
		p.after += f.close + s.Lead
	}
	p.answer = " " + s.Answer
	depths, order := make([]float64, len(s.Facts)), make([]int, len(s.Facts))
	for i := range depths {
		depths[i], order[i] = f.rng.Float64(), i
	}
	if h.Spread {
		slices.Sort(depths)
	} else if f.cfg.Depth != nil {
		depths[0] = float64(*f.cfg.Depth) / 100
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(depths[a], depths[b]) })
	for _, i := range order {
		p.facts, p.depths = append(p.facts, s.Facts[i]), append(p.depths, depths[i])
	}
	target, err := f.target(ctx, p, "")
	p.target, p.limit = len(target), len(target)+answerSlack
	return p, err
}

// target encodes a prompt's answer behind it.
func (f *filling) target(ctx context.Context, p parts, filler string) ([]int64, error) {
	prompt := p.text(filler)
	ids, err := f.encode(ctx, prompt)
	if err != nil {
		return nil, f.unwritten(err)
	}
	withAnswer, err := f.encode(ctx, prompt+p.answer)
	if err != nil {
		return nil, f.unwritten(err)
	}
	if len(withAnswer) <= len(ids) || !slices.Equal(withAnswer[:len(ids)], ids) {
		return nil, fmt.Errorf("task %s: the model's tokenizer joins the answer %q with the text before it", f.cfg.Task.Name, p.answer)
	}
	return withAnswer[len(ids):], nil
}

func (f *filling) unwritten(err error) error {
	return fmt.Errorf("the model's vocabulary cannot write the task %s: %w", f.cfg.Task.Name, err)
}

var sentenceEnd = regexp.MustCompile(`[.!?]["')\]]*\s+`)

// text puts facts between the sentences of the filler, as near to their depths as there is an end of a sentence.
func (p parts) text(filler string) string {
	ends := []int{0}
	for _, at := range sentenceEnd.FindAllStringIndex(filler, -1) {
		ends = append(ends, at[1])
	}
	if ends[len(ends)-1] < len(filler) {
		ends = append(ends, len(filler))
	}
	var b strings.Builder
	b.WriteString(p.before)
	from := 0
	for i, fact := range p.facts {
		want := int(p.depths[i]*float64(len(filler)) + 0.5)
		k := sort.SearchInts(ends, want)
		if k == len(ends) || k > 0 && want-ends[k-1] < ends[k]-want {
			k--
		}
		at := max(ends[k], from)
		b.WriteString(filler[from:at])
		if at > 0 && !strings.ContainsAny(filler[at-1:at], " \n") {
			b.WriteString(" ")
		}
		b.WriteString(fact)
		if at < len(filler) || i < len(p.facts)-1 {
			b.WriteString(" ")
		}
		from = at
	}
	b.WriteString(filler[from:])
	return strings.TrimRight(b.String(), " \n") + p.after
}

// empty checks that a length has room for a prompt without filler.
func (f *filling) empty(ctx context.Context, length int) (parts, error) {
	p, err := f.draw(ctx)
	if err != nil {
		return p, err
	}
	ids, err := f.encode(ctx, p.text(""))
	if need := len(ids) + p.limit; err == nil && need > length {
		err = fmt.Errorf("%w: a prompt without filler and its answer have %d tokens; give a length of more", task.ErrNoLength, need)
	}
	return p, err
}

// fill makes a prompt of exactly as many tokens as the length has beside the answer.
func (f *filling) fill(ctx context.Context, length int) (example, error) {
	for range mostTries {
		p, err := f.empty(ctx, length)
		if err != nil {
			return example{}, err
		}
		want := length - p.limit
		filler, ids, err := f.filler(ctx, p, want)
		if err != nil {
			return example{}, err
		}
		if len(ids) != want {
			continue // another secret
		}
		target, err := f.target(ctx, p, filler)
		if err != nil {
			return example{}, err
		}
		if len(target) != p.target {
			continue
		}
		return example{sample: task.Sample{Prompt: p.text(filler), Target: p.answer[1:], Length: length},
			prompt: ids, target: target, limit: p.limit}, nil
	}
	return example{}, fmt.Errorf("task %s: no text of exactly %d tokens was found", f.cfg.Task.Name, length)
}

// nearby is how many starts of the filler are tried around the best one.
const nearby = 64

// filler finds the filler with which a prompt has the number of tokens, and its ids; those of the next longer where none
// has it.
func (f *filling) filler(ctx context.Context, p parts, want int) (text string, ids []int64, err error) {
	encode := func(filler string) []int64 {
		got, failed := f.encode(ctx, p.text(filler))
		if failed != nil && err == nil {
			err = f.unwritten(failed)
		}
		return got
	}
	rng := rand.New(rand.NewPCG(f.rng.Uint64(), 0)) // a longer text begins as a shorter one
	hay := f.hay(rng)
	text, n := "", 0
	for size := want; ; size += size / 2 {
		for len(text) < size {
			text += hay()
		}
		if n = len(encode(text)); err != nil || n >= want {
			break
		}
	}
	// What is dropped for sure: all but a few words more than fit.
	drop := len(text) * max(n-want-nearby, 0) / max(n, 1)
	for drop > 0 && len(encode(text[drop:])) < want {
		drop /= 2
	}
	starts := []int{}
	for at := drop; at < len(text); at++ {
		if at == 0 || text[at-1] == ' ' {
			starts = append(starts, at)
		}
	}
	starts = append(starts, len(text))
	first := sort.Search(len(starts), func(i int) bool { return err != nil || len(encode(text[starts[i]:])) <= want })
	if err != nil {
		return "", nil, err
	}
	var tried []int
	for i := max(first-nearby/8, 0); i < min(first+nearby, len(starts)); i++ {
		tried = append(tried, starts[i])
	}
	if first > 0 { // within a word
		for at := starts[first] - 1; at > starts[first-1]; at-- {
			tried = append(tried, at)
		}
	}
	for _, at := range tried {
		filler := strings.ToValidUTF8(text[at:], "")
		if ids = encode(filler); err != nil || len(ids) == want {
			return filler, ids, err
		}
	}
	return "", ids, nil
}

// hay returns a function that gives the next piece of filler.
func (f *filling) hay(rng *rand.Rand) func() string {
	if f.documents != nil {
		order := rng.Perm(len(f.documents))
		next := -1
		return func() string {
			next++
			return strings.Join(strings.Fields(f.documents[order[next%len(order)]].Text), " ") + " "
		}
	}
	sentences := f.cfg.Task.Hides.Filler
	next := rng.IntN(len(sentences)) - 1
	return func() string {
		next++
		return sentences[next%len(sentences)] + " "
	}
}
