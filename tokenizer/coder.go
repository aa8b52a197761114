package tokenizer

import (
	"context"
	"errors"
	"io/fs"
)

// File is what the tokenizer of another program is called in its model's folder.
const File = "tokenizer.json"

// Coder turns text into token ids and back. It is safe for concurrent use. Tokenizer is the one of zoo's own
// models; a Library reads other programs'.
type Coder interface {
	// Encode returns the ids of text; nothing is added to it. It stops when the context ends, with the context's cause.
	Encode(ctx context.Context, text string) ([]int64, error)
	// EncodePrompt returns the ids from which a model continues a prompt: a trailing space is
	// left out, because it belongs to the first token of what follows, and what the model was
	// trained to see before a text is put there.
	EncodePrompt(ctx context.Context, prompt string) ([]int64, error)
	// Decode returns the text of ids, of which those without a token may have none. The text of a
	// few ids may begin or end within a character.
	Decode(ids []int64) (string, error)
	// LongestToken returns the most bytes of a text that one token stands for, 0 where no bound is known: a
	// normalizer may shorten texts, and one token may stand for all that is unknown.
	LongestToken() int
}

// Library reads tokenizers of other programs, and trains and reads vocabularies of subwords. Pieces are as in New.
type Library struct {
	// Read reads the tokenizer in a folder, and the tokens that end a text, as far as the folder says which. Where
	// there is no tokenizer, the error wraps fs.ErrNotExist.
	Read func(folder fs.FS) (c Coder, ends []int64, err error)
	// Parse reads a tokenizer.json.
	Parse func(file []byte) (Coder, error)
	// Train learns the pieces of a vocabulary of a size from texts. It reports its progress often, and stops when the context ends.
	Train func(ctx context.Context, size int, texts []string, progress func(what string, done, total int)) (pieces []string,
		err error)
	// Version is raised when Train learns other pieces from the same texts.
	Version int
	// File returns the tokenizer.json of pieces.
	File func(pieces []string) ([]byte, error)
	// New returns the coder of that file. The pieces PadBPE and EOSPiece have no meaning in its texts.
	New func(pieces []string) (Coder, error)
}

var linked *Library

// Register makes a library known. A program links one by its import: package tokenizer/hf. It is for init
// functions; a second library is a fault of the program, and panics.
func Register(l Library) {
	if linked != nil {
		panic("tokenizer: two libraries are registered")
	}
	linked = &l
}

// Linked returns the library that the program links, or an error that says what to link.
func Linked() (Library, error) {
	if linked == nil {
		return Library{}, errors.New("tokenizer: the vocabulary is one of subwords, which this program does not read; " +
			`link what does: import _ "github.com/nopezoo/zoo/tokenizer/hf"`)
	}
	return *linked, nil
}
