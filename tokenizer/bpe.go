package tokenizer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// BPE begins the name of the rule for subwords, byte-pair encoding: "bpe:2048" is a vocabulary
// of 2,048 pieces.
const BPE = "bpe:"

// The sizes that a vocabulary of subwords may have.
const (
	LeastBPE = 512
	MostBPE  = 8192
)

// BPESize returns the size that a rule "bpe:2048" says; bpe is false for another rule.
func BPESize(rule string) (size int, bpe bool, err error) {
	text, bpe := strings.CutPrefix(rule, BPE)
	if !bpe {
		return 0, false, nil
	}
	size, err = strconv.Atoi(text)
	if err != nil || strconv.Itoa(size) != text || size < LeastBPE || size > MostBPE {
		return 0, true, fmt.Errorf("tokenizer: rule %q: a vocabulary of subwords has %d to %d pieces, such as %s2048",
			start(rule), LeastBPE, MostBPE, BPE)
	}
	return size, true, nil
}

// Subwords is what package hf does for vocabularies of subwords. Pieces are those of New.
type Subwords struct {
	// Train returns the pieces of a vocabulary of a size that are learnt from texts. It tells progress
	// often how much is done of what there is, and ends with the context.
	Train func(ctx context.Context, size int, texts []string, progress func(what string, done, total int)) (pieces []string,
		err error)
	// Version is another one where Train learns other pieces from the same texts.
	Version int
	// File returns the tokenizer.json of pieces.
	File func(pieces []string) ([]byte, error)
	// New returns what encodes and decodes by that file, but for the pieces PadBPE and EOSPiece:
	// in a text these are text.
	New func(pieces []string) (ContextCoder, error)
}

var subwords *Subwords

// RegisterSubwords makes known what trains and reads vocabularies of subwords, of which a program
// links one by its import: package tokenizer/hf does so. It is for init functions; a second
// one is a fault of the program, and panics.
func RegisterSubwords(s Subwords) {
	if subwords != nil {
		panic("tokenizer: two packages for subwords are registered")
	}
	subwords = &s
}

// LinkedSubwords returns what the program links for subwords, or an error that says what to
// link.
func LinkedSubwords() (Subwords, error) {
	if subwords == nil {
		return Subwords{}, errors.New("tokenizer: the vocabulary is one of subwords, which this program does not read; " +
			`link what does: import _ "github.com/nopezoo/zoo/tokenizer/hf"`)
	}
	return *subwords, nil
}

// SubwordFile returns the tokenizer.json of a vocabulary of subwords, nil for one of another rule.
func SubwordFile(pieces []string) ([]byte, error) {
	if len(pieces) == 0 || pieces[0] != PadBPE {
		return nil, nil
	}
	s, err := LinkedSubwords()
	if err != nil {
		return nil, err
	}
	return s.File(pieces)
}

// useSubwords makes t encode by a vocabulary of subwords.
func (t *Tokenizer) useSubwords() error {
	s, err := LinkedSubwords()
	if err != nil {
		return err
	}
	if t.subwords, err = s.New(t.pieces); err != nil {
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

// encodeSubwords is encode for subwords: what is before boundary is cut by itself, so that it is
// the same whatever follows.
func (t *Tokenizer) encodeSubwords(ctx context.Context, text string, boundary int) (ids []int64, index int, err error) {
	before, err := t.subwords.EncodeContext(ctx, text[:boundary])
	if err != nil {
		return nil, 0, err
	}
	after, err := t.subwords.EncodeContext(ctx, text[boundary:])
	return append(before, after...), len(before), err
}
