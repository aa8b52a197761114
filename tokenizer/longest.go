package tokenizer

// BoundedCoder is a Coder whose tokens stand for so many bytes of a text at most: how many tokens a long
// text has at least is known before it is cut.
type BoundedCoder interface {
	Coder
	// LongestToken returns that number of bytes, 0 where none is known: a normalizer may shorten texts,
	// and one token may stand for all that is unknown.
	LongestToken() int
}

// LongestToken implements BoundedCoder: tokens are slices of the text. By all rules but that for words no
// text has the first two.
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
