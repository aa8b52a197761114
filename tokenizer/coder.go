package tokenizer

import (
	"context"
	"io/fs"
)

// Coder turns text into token ids and back. It is safe for concurrent use. Tokenizer is the one
// of zoo's own models; those of others are read by what RegisterReader was given.
type Coder interface {
	// Encode returns the ids of text; nothing is added to it.
	Encode(text string) ([]int64, error)
	// EncodePrompt returns the ids from which a model continues a prompt: a trailing space is
	// left out, because it belongs to the first token of what follows, and what the model was
	// trained to see before a text is put there.
	EncodePrompt(prompt string) ([]int64, error)
	// Decode returns the text of ids, of which those without a token may have none. That of a
	// part of a text may begin or end within a character.
	Decode(ids []int64) (string, error)
}

// ContextCoder is a Coder whose encoding ends with a context, as a service needs for texts of others.
// Then the error is the cause of the context's end.
type ContextCoder interface {
	Coder
	// EncodeContext is Encode.
	EncodeContext(ctx context.Context, text string) ([]int64, error)
	// EncodePromptContext is EncodePrompt.
	EncodePromptContext(ctx context.Context, prompt string) ([]int64, error)
}

// Reader reads the tokenizer in a folder, as models of other programs have it beside them, and
// the tokens that end a text, as far as the folder's tokenizer says which. Where there is none,
// the error wraps fs.ErrNotExist.
type Reader func(folder fs.FS) (c Coder, ends []int64, err error)

var reader Reader

// RegisterReader makes a reader known, of which a program links one by its import: package
// tokenizer/hf does so. It is for init functions; a second one is a fault of the program, and
// panics.
func RegisterReader(r Reader) {
	if reader != nil {
		panic("tokenizer: two readers are registered")
	}
	reader = r
}

// LinkedReader returns the reader that the program links, nil for none.
func LinkedReader() Reader { return reader }
