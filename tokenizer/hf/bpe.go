package hf

import (
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe merges neighbours, the pair first that was merged first in training.
type bpe struct {
	vocab        map[string]int64
	merges       map[pair]merge
	prefix       string // of characters within a word
	suffix       string // of the last one
	unk          int64
	hasUnk       bool
	fuse         bool       // unknown neighbours are one token
	bytes        byteTokens // what is unknown is written as its bytes, if they have tokens
	ignoreMerges bool       // a piece that is a token is not merged
}

type pair struct{ left, right int64 }

type merge struct {
	rank int
	id   int64
}

func newBPE(raw json.RawMessage) (model, error) {
	var m struct {
		Vocab        map[string]int64  `json:"vocab"`
		Merges       []json.RawMessage `json:"merges"`
		Dropout      *float64          `json:"dropout"`
		Unk          *string           `json:"unk_token"`
		Prefix       *string           `json:"continuing_subword_prefix"`
		Suffix       *string           `json:"end_of_word_suffix"`
		Fuse         bool              `json:"fuse_unk"`
		Bytes        bool              `json:"byte_fallback"`
		IgnoreMerges bool              `json:"ignore_merges"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m.Dropout != nil && *m.Dropout != 0 {
		return nil, fmt.Errorf("dropout is %v: merges that are left out at random are not supported; set it to null", *m.Dropout)
	}
	out := &bpe{vocab: m.Vocab, merges: make(map[pair]merge, len(m.Merges)), fuse: m.Fuse, ignoreMerges: m.IgnoreMerges}
	if m.Prefix != nil {
		out.prefix = *m.Prefix
	}
	if m.Suffix != nil {
		out.suffix = *m.Suffix
	}
	var err error
	if out.unk, out.hasUnk, err = tokenOf(m.Vocab, m.Unk); err != nil {
		return nil, err
	}
	if m.Bytes {
		out.bytes = newByteTokens(m.Vocab)
	}
	for rank, raw := range m.Merges {
		left, right, err := readMerge(raw)
		if err != nil {
			return nil, fmt.Errorf("merge %d: %w", rank, err)
		}
		l, okL := m.Vocab[left]
		r, okR := m.Vocab[right]
		id, ok := m.Vocab[left+strings.TrimPrefix(right, out.prefix)]
		if !okL || !okR || !ok {
			return nil, fmt.Errorf("merge %d, of %q and %q: these or what they make is not in the vocabulary", rank, left, right)
		}
		out.merges[pair{l, r}] = merge{rank, id}
	}
	return out, nil
}

// readMerge reads ["a", "b"], or "a b" as older files have it.
func readMerge(raw json.RawMessage) (left, right string, err error) {
	var list []string
	if json.Unmarshal(raw, &list) == nil && len(list) == 2 {
		return list[0], list[1], nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if left, right, ok := strings.Cut(text, " "); ok {
			return left, right, nil
		}
	}
	return "", "", errors.New("it is not two tokens")
}

func (m *bpe) vocabulary() map[string]int64 { return m.vocab }

// symbol is a token in the making, in a list of them.
type symbol struct {
	id         int64
	prev, next int // −1 before the first, 0 behind the last
	gone       bool
}

func (m *bpe) encode(w *walk, ids []int64, text string) ([]int64, error) {
	if m.ignoreMerges {
		if id, ok := m.vocab[text]; ok {
			return append(ids, id), nil
		}
	}
	symbols, err := m.characters(w, text)
	if err == nil {
		err = m.merge(w, symbols)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if !s.gone {
			ids = append(ids, s.id)
		}
	}
	return ids, nil
}

// characters returns the tokens of single characters. What is unknown, and has no token for
// that, is left out, and the token for it comes after the bytes' tokens, both as the library does.
func (m *bpe) characters(w *walk, text string) ([]symbol, error) {
	var out []symbol
	add := func(id int64) {
		if n := len(out); n > 0 {
			out[n-1].next = n
		}
		out = append(out, symbol{id: id, prev: len(out) - 1})
	}
	unknown := false // a token for it is to come
	known := func() {
		if unknown {
			add(m.unk)
		}
		unknown = false
	}
	steps := 0
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		c := text[i : i+size]
		if i > 0 {
			c = m.prefix + c
		}
		if i+size == len(text) {
			c += m.suffix
		}
		i += size
		if steps += len(c); steps >= looked {
			if err := w.look(steps); err != nil {
				return nil, err
			}
			steps = 0
		}
		if id, ok := m.vocab[c]; ok {
			known()
			add(id)
		} else if ids, ok := m.bytes.idsOf(c); ok {
			for _, id := range ids {
				add(id)
			}
		} else if m.hasUnk {
			if !m.fuse {
				known()
			}
			unknown = true
		}
	}
	known()
	return out, w.look(steps)
}

// candidate is a merge that may come next, of the symbol at a place and the one after it.
type candidate struct {
	merge
	at   int
	pair pair
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merge merges until nothing is left to, the lowest rank first, from the left.
func (m *bpe) merge(w *walk, symbols []symbol) error {
	var queue candidates
	look := func(at int) (candidate, bool) {
		if at < 0 || symbols[at].next == 0 {
			return candidate{}, false
		}
		p := pair{symbols[at].id, symbols[symbols[at].next].id}
		found, ok := m.merges[p]
		return candidate{found, at, p}, ok
	}
	for at := range symbols {
		if c, ok := look(at); ok {
			queue = append(queue, c)
		}
	}
	heap.Init(&queue)
	for steps := 1; len(queue) > 0; steps++ {
		if steps%looked == 0 {
			if err := w.look(looked); err != nil {
				return err
			}
		}
		c := heap.Pop(&queue).(candidate)
		s := &symbols[c.at]
		if s.gone || s.next == 0 || s.id != c.pair.left || symbols[s.next].id != c.pair.right {
			continue // what it was of has been merged
		}
		right := &symbols[s.next]
		right.gone = true
		s.id, s.next = c.id, right.next
		if s.next != 0 {
			symbols[s.next].prev = c.at
		}
		for _, at := range []int{s.prev, c.at} {
			if c, ok := look(at); ok {
				heap.Push(&queue, c)
			}
		}
	}
	return nil
}
