package tokenizer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// BPE begins the name of the rule for subwords, byte-pair encoding: "bpe:2048" is a vocabulary
// of 2,048 pieces.
const BPE = "bpe:"

// The sizes that a vocabulary of subwords may have.
const (
	leastBPE = 512
	mostBPE  = 8192
)

// BPESize returns the size that a rule "bpe:2048" says; bpe is false for another rule.
func BPESize(rule string) (size int, bpe bool, err error) {
	text, bpe := strings.CutPrefix(rule, BPE)
	if !bpe {
		return 0, false, nil
	}
	size, err = strconv.Atoi(text)
	if err != nil || strconv.Itoa(size) != text || size < leastBPE || size > mostBPE {
		return 0, true, fmt.Errorf("tokenizer: rule %q: a vocabulary of subwords has %d to %d pieces, such as %s2048",
			start(rule), leastBPE, mostBPE, BPE)
	}
	return size, true, nil
}

// useSubwords makes t encode by a vocabulary of subwords.
func (t *Tokenizer) useSubwords() error {
	l, err := Linked()
	if err != nil {
		return err
	}
	if t.subwords, err = l.New(t.pieces); err != nil {
		return err
	}
	t.texts = make([]string, len(t.pieces))
	for id := range t.texts {
		if t.texts[id], err = t.subwords.Decode([]int64{int64(id)}); err != nil {
			return err
		}
	}
	return nil
}

// encodeSubwords is encode for subwords. The text before boundary is cut by itself, so that its ids do
// not depend on the text behind.
func (t *Tokenizer) encodeSubwords(ctx context.Context, text string, boundary int) (ids []int64, index int, err error) {
	before, err := t.subwords.Encode(ctx, text[:boundary])
	if err != nil {
		return nil, 0, err
	}
	after, err := t.subwords.Encode(ctx, text[boundary:])
	return append(before, after...), len(before), err
}
