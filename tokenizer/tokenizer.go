// Package tokenizer cuts text into the tokens of the zoo's models, by default
// words, and puts them together again without loss.
//
// The rule for words, read from left to right:
//
//   - a special string (such as "</s>" or "[SEP]") is one token, the longest
//     that fits first;
//   - otherwise a run of letters is one token (a word), and every other
//     character (digit, punctuation mark, symbol) is one token by itself;
//   - one space directly before a token belongs to it: " tree", " 7", " [SEP]";
//   - a space that is followed by another space or by the end of the text is a
//     token by itself.
//
// The tokens of a text are consecutive slices of it, so decoding what was
// encoded gives the text back. A vocabulary is an ordered list of pieces; "7"
// and " 7" are different pieces, and so are "[SEP]" and " [SEP]". There is no
// piece for the unknown: a token outside the vocabulary is an error.
//
// Three other rules exist: every character is a token (Characters), or every byte
// (Bytes), or subwords are, pieces that were learnt from running text (BPE). The first piece
// of a vocabulary says which rule it is for: PadPiece, PadCharacters, PadBytes or PadBPE.
// So the list of pieces is all there is to know, and New takes any.
//
// # Subwords
//
// Vocabularies of subwords are for corpora; package tokenizer/hf trains and reads them. Those
// of other tasks are small and come from the task (see Vocabulary). The paper whose tasks we train on used the
// pretrained SentencePiece unigram vocabulary of T5, which makes unequal pieces of
// equal things: "0" is two pieces but every other digit one, the last digit of an
// answer fuses with its full stop ("3."), a lower-case letter is two pieces, two
// digits without a space between them are one, and "[SEP]" is four. With words, a
// digit is one token wherever it stands, which is why they are the default; token
// counts and token accuracies differ from the paper's for the same texts.
//
// Tokenizers of other programs, tokenizer.json, are in package tokenizer/hf; Coder is what all have
// in common.
package tokenizer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// Two pieces open every vocabulary, with ids 0 and 1: padding, which also says
// by which rule text is cut, and the end of a sequence.
const (
	PadPiece      = "<pad>"       // words
	PadCharacters = "<pad:chars>" // characters
	PadBytes      = "<pad:bytes>" // bytes
	PadBPE        = "<pad:bpe>"   // subwords
	EOSPiece      = "</s>"

	Pad int64 = 0 // the first piece
	EOS int64 = 1 // EOSPiece
)

// Tokenizer maps text to ids and back for one vocabulary. It is immutable and
// safe for concurrent use; build it with New.
type Tokenizer struct {
	pieces []string
	texts  []string         // what a piece stands for in a text, by id
	ids    map[string]int64 // by text
	next   func(text string) (int, error)

	subwords Coder // instead of next and ids
}

// New returns the tokenizer of an ordered list of pieces: the id of a piece is
// its index. pieces[0] is PadPiece, PadCharacters, PadBytes or PadBPE, pieces[1] EOSPiece.
//
// For words a piece is " ", or a word, a character or a special string, with or
// without one space before it; what the lexical rule would cut apart is thereby a
// special string. For characters each piece is one, and for bytes they are those
// of Bytes. Subwords are package tokenizer/hf's, and the program must link package
// tokenizer/hf. Empty, repeated or malformed pieces are errors.
func New(pieces []string) (*Tokenizer, error) {
	rules := []string{PadPiece, PadCharacters, PadBytes, PadBPE}
	if len(pieces) < 2 || !slices.Contains(rules, pieces[0]) || pieces[1] != EOSPiece {
		return nil, fmt.Errorf("tokenizer: a vocabulary starts with %q and %q (with %q for characters, %q for bytes, %q for subwords), "+
			"this one with %q", PadPiece, EOSPiece, PadCharacters, PadBytes, PadBPE, head(pieces, 2))
	}
	t := &Tokenizer{pieces: slices.Clone(pieces), ids: make(map[string]int64, len(pieces))}
	t.texts = t.pieces
	if pieces[0] == PadBPE {
		if err := t.useSubwords(); err != nil {
			return nil, err
		}
		return t, nil
	}
	var err error
	switch pieces[0] {
	case PadCharacters:
		t.next, err = nextCharacter, checkCharacters(pieces)
	case PadBytes:
		t.next, t.texts, err = nextByte, byteTexts(pieces), checkBytes(pieces)
	default:
		t.next, err = wordRule(pieces)
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	for i, text := range t.texts {
		if first, ok := t.ids[text]; ok {
			return nil, fmt.Errorf("tokenizer: piece %d repeats piece %d, %q", i, first, start(text))
		}
		t.ids[text] = int64(i)
	}
	return t, nil
}

// wordRule returns the lexer of a vocabulary of words.
func wordRule(pieces []string) (func(string) (int, error), error) {
	var special []string
	for i, piece := range pieces {
		core, err := corePiece(piece)
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		if core != "" && lexeme(core) != len(core) {
			special = append(special, core)
		}
	}
	return newLexer(special).next, nil
}

func head(pieces []string, n int) []string {
	return lists.Map(pieces[:min(n, len(pieces))], start)
}

// Size returns the number of pieces; ids run from 0 to Size−1.
func (t *Tokenizer) Size() int { return len(t.pieces) }

// UnknownError reports a token of a text that is not in the vocabulary.
type UnknownError struct {
	Piece string // the whole token, with the space before it
	At    int    // its first byte in the text
	hint  string
}

// Error implements error. It shows the start of a long token.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown piece %q at byte %d%s", start(e.Piece), e.At, e.hint)
}

// Encode returns the ids of text; nothing is added to it. A token outside the
// vocabulary is an *UnknownError (wrapped).
//
// To let a model continue a prompt use EncodePrompt: here a trailing space is a
// token by itself.
func (t *Tokenizer) Encode(ctx context.Context, text string) ([]int64, error) {
	ids, _, err := t.encode(ctx, text, len(text))
	return ids, err
}

// looked is how many tokens are made between two looks at a context.
const looked = 1 << 14

// encode returns the ids of text and the index of the token that starts at byte
// boundary (the number of tokens when it is the end); −1 when none starts there.
func (t *Tokenizer) encode(ctx context.Context, text string, boundary int) (ids []int64, index int, err error) {
	if t.subwords != nil {
		return t.encodeSubwords(ctx, text, boundary)
	}
	index = -1
	for at := 0; at < len(text); {
		if at == boundary {
			index = len(ids)
		}
		if len(ids)%looked == 0 && ctx.Err() != nil {
			return nil, 0, fmt.Errorf("tokenizer: byte %d: %w", at, context.Cause(ctx))
		}
		n, err := t.next(text[at:])
		if err != nil {
			return nil, 0, fmt.Errorf("tokenizer: byte %d: %w", at, err)
		}
		piece := text[at : at+n]
		id, ok := t.ids[piece]
		if !ok {
			return nil, 0, fmt.Errorf("tokenizer: %w", &UnknownError{piece, at, t.hint(piece)})
		}
		ids = append(ids, id)
		at += n
	}
	if boundary == len(text) {
		index = len(ids)
	}
	return ids, index, nil
}

// hint says when the piece is known with, or without, a space before it.
func (t *Tokenizer) hint(piece string) string {
	other := " " + piece
	if strings.HasPrefix(piece, " ") {
		other = piece[1:]
	}
	if _, ok := t.ids[other]; ok {
		return fmt.Sprintf(" (the vocabulary has %q)", start(other))
	}
	return fmt.Sprintf(" (not among the vocabulary's %d pieces)", len(t.pieces))
}

// EncodePrompt returns the ids from which a model continues prompt: a trailing
// space is left out, because it belongs to the first token of what follows. It
// equals ids[:targetStart] of EncodePair for every target.
func (t *Tokenizer) EncodePrompt(ctx context.Context, prompt string) ([]int64, error) {
	return t.Encode(ctx, strings.TrimSuffix(prompt, " "))
}

// LongestToken implements Coder: tokens are slices of the text. Only the rule for words makes tokens of
// the first two pieces.
func (t *Tokenizer) LongestToken() int {
	texts, longest := t.texts, 0
	if t.pieces[0] != PadPiece {
		texts = texts[2:]
	}
	for _, text := range texts {
		longest = max(longest, len(text))
	}
	return longest
}

// EncodePair returns the ids of prompt followed by target, without an end
// token, and the index at which the target's ids start. One trailing space of
// the prompt moves to the target's first token. A target that would fuse with
// the prompt's last token ("ab" and "cd") is an error; but subwords are those of the
// prompt and then those of the target, each cut by itself.
func (t *Tokenizer) EncodePair(prompt, target string) (ids []int64, targetStart int, err error) {
	boundary := len(strings.TrimSuffix(prompt, " "))
	ids, targetStart, err = t.encode(context.Background(), prompt+target, boundary)
	if err != nil {
		return nil, 0, err
	}
	if targetStart < 0 {
		return nil, 0, fmt.Errorf("tokenizer: the end of prompt %q and the start of target %q form one token: "+
			"separate them by a space", tail(prompt), start(target))
	}
	return ids, targetStart, nil
}

// quoted is how many bytes of a text an error shows at most.
const quoted = 40

// start keeps error messages short.
func start(s string) string {
	if len(s) <= quoted {
		return s
	}
	return strings.ToValidUTF8(s[:quoted], "") + "…"
}

// tail is start from the other end.
func tail(s string) string {
	if len(s) <= quoted {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-quoted:], "")
}

// Decode returns the text of ids. An id outside the vocabulary is an error that
// names it and its index.
func (t *Tokenizer) Decode(ids []int64) (string, error) {
	var b strings.Builder
	for i, id := range ids {
		if id < 0 || id >= int64(len(t.pieces)) {
			return "", fmt.Errorf("tokenizer: id %d at index %d is outside the vocabulary's 0..%d",
				id, i, len(t.pieces)-1)
		}
		b.WriteString(t.texts[id])
	}
	return b.String(), nil
}
