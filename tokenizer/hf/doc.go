// Package hf reads tokenizer.json, the tokenizers of models on Hugging Face, in the format
// of the library tokenizers. A program that opens such models links it by importing it:
//
//	import _ "github.com/nopezoo/zoo/tokenizer/hf"
//
// runtime.Open then reads the file next to the model. It is apart from package tokenizer for
// what it brings along: the tables of Unicode's normal forms.
//
// A file is a pipeline, and these are its parts:
//
//   - added tokens, special ones too, which are found in a text wherever they stand;
//   - normalizers NFC, NFD, NFKC, NFKD, Nmt, Lowercase, Strip, StripAccents, Prepend, Replace, ByteLevel,
//     BertNormalizer, Precompiled and Sequence;
//   - pre-tokenizers ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit, Punctuation,
//     CharDelimiterSplit, UnicodeScripts, BertPreTokenizer and Sequence; their regular expressions are
//     Oniguruma's, without references to groups (internal/oniguruma has the list);
//   - models BPE (Sennrich et al., arXiv 1508.07909; on bytes: Radford et al. 2019), Unigram (Kudo,
//     arXiv 1804.10959), WordPiece and WordLevel;
//   - post-processors TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and Sequence,
//     for one text: what they put before a prompt is put there, what they put behind it is not, for
//     a prompt goes on;
//   - decoders ByteLevel, ByteFallback, Metaspace, WordPiece, BPEDecoder, Fuse, Strip, Replace and
//     Sequence.
//
// Truncation and padding are passed over. Anything else is an error that names it.
//
// Files are not trusted. What their parts make of a text has at most 64 times its bytes and 1 kB, and takes at most 512
// steps for each byte and 65,536 more, a step being a byte that a part or the model looks at; more is an error, of
// Encode or Decode, or where the added tokens need it, of New. A part is within 16 Sequences at most, there are 1,024 parts
// of a kind, and 1,024 ids before a prompt.
//
// What it makes of texts is what the library tokenizers does: scripts/tokenizers_cases.py has 4,000 random texts
// over all of Unicode cut by 29 pipelines, and the tests compare (a part of them is in testdata). Normal
// forms, marks, punctuation and the classes of expressions go by the Unicode of Go's tables; the library's are of
// several versions, older and newer.
//
// The package also trains BPE on bytes, the subwords of package tokenizer.
//
// Go libraries were tried first, against that one too. github.com/sugarme/tokenizer v0.3.0 gives wrong
// pieces for runs of spaces, and cuts some 120 short samples a second on one core. github.com/gomlx/go-huggingface
// v0.3.1 reads no tokenizer.json, but SentencePiece files through github.com/eliben/go-sentencepiece v0.6.0,
// which refuses the type unigram. github.com/daulet/tokenizers v1.24.0 binds the Rust library through cgo
// and needs its compiled archive at build time.
package hf
