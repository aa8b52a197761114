package hf

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/tokenizer"
)

// trainVersion is raised when trainBPE learns other pieces: vocabularies kept elsewhere are then learnt anew.
const trainVersion = 1

// firstMerge is the id of the first piece of a vocabulary of subwords that is merged: before it are
// padding, the end token and the bytes.
const firstMerge = 2 + 256

// trainBPE learns a vocabulary of subwords from texts by byte-pair encoding (Sennrich et al.,
// arXiv 1508.07909, on bytes as in GPT-2): it begins with the 256 bytes, and merges the most
// frequent pair of neighbours until there are size pieces, padding and end token included. Texts are
// cut into words as GPT-2 does, and no pair is across words. Of pairs that are as frequent the
// one with the lower ids is merged, first of the left and then of the right piece. A pair that
// would make the text of a piece again is not merged.
//
// The pieces are tokenizer.PadBPE, tokenizer.EOSPiece, the bytes, and of each merge the two that
// it joins with a space between them, all in the characters of GPT-2's byte level. Texts that
// have too few pairs that occur twice are an error.
func trainBPE(ctx context.Context, size int, texts []string, progress func(what string, done, total int)) ([]string, error) {
	if size < firstMerge {
		return nil, fmt.Errorf("tokenizer: a vocabulary of subwords has %d pieces or more, not %d", firstMerge, size)
	}
	counts, err := wordCounts(ctx, texts, progress)
	if err != nil {
		return nil, err
	}
	pieces, spellings := bytePieces()
	known := map[string]bool{}
	for _, s := range spellings {
		known[s] = true
	}
	t := newPairs(counts)
	for len(pieces) < size {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		progress("subwords", len(pieces), size)
		p, ok := t.most()
		if !ok {
			return nil, fmt.Errorf("tokenizer: %d pieces are asked for, and the training text has pairs for %d; ask for "+
				"fewer, or take more text", size, len(pieces))
		}
		left, right := spellings[p.left], spellings[p.right]
		if known[left+right] {
			continue
		}
		known[left+right] = true
		t.merge(p, int64(len(pieces)))
		pieces, spellings = append(pieces, left+" "+right), append(spellings, left+right)
	}
	return pieces, nil
}

// bytePieces returns the pieces that every vocabulary begins with, and what they spell.
func bytePieces() (pieces, spellings []string) {
	pieces = []string{tokenizer.PadBPE, tokenizer.EOSPiece}
	for _, r := range spelling {
		pieces = append(pieces, string(r))
	}
	return pieces, slices.Clone(pieces)
}

// wordCounts cuts texts as the pre-tokenizer ByteLevel does, and counts the words.
func wordCounts(ctx context.Context, texts []string, progress func(what string, done, total int)) (map[string]int, error) {
	done, total := 0, 0
	for _, text := range texts {
		total += len(text)
	}
	counts := map[string]int{}
	for _, text := range texts {
		for words := 0; text != ""; words++ {
			if words%(1<<16) == 0 {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				progress("bytes of text", done, total)
			}
			n := gpt2Word(text)
			counts[text[:n]]++
			text, done = text[n:], done+n
		}
	}
	return counts, nil
}

// pairs counts the pairs of neighbours in words. After a merge only the words that have
// the pair are looked at.
type pairs struct {
	words [][]int64 // as ids
	times []int     // by word: how often it occurs
	count map[pair]int
	where map[pair][]int // words that have the pair, or had
	queue pairQueue      // counts may be too high: see most
}

func newPairs(counts map[string]int) *pairs {
	t := &pairs{count: map[pair]int{}, where: map[pair][]int{}}
	for i, word := range slices.Sorted(maps.Keys(counts)) {
		var ids []int64
		for at := range len(word) {
			ids = append(ids, 2+int64(word[at]))
		}
		t.words, t.times = append(t.words, ids), append(t.times, counts[word])
		for at := range len(ids) - 1 {
			t.add(pair{ids[at], ids[at+1]}, i)
		}
	}
	for p := range t.count {
		t.queue = append(t.queue, counted{p, t.count[p]})
	}
	heap.Init(&t.queue)
	return t
}

// add counts a pair of a word once more.
func (t *pairs) add(p pair, word int) {
	t.count[p] += t.times[word]
	if in := t.where[p]; len(in) == 0 || in[len(in)-1] != word {
		t.where[p] = append(in, word)
	}
}

// remove counts one that a merge has taken away.
func (t *pairs) remove(p pair, word int) { t.count[p] -= t.times[word] }

// most takes the most frequent pair that occurs twice or more out of the queue. A count only ever
// falls after the merge that made its pair, so that one which has fallen is put back.
func (t *pairs) most() (pair, bool) {
	for len(t.queue) > 0 {
		top := heap.Pop(&t.queue).(counted)
		switch now := t.count[top.pair]; {
		case now < 2:
		case now < top.count:
			heap.Push(&t.queue, counted{top.pair, now})
		default:
			return top.pair, true
		}
	}
	return pair{}, false
}

// merge makes one piece of a pair wherever it is, from the left.
func (t *pairs) merge(p pair, id int64) {
	fresh := map[pair]bool{}
	for _, w := range t.where[p] {
		old := t.words[w]
		out := old[:0] // it is never ahead of what is read
		for at := 0; at < len(old); at++ {
			if at+1 == len(old) || old[at] != p.left || old[at+1] != p.right {
				out = append(out, old[at])
				continue
			}
			if n := len(out); n > 0 {
				before := pair{out[n-1], id}
				t.remove(pair{out[n-1], p.left}, w)
				t.add(before, w)
				fresh[before] = true
			}
			if at+2 < len(old) {
				after := pair{id, old[at+2]}
				t.remove(pair{p.right, old[at+2]}, w)
				t.add(after, w)
				fresh[after] = true
			}
			out = append(out, id)
			at++
		}
		t.words[w] = out
	}
	delete(t.where, p) // it is nowhere now, nor in the queue
	delete(t.count, p)
	for p := range fresh {
		heap.Push(&t.queue, counted{p, t.count[p]})
	}
}

type counted struct {
	pair  pair
	count int
}

// before is the order in which pairs are merged.
func (c counted) before(d counted) bool {
	return cmp.Or(cmp.Compare(d.count, c.count), cmp.Compare(c.pair.left, d.pair.left),
		cmp.Compare(c.pair.right, d.pair.right)) < 0
}

type pairQueue []counted

func (q pairQueue) Len() int           { return len(q) }
func (q pairQueue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q pairQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *pairQueue) Push(x any)        { *q = append(*q, x.(counted)) }
func (q *pairQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// bpeFile is the tokenizer.json of the pieces of trainBPE. Where special, the first two are
// found in texts, as the library tokenizers finds them.
func bpeFile(pieces []string, special bool) ([]byte, error) {
	first, _ := bytePieces()
	if len(pieces) < len(first) || !slices.Equal(pieces[:len(first)], first) {
		return nil, fmt.Errorf("tokenizer: a vocabulary of subwords has the pieces %q and %q and then the 256 bytes, in the "+
			"characters of GPT-2", first[0], first[1])
	}
	type object = map[string]any
	vocab, merges := map[string]int{}, [][2]string{}
	for id, p := range pieces {
		text := p
		if id >= len(first) {
			left, right, _ := strings.Cut(p, " ")
			if vocab[left] < 2 || vocab[right] < 2 { // 0 also where there is none
				return nil, fmt.Errorf("tokenizer: piece %d is %.40q, which does not join two of the pieces before it", id, p)
			}
			text = left + right
			merges = append(merges, [2]string{left, right})
		}
		if _, twice := vocab[text]; twice {
			return nil, fmt.Errorf("tokenizer: piece %d, %.40q, makes the text of a piece before it", id, p)
		}
		vocab[text] = id
	}
	added := []object{}
	for id := 0; special && id < 2; id++ {
		added = append(added, object{"id": id, "content": pieces[id], "single_word": false, "lstrip": false,
			"rstrip": false, "normalized": false, "special": true})
	}
	byteLevel := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object{
		"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "post_processor": nil,
		"added_tokens": added, "pre_tokenizer": byteLevel, "decoder": byteLevel,
		"model": object{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil,
			"end_of_word_suffix": nil, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
			"vocab": vocab, "merges": merges},
	})
	return b.Bytes(), err
}
