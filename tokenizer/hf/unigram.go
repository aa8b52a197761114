package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// unigram finds the tokens whose probabilities multiply to the most, by Viterbi's algorithm.
type unigram struct {
	vocab  map[string]int64
	texts  *lexicon // of the vocabulary
	scores []float64
	unk    int64
	worst  float64    // score of an unknown character
	bytes  byteTokens // what is unknown is written as its bytes, if they have tokens
}

// unknownPenalty is how much less than the least probable token an unknown character scores.
const unknownPenalty = 10

func newUnigram(raw json.RawMessage) (model, error) {
	var m struct {
		Vocab []json.RawMessage `json:"vocab"`
		Unk   *int64            `json:"unk_id"`
		Bytes bool              `json:"byte_fallback"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	out := &unigram{vocab: make(map[string]int64, len(m.Vocab)), unk: -1}
	least := math.Inf(1)
	for i, raw := range m.Vocab {
		var text string
		var score float64
		entry := []any{&text, &score}
		if err := json.Unmarshal(raw, &entry); err != nil || len(entry) != 2 {
			return nil, fmt.Errorf("token %d is %s, expected a text and its score", i, raw)
		}
		out.vocab[text] = int64(i) // the last one of several
		out.scores = append(out.scores, score)
		least = min(least, score)
	}
	out.texts = lexiconOf(out.vocab)
	out.worst = least - unknownPenalty
	if m.Unk != nil {
		if out.unk = *m.Unk; out.unk < 0 || out.unk >= int64(len(out.scores)) {
			return nil, fmt.Errorf("unk_id is %d, and the vocabulary has the tokens 0 to %d", out.unk, len(out.scores)-1)
		}
	}
	if m.Bytes {
		out.bytes = newByteTokens(out.vocab)
	}
	return out, nil
}

func (m *unigram) vocabulary() map[string]int64 { return m.vocab }

// arrival is the best way to a place in a text.
type arrival struct {
	score   float64
	from    int // −1 for none yet
	unknown bool
}

func (m *unigram) encode(w *walk, ids []int64, text string) ([]int64, error) {
	best := make([]arrival, len(text)+1)
	for i := range best[1:] {
		best[i+1].from = -1
	}
	reach := func(to, from int, score float64, unknown bool) {
		if b := &best[to]; b.from < 0 || score > b.score {
			*b = arrival{score, from, unknown}
		}
	}
	steps := 0
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		in := m.texts.all()
		for end := at; end < len(text) && !in.none(); {
			in = m.texts.next(in, text[end])
			end++
			steps++
			if id, ok := m.texts.ends(in); ok {
				reach(end, at, best[at].score+m.scores[id], id == m.unk)
			}
		}
		if steps >= looked {
			if err := w.look(steps); err != nil {
				return nil, err
			}
			steps = 0
		}
		reach(at+size, at, best[at].score+m.worst, true) // where the character is a token, that is better
		at += size
	}
	if err := w.look(steps); err != nil {
		return nil, err
	}
	return m.trace(ids, text, best)
}

// trace appends the tokens of the best way to the end. Unknown neighbours are one.
func (m *unigram) trace(ids []int64, text string, best []arrival) ([]int64, error) {
	var cuts []int // from the end
	for at := len(text); at > 0; {
		cuts = append(cuts, at)
		from := best[at].from
		for best[at].unknown && best[from].unknown {
			from = best[from].from
		}
		at = from
	}
	start := 0
	for i := len(cuts) - 1; i >= 0; i-- {
		part := text[start:cuts[i]]
		start = cuts[i]
		if id, ok := m.vocab[part]; ok {
			ids = append(ids, id)
		} else if written, ok := m.bytes.idsOf(part); ok {
			ids = append(ids, written...)
		} else if m.unk >= 0 {
			ids = append(ids, m.unk)
		} else {
			return nil, errors.New("the text has what the vocabulary cannot express, and there is no token for the unknown")
		}
	}
	return ids, nil
}
