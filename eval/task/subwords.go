package task

import (
	"fmt"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/tokenizer"
)

// learnt has the vocabularies that this process has learnt, by rule and the digests of the
// corpora: a run asks for its own several times, and learning one takes seconds.
var learnt = struct {
	sync.Mutex
	pieces map[string][]string
}{pieces: map[string][]string{}}

// subwords returns the pieces that a rule learns from the training documents of corpora.
func subwords(rule string, corpora []Task) ([]string, error) {
	if _, bpe, err := tokenizer.BPESize(rule); err != nil {
		return nil, err
	} else if !bpe {
		return nil, fmt.Errorf("rule %q: a corpus is made of bytes or subwords: choose %s, or %s2048", rule, tokenizer.Bytes,
			tokenizer.BPE)
	}
	key := rule
	for _, t := range corpora {
		if t.Corpus == nil {
			return nil, fmt.Errorf("rule %q: subwords are learnt from running text, and task %s is none", rule, t.Name)
		}
		key += " " + t.Corpus.name.digest
	}
	learnt.Lock()
	defer learnt.Unlock()
	if pieces, ok := learnt.pieces[key]; ok {
		return slices.Clone(pieces), nil
	}
	var texts []string
	for _, t := range corpora {
		documents, err := t.Corpus.documents(Train)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			texts = append(texts, d.Text)
		}
	}
	pieces, err := tokenizer.VocabularyOf(rule, nil, texts...)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", Names(corpora), err)
	}
	learnt.pieces[key] = pieces
	return slices.Clone(pieces), nil
}
