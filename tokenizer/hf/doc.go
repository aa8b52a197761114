// Package hf reads tokenizer.json, the tokenizers of models on Hugging Face, in the format
// of the library tokenizers. A program that opens such models links it by importing it:
//
//	import _ "github.com/nopezoo/zoo/tokenizer/hf"
//
// runtime.Open then reads the file beside the model. It is apart from package tokenizer for
// what it brings along: the tables of Unicode's normal forms.
//
// A file is a pipeline, and these are its parts:
//
//   - added tokens, special ones too, which are found in a text wherever they stand;
//   - normalizers NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Prepend, Replace,
//     BertNormalizer and Sequence;
//   - pre-tokenizers ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit, Punctuation,
//     CharDelimiterSplit, BertPreTokenizer and Sequence;
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
// Three pure-Go libraries were tried first. github.com/sugarme/tokenizer v0.3.0 cuts runs of spaces
// wrongly and is slow, github.com/gomlx/go-huggingface v0.3.1 reads SentencePiece files of type BPE
// and no tokenizer.json, and github.com/eliben/go-sentencepiece v0.6.0 is what that one calls.
package hf
