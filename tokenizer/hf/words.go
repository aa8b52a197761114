package hf

import (
	"slices"
	"strings"
	"sync"
)

// knownWords keeps what a model made of words: most of a text are words that came before. It is safe
// for concurrent use.
type knownWords struct {
	mu   sync.RWMutex
	ids  map[string][]int64
	size int // about how much memory it has, in bytes
}

// Bounds of knownWords. Text that no pre-tokenizer cuts is longer than words are.
const (
	mostKnown    = 8 << 20 // bytes; what would be more begins anew, so that it has the words of the text at hand
	longestKnown = 64      // bytes of a word
	knownWord    = 64      // bytes of a word without its own and its ids
)

// encode appends the ids that m makes of a word.
func (k *knownWords) encode(w *walk, m model, ids []int64, word string) ([]int64, error) {
	if len(word) > longestKnown {
		return m.encode(w, ids, word)
	}
	k.mu.RLock()
	known, ok := k.ids[word]
	k.mu.RUnlock()
	if ok {
		return append(ids, known...), nil
	}
	before := len(ids)
	ids, err := m.encode(w, ids, word)
	if err == nil {
		k.keep(word, ids[before:])
	}
	return ids, err
}

func (k *knownWords) keep(word string, ids []int64) {
	takes := len(word) + 8*len(ids) + knownWord
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids == nil || k.size+takes > mostKnown {
		k.ids, k.size = map[string][]int64{}, 0
	}
	if _, twice := k.ids[word]; !twice {
		k.ids[strings.Clone(word)] = slices.Clone(ids) // not the text that the word is a part of
		k.size += takes
	}
}
