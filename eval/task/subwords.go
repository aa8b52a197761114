package task

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/tokenizer"
)

// learnt has the vocabularies that this process has learnt or read, by what learntFile calls Of: a run
// asks for its own several times.
var learnt = struct {
	sync.Mutex
	pieces map[string][]string
}{pieces: map[string][]string{}}

// subwords returns the pieces that a rule learns from the training documents of corpora. They are learnt once,
// and kept in the per-user cache.
func subwords(rule string, corpora []Task) ([]string, error) {
	size, bpe, err := tokenizer.BPESize(rule)
	if err != nil {
		return nil, err
	} else if !bpe {
		return nil, fmt.Errorf("rule %q: a corpus is made of bytes or subwords: choose %s, or %s2048", rule, tokenizer.Bytes,
			tokenizer.BPE)
	}
	linked, err := tokenizer.Linked()
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf("version %d %s", linked.Version, rule)
	for _, t := range corpora {
		if t.Corpus == nil {
			return nil, fmt.Errorf("rule %q: subwords are learnt from running text, and task %s is none", rule, t.Name)
		}
		source += " " + t.Corpus.name.digest
	}
	learnt.Lock()
	defer learnt.Unlock()
	if pieces, ok := learnt.pieces[source]; ok {
		return slices.Clone(pieces), nil
	}
	watch := followed()
	path, unkept := learntPath(rule, source)
	var pieces []string
	if unkept == nil {
		if pieces, err = readLearnt(path, source); err != nil && !errors.Is(err, fs.ErrNotExist) {
			watch.warn(fmt.Errorf("%w; the subwords are learnt anew", err))
		}
	}
	if pieces == nil {
		train := func(texts []string) ([]string, error) {
			return linked.Train(watch.ctx, size, texts, watch.progress)
		}
		if pieces, err = learn(train, corpora); watch.ctx.Err() != nil && err != nil {
			return nil, fmt.Errorf("interrupted while %d subwords were learnt from %s; nothing of them is kept, and the same command "+
				"learns them", size, Names(corpora)) // not the context's error, which says no more than that it was interrupted
		} else if err != nil {
			return nil, fmt.Errorf("task %s: %w", Names(corpora), err)
		}
		if unkept == nil {
			unkept = writeLearnt(path, source, pieces)
		}
		if unkept != nil {
			watch.warn(fmt.Errorf("the subwords that were learnt could not be kept, so that every process learns them anew: %w", unkept))
		}
	}
	learnt.pieces[source] = pieces
	return slices.Clone(pieces), nil
}

// learn trains on the training documents of corpora.
func learn(train func(texts []string) ([]string, error), corpora []Task) ([]string, error) {
	var texts []string
	for _, t := range corpora {
		documents, err := t.Corpus.Documents(Train)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			texts = append(texts, d.Text)
		}
	}
	return train(texts)
}
